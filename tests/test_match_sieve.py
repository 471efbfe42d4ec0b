"""The literals by which a scan passes over most of a log: no match may be passed over with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import re2

from medic.index.knowledge import load
from medic.match import watched
from medic.match.anchors import USUAL, Anchors, Cover, latin
from medic.match.marks import patterns_of
from medic.match.sieve import Sieve, sieve_of, source

INDEX = load()
WATCHED = watched(INDEX)
PATTERNS = patterns_of(WATCHED)
FIRST = len(PATTERNS) - len(WATCHED)


def sieve(*patterns: str) -> Sieve:
    return compiled(sieve_of(patterns), patterns)


def compiled(made_of: Mapping[str, Any], patterns: Sequence[str]) -> Sieve:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_nl = True
    made = Sieve(made_of, lambda number: source(patterns[number]))
    made.compile(options)
    return made


def texts(cover: Cover) -> set[str]:
    return {one.text for one in cover}


@pytest.mark.parametrize(
    ("pattern", "held"),
    [
        ("Segfault in the kernel", {"Segfault in the kernel"}),
        (r"exit ?code: (?P<n>\d+)", {"exit code: ", "exitcode: "}),
        (r"[Kk]illed by (?:slurm|the node)\b", {"Killed by slurm", "killed by slurm",
                                              "Killed by the node", "killed by the node"}),
        (r"(?i)ECC\s+Fault", {"fault"}),
        (r"(?:kernel panic|ECC fault)+ seen", {"kernel panic", "ECC fault"}),
        (r"\(exitcode: -9\)|\[oom-kill\]", {"(exitcode: -9)", "[oom-kill]"}),
        (r"(?:panics){0,3}fault{2} \d", {"faul"}),
        (r"faults?[^\n]*", {"faults", "fault"}),
        ("显存不足", {latin("显存不足")}),
        ("足够显存?了", {latin("足够显存了"), latin("足够显存")[:-1] + latin("了")}),
    ],
)  # fmt: skip
def test_each_match_holds_one_of(pattern: str, held: set[str]) -> None:
    assert held in [texts(cover) for cover in Anchors([pattern]).of(pattern)]


@pytest.mark.parametrize(
    "pattern", [r"\d+ \S+", r"(?:ab|c)\dx", "(?!never)fault", r"(\w)\1fault", "a|fault", "[[:alpha:]]x",
                "(?i)显存不足", r"fault{2}{0,3}"],
)  # fmt: skip
def test_no_literal_is_claimed_where_none_must_stand(pattern: str) -> None:
    assert Anchors([pattern]).of(pattern) == []


def test_what_any_log_says_is_no_literal_to_go_by() -> None:
    anchors = Anchors([])
    (usual,) = anchors.of(r"loss \d")
    assert anchors.weight(usual)[0] >= USUAL
    (figures,) = anchors.of(r"0\.005")
    assert anchors.weight(figures)[0] >= USUAL
    assert texts(anchors.of(r"step \S+ was poisoned")[0]) == {" was poisoned"}


def test_no_line_of_a_shipped_signature_is_passed_over() -> None:
    made = compiled(INDEX.raw["sieve"], PATTERNS)
    missed = [
        own.signature.id
        for number, own in enumerate(WATCHED, FIRST)
        for line in own.signature.match
        if number not in made.match(line.encode())
    ]
    assert not missed


def test_most_signatures_are_told_by_literals() -> None:
    """Each of the others is sought in every byte of a log, and multiplies what that costs."""
    assert len(INDEX.raw["sieve"]["whole"]) <= 20


def test_only_the_wanted_are_found_and_only_where_all_they_need_is_there() -> None:
    patterns = ["poisoned by (?:nan|inf)", "poisoned.*and dead", "the usual suspect"]
    made = sieve(*patterns)
    assert made.match(b"the kernel is POISONED by nan") == []
    assert made.match(b"poisoned and dead, or the usual suspect") == [1, 2]
    options = re2.Options()
    some = Sieve(sieve_of(patterns), lambda number: source(patterns[number]), frozenset({2}))
    some.compile(options)
    assert some.match(b"poisoned and dead, or the usual suspect") == [2]
