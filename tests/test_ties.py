"""What beliefs and scans read of the whole knowledge is what its entries say."""

from __future__ import annotations

import json

from medic.index.knowledge import load
from medic.index.ties import read, ties_of
from medic.match import scanned, watched

INDEX = load()


def test_stored_ties_are_those_of_the_entries() -> None:
    made = ties_of(INDEX.causes, INDEX.links, INDEX.checks)
    kept = read(json.loads(json.dumps(made)))
    assert list(INDEX.ties.causes) == list(kept.causes) == sorted(INDEX.causes)
    assert json.dumps(INDEX.ties) == json.dumps(kept)


def test_a_cause_that_prints_has_a_line_of_its_own_that_confirms_it() -> None:
    prints = {name for name, ties in INDEX.ties.causes.items() if ties.prints}
    assert prints == {
        name
        for name, cause in INDEX.causes.items()
        if cause.telltale
        and cause.telltale.weight == "confirms"
        and any(one.role != "context" for one in cause.telltale.signatures)
    }
    assert prints


def test_a_scan_reads_the_same_signatures_without_their_examples() -> None:
    whole = watched(INDEX)
    for short, full in zip(scanned(INDEX), whole, strict=True):
        assert short[1:] == full[1:]
        for name in ("id", "pattern", "role", "not_in", "at_least", "shared", "unless"):
            assert getattr(short.signature, name) == getattr(full.signature, name)
        assert dict(short.signature.captures) == dict(full.signature.captures)
