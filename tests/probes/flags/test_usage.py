"""Usage texts and refusals in logs, as launchers and clusters write them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from medic.probes.flags.rejected import complaint_in, read_refusals
from medic.probes.flags.usage import parse_usage

from medic.facts import GivenFile, LogHits, Source


def _options(text: str) -> dict[str, str]:
    spec = parse_usage(text, Source())
    assert spec is not None
    return {n: o.takes for o in spec.options for n in o.names}


def test_every_form() -> None:
    text = """train.py [-h] --config CONFIG [-c CC] [--pair PAIR PAIR]
        --names NAMES [NAMES ...] [--opt [OPT]] [--amp | --no-amp]
        [--mode {a,b}] (--x | --y) [-v] [-o OUT_DIR] [--all [ALL ...]]
        [--lr LR (float)] --pick {1,2} data [more ...]"""
    assert _options(text) == {
        "-h": "none", "--help": "none", "--config": "value", "-c": "value", "--cc": "value",
        "--pair": "many", "--names": "many", "--opt": "optional-value", "--amp": "none",
        "--no-amp": "none", "--mode": "value", "--x": "none", "--y": "none", "-v": "none",
        "-o": "value", "--out_dir": "value", "--out-dir": "value", "--all": "many", "--lr": "many",
        "--pick": "value", "data": "value", "more": "many",
    }  # fmt: skip
    spec = parse_usage(text, Source("a.log", 3))
    assert spec is not None
    assert (spec.script, spec.complete, spec.origin) == ("train.py", True, "usage")
    by_name = {o.names[0]: o for o in spec.options}
    assert by_name["--mode"].choices == ("a", "b")
    assert by_name["--amp"].negative == "--no-amp"
    assert by_name["--mode"].source.line == 3


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("/opt/llm/train.py [--a A]", "train.py"),
        ("python -m llm.train [--a A]", "llm.train"),
        ("python3.14 -m llm.train [--a A]", "llm.train"),
        ("llm-train [--a A]", "llm-train"),
    ],
)
def test_program(text: str, script: str) -> None:
    spec = parse_usage(text, Source())
    assert spec is not None
    assert spec.script == script


@pytest.mark.parametrize(
    "text", ["", "   ", "train.py", "train.py data", "[--a A]", "git <command>"]
)
def test_no_usage(text: str) -> None:
    assert parse_usage(text, Source()) is None


@pytest.mark.parametrize("text", ["main.py [-h] {train,eval} ...", "main.py [--a A] ..."])
def test_subcommands_are_incomplete(text: str) -> None:
    spec = parse_usage(text, Source())
    assert spec is not None
    assert not spec.complete


@given(st.text("[]{}()|-ab. \n", max_size=80))
def test_any_text_ends(text: str) -> None:
    parse_usage("train.py " + text, Source())


def test_deep_and_long_texts_end() -> None:
    assert parse_usage("t.py " + "[" * 50_000 + "--a A" + "]" * 50_000, Source()) is not None
    assert parse_usage("t.py " + "[--a A] " * 50_000, Source()) is not None


class _Logs:
    """As much of a Look as reading refusals needs."""

    def __init__(self, **texts: str) -> None:
        self.texts = texts
        self.read = 0

    def files(self, *_: str) -> list[GivenFile]:
        return [GivenFile(name, name, "log") for name in self.texts]

    def lines(self, path: str) -> Any:
        for number, line in enumerate(self.texts[path].splitlines(), 1):
            self.read += 1
            yield number, line

    def has(self, kind: type) -> bool:
        return False

    def fact(self, kind: type) -> Any:
        raise KeyError(kind)

    def cancelled(self) -> bool:
        return False


TEXT = (
    "usage: train.py [-h] [--lr LR]\n"
    "                [--amp] [--steps STEPS]\n"
    "train.py: error: unrecognized arguments: --lrr 1\n"
)


def _with(prefix: str, text: str = TEXT) -> str:
    return "".join(prefix + line + "\n" for line in text.splitlines())


@pytest.mark.parametrize(
    "prefix",
    ["", "[default0]:", "[default11]: ", "[rank0]: ", "12: ", "[1,0]<stderr>:", "node-3:0: ",
     "(TaskRunner pid=812, ip=10.0.0.1) ", "2026-11-27 21:06:02,123 ", "[rank1]:[default1]:"],
)  # fmt: skip
def test_prefixes(prefix: str) -> None:
    found = read_refusals(_Logs(log=_with(prefix)))
    assert [len(u.options) for u in found.usages] == [4]
    (complaint,) = found.complaints
    assert (complaint.kind, complaint.words) == ("unrecognized", ("--lrr", "1"))
    assert (complaint.program, complaint.source.line) == ("train.py", 3)


def test_ranks_that_write_in_turns() -> None:
    one, two = _with("[default0]:").splitlines(), _with("[default1]:").splitlines()
    mixed = "\n".join(line for pair in zip(one, two, strict=True) for line in pair)
    found = read_refusals(_Logs(log=mixed))
    assert [len(u.options) for u in found.usages] == [4]
    plain = "\n".join(line for line in TEXT.splitlines() for _ in range(2))
    assert [len(u.options) for u in read_refusals(_Logs(log=plain)).usages] == [4]


def test_pasted_text_without_indentation() -> None:
    text = "\n".join(line.strip() for line in TEXT.splitlines())
    assert [len(u.options) for u in read_refusals(_Logs(log=text)).usages] == [4]


def test_only_the_beginning_is_read_without_a_scan() -> None:
    logs = _Logs(log="x\n" * 60_000)
    assert not read_refusals(logs).complaints
    assert logs.read <= 20_001


@pytest.mark.parametrize(
    "line",
    [
        "loss: 2.0",
        "ignore_unknown_args: unrecognized arguments are kept",
        "WARNING: error: something else",
        "make: error: no rule",
    ],
)
def test_other_lines_are_no_refusal(line: str) -> None:
    assert complaint_in(line, Source()) is None


def test_aliases_in_a_complaint(flags: Any) -> None:
    log = TEXT.replace("--lr LR", "-l L").replace(
        "unrecognized arguments: --lrr 1", "argument -l/--lr: expected one argument"
    )
    seen = flags.see({"a.log": log, "run.sh": "python train.py --lr --amp\n"})
    assert seen.outcome("misspelt-flag") == "passes"


def test_a_hostile_list_is_not_evaluated() -> None:
    start = "ValueError: Some specified arguments are not used by the HfArgumentParser: "
    for text in ("[__import__('os').system('x')]", "[" * 9000 + "]", "[1, {}]"):
        found = complaint_in(start + text, Source())
        assert found is not None
        assert all(isinstance(w, str) for w in found.words)


def test_scan_facts_are_used(flags: Any) -> None:
    look = flags.look({"a.log": TEXT})
    look.facts[LogHits] = LogHits()
    assert not read_refusals(look).complaints
