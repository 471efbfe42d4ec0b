"""Generated parsers: what is read from their source is what argparse itself makes of them.

The sources are made here from a small grammar, so that they may be run.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from medic.probes.flags.match import NOWHERE, match
from medic.probes.flags.rejected import complaint_in
from medic.probes.flags.usage import parse_usage

from medic.facts import Word

SLOW = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
WORDS = ("lr", "batch", "size", "use", "amp", "model", "train", "max", "steps", "no")
PARTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True)
LONG = st.builds(lambda parts, mark: "--" + mark.join(parts), PARTS, st.sampled_from("-_"))
KINDS = {
    "plain": "",
    "typed": ", type=float, default=0.5",
    "true": ', action="store_true"',
    "false": ', action="store_false"',
    "both": ", action=argparse.BooleanOptionalAction",
    "count": ', action="count"',
    "append": ', action="append"',
    "maybe": ', nargs="?", const="x"',
    "some": ', nargs="+"',
    "any": ', nargs="*"',
    "pair": ", nargs=2",
    "choice": ', choices=["a", "b"]',
    "const": ', action="store_const", const=3',
}


@dataclass(frozen=True)
class Added:
    """One add_argument call of the generated script, and in which way it is written."""

    names: tuple[str, ...]
    kind: str
    style: str


ADDED = st.builds(
    Added,
    st.tuples(LONG)
    | st.tuples(st.sampled_from(["-a", "-b", "-x", "-v"]), LONG)
    | st.tuples(st.sampled_from(["-lr", "-bs"]), LONG),
    st.sampled_from(sorted(KINDS)),
    st.sampled_from(["direct", "group", "function", "loop", "mapping", "parent", "exclusive"]),
)


def _unique(added: list[Added]) -> list[Added]:
    """Without calls that argparse refuses, and no two that store under one name."""
    taken: set[str] = {"-h", "--help"}
    kept = []
    for one in added:
        names = {*one.names, *("--no-" + n[2:] for n in one.names if one.kind == "both")}
        stored = one.names[-1][2:].replace("-", "_")
        if not (names | {stored}) & taken:
            taken |= names | {stored}
            kept.append(one)
    return kept


def _line(one: Added, parser: str) -> str:
    names = ", ".join(f'"{n}"' for n in one.names)
    call = f"add_argument({names}{KINDS[one.kind]})"
    long = one.names[-1]
    short = "".join(f'"{n}", ' for n in one.names[:-1])
    if one.style == "group":
        return f'{parser}.add_argument_group("g").{call}'
    if one.style == "exclusive":
        return f"m = {parser}.add_mutually_exclusive_group()\nm.{call}"
    if one.style == "function":
        body = f"    p.add_argument(*names{KINDS[one.kind]})"
        return f"def add(p, *names):\n{body}\nadd({parser}, {names})"
    if one.style == "loop":
        return (
            f"for n in [{long[2:]!r}]:\n"
            f'    {parser}.add_argument({short}f"--{{n}}"{KINDS[one.kind]})'
        )
    if one.style == "mapping":
        group, _, rest = long[2:].partition("-")
        flag = 'f"--{k}-{v}"' if rest else 'f"--{k}"'
        return (
            f"for k, v in {{{group!r}: {rest!r}}}.items():\n"
            f"    {parser}.add_argument({short}{flag}{KINDS[one.kind]})"
        )
    return f"{parser}.{call}"


def _source(added: list[Added], positional: int, abbreviate: bool) -> str:
    parents = [a for a in added if a.style == "parent"]
    lines = ["import argparse", "base = argparse.ArgumentParser(add_help=False)"]
    lines += [_line(a, "base") for a in parents]
    lines.append(f"parser = argparse.ArgumentParser(parents=[base], allow_abbrev={abbreviate})")
    lines += [_line(a, "parser") for a in added if a.style != "parent"]
    lines += [f'parser.add_argument("input{i}")' for i in range(positional)]
    lines += ['if __name__ == "__main__":', "    parser.parse_args()"]
    return "\n".join(lines) + "\n"


SOURCES = st.builds(
    lambda added, positional, abbreviate: _source(_unique(added), positional, abbreviate),
    st.lists(ADDED, min_size=1, max_size=7),
    st.integers(0, 2),
    st.booleans(),
)


def _real(source: str) -> argparse.ArgumentParser:
    names: dict[str, Any] = {"__name__": "generated"}
    exec(compile(source, "generated", "exec"), names)
    parser: argparse.ArgumentParser = names["parser"]
    parser.prog = "train.py"
    return parser


def _takes(action: argparse.Action) -> str:
    if action.nargs is None:
        return "value"
    if action.nargs == 0:
        return "none"
    return "optional-value" if action.nargs == "?" else "many"


@SLOW
@given(SOURCES)
def test_options_are_those_of_argparse(flags: Any, source: str) -> None:
    spec = flags.parser(source)
    real = {(frozenset(a.option_strings or [a.dest]), _takes(a)) for a in _real(source)._actions}
    assert {(frozenset(o.names), o.takes) for o in spec.options} == real
    assert spec.complete
    assert spec.prefixes == _real(source).allow_abbrev


class RefusedError(Exception):
    pass


def _unknown(parser: argparse.ArgumentParser, words: list[str]) -> set[str] | None:
    """The flags that argparse does not know; None if it stops for another reason."""

    def refuse(message: str) -> None:
        raise RefusedError(message)

    parser.error = refuse  # type: ignore[method-assign, assignment]
    try:
        parser.parse_args(words)
    except RefusedError as problem:
        text = str(problem)
        if not text.startswith("unrecognized arguments: "):
            return None
        rest = text.split(": ", 1)[1].split()
        return {w.partition("=")[0] for w in rest if w.startswith("-") and not w[1:2].isdigit()}
    return set()


VALUES = st.sampled_from(["1", "true", "a", "-1", "-0.5", "x=y", "false", "b"])


WAYS = ("known", "beginning", "joined", "other", "value", "equals")


def _given_words(data: st.DataObject, parser: argparse.ArgumentParser) -> list[str]:
    known = [n for n in parser._option_string_actions if n not in ("-h", "--help")]
    words: list[str] = []
    for _ in range(data.draw(st.integers(0, 6))):
        kind = data.draw(st.sampled_from(WAYS))
        name = data.draw(st.sampled_from(known))
        if kind == "beginning":
            name = name[: data.draw(st.integers(3, max(3, len(name))))]
        elif kind == "joined":
            short = [n for n in known if not n.startswith("--")] or ["-a"]
            ending = data.draw(st.sampled_from(["", "1", "r", "vv", "x", "s"]))
            name = data.draw(st.sampled_from(short))[:2] + ending
        elif kind == "other":
            name = data.draw(LONG)
        if kind == "value":
            words.append(data.draw(VALUES))
        elif kind == "equals":
            words.append(f"{name}={data.draw(VALUES)}")
        else:
            words += [name, *data.draw(st.lists(VALUES, max_size=2))]
    return words


@SLOW
@given(SOURCES, st.data())
def test_unknown_flags_are_those_that_argparse_refuses(
    flags: Any, source: str, data: st.DataObject
) -> None:
    parser = _real(source)
    words = _given_words(data, parser)
    refused = _unknown(parser, words)
    assume(refused is not None)
    found = match([Word(NOWHERE, w, w) for w in words], flags.parser(source))
    assert {u.flag for u in found.unknown} == refused


SWITCH = Added(("--switch",), "true", "direct")
NO_POSITIONAL = st.builds(
    lambda added, abbreviate: _source(_unique([SWITCH, *added]), 0, abbreviate),
    st.lists(ADDED, max_size=6),
    st.booleans(),
)


@SLOW
@given(NO_POSITIONAL, st.data())
def test_a_value_behind_a_switch_is_refused_by_argparse(
    flags: Any, source: str, data: st.DataObject
) -> None:
    """Where a parser has no positional argument, a stray true or false ends the run."""
    parser = _real(source)
    switches = [
        n for a in parser._actions if a.nargs == 0 and a.dest != "help" for n in a.option_strings
    ]
    name, value = data.draw(st.sampled_from(switches)), data.draw(st.sampled_from(["true", "0"]))
    words = [name, value]
    found = match([Word(NOWHERE, w, w) for w in words], flags.parser(source))
    assert [(w.flag, w.value) for w in found.with_value] == [(name, value)]
    assert _unknown(parser, words) == set()  # nothing unknown, and yet:
    with pytest.raises(RefusedError, match="unrecognized arguments"):
        parser.parse_args(words)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="the usage text may be coloured")
@SLOW
@given(SOURCES)
def test_usage_text_lists_the_same_options(source: str) -> None:
    parser = _real(source)
    spec = parse_usage(parser.format_usage().split(":", 1)[1], _nowhere())
    assert spec is not None
    plain = [a for a in parser._actions if not isinstance(a, argparse.BooleanOptionalAction)]
    paired = [a for a in parser._actions if isinstance(a, argparse.BooleanOptionalAction)]
    shown = {((a.option_strings or [a.dest])[0], _takes(a)) for a in plain}
    shown |= {(name, "none") for a in paired for name in a.option_strings}
    assert {(o.names[0], o.takes) for o in spec.options} == shown


def _nowhere() -> Any:
    from medic.facts import Source

    return Source()


def test_a_refusal_is_read_as_argparse_writes_it(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser(prog="train.py")
    parser.add_argument("--lr")
    parser.add_argument("--amp", "-a", action="store_true")
    kinds = {
        ("--x", "1"): "unrecognized",
        ("--lr",): "missing-value",
        ("--amp=true",): "takes-no-value",
    }
    for words, kind in kinds.items():
        with pytest.raises(SystemExit):
            parser.parse_args(list(words))
        line = capsys.readouterr().err.splitlines()[-1]
        found = complaint_in(line, _nowhere())
        assert found is not None
        assert (found.kind, found.program) == (kind, "train.py")
