"""Flags of a launch that do not do what they look like: behind the script, twice, out of range."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from medic.facts import Launch, ParserSpec, Repair, Word
from medic.i18n import Text
from medic.records import dataclass
from medic.run_config import Span
from medic.text.patterns import regex

from .argument_repairs import nearest_choice, without_first
from .launcher_options import LAUNCHERS_OWN
from .match import Known, boolean, classify
from .script_text import ScriptText
from .spelling import plain

TWICE = "flag-given-twice"
VALUE = "flag-value-not-accepted"

_FLAG = regex(r"^--[A-Za-z][\w.-]*$")
_KEY = regex(r"^(?:\+\+)?([A-Za-z_]\w*(?:\.[A-Za-z_][\w-]*)+)$")  # Hydra's and OmegaConf's
_NUMBER = regex(r"^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$")
_ASSIGNS = regex(r"^\s*(?:export\s+|local\s+|declare\s+(?:-\w+\s+)*)?\w+\+?=")
_GLUED = regex(r"^([^\"'\s]*[A-Za-z0-9_}])--([A-Za-z][\w-]+)(?:=\S*)?$")
_QUOTED = regex(r"^\"[^\"]*\"$|^'[^']*'$")
_VARIABLE_AND_FLAG = regex(r"^\$(?:\w+|\{\w+\})--[a-z]+(?:[_-][a-z0-9]+)+$")
_NOTHING = ('""', "''")
_MAX_CHOICES = 12

_AGAIN = Text(
    "{flag} {value} overrides {flag} {first} of line {line}",
    "{flag} {value} 覆盖了第 {line} 行的 {flag} {first}",
)
_KEY_AGAIN = Text(
    "{flag}={value} overrides {flag}={first} of line {line}",
    "{flag}={value} 覆盖了第 {line} 行的 {flag}={first}",
)
_EMPTY = Text("{flag} gives it an empty value", "{flag} 的取值为空")
_PARTED = Text(
    "{word}: the blank before {flag} is missing, so it is part of that word",
    "{word}：{flag} 前缺少空格，它成了这个词的一部分",
)
_NOT_ONE = Text(
    "{flag} does not take {value}; {script} accepts {choices}",
    "{flag} 不接受 {value}；{script} 可选 {choices}",
)


@dataclass(frozen=True)
class Fault:
    """A fault of one flag: the check, what is wrong, where, and the repair if it is one."""

    name: str
    what: Text
    span: Span
    flag: str
    repair: Repair | None = None


# --- twice ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Given:
    flag: str
    value: str
    word: Word
    place: Span
    value_at: Span


def twice(
    launch: Launch, script: ScriptText, scalars: Callable[[], frozenset[str]]
) -> Iterator[Fault]:
    """The same flag or key with two values in one command or one list: argparse, Hydra and OmegaConf
    keep the last.

    Flags that collect values may stand often: only numbers, and the settings of which a run has
    one (``scalars``), count. A list that a later one overrides is meant so.
    """
    for words in (launch.launcher_words, launch.arguments):
        yield from _twice(words, launch, script, scalars)


def _twice(
    words: Sequence[Word], launch: Launch, script: ScriptText, scalars: Callable[[], frozenset[str]]
) -> Iterator[Fault]:
    last: dict[str, _Given] = {}
    for given in _given(words):
        key = _KEY.match(given.flag) is not None
        name = given.flag if key else plain(given.flag)
        first = last.get(name)
        last[name] = given
        if first is None or _equal(first.value, given.value):
            continue
        number = all(_NUMBER.match(v) or boolean(v) is not None for v in (first.value, given.value))
        once = key or number or plain(given.flag) in scalars()
        if once and _together(launch, script, first, given):
            what = (_KEY_AGAIN if key else _AGAIN).fill(
                flag=given.flag, value=given.value, first=first.value, line=first.place.line
            )
            repair = None if key else without_first(first.value_at, first.flag)
            yield Fault(TWICE, what, given.place, given.flag, repair)


def _given(words: Sequence[Word]) -> Iterator[_Given]:
    """Flags and keys with one value; flags with several values are lists."""
    for at, word in enumerate(words):
        flag, sign, value = (word.value or "").partition("=")
        key = _KEY.match(flag) if sign else None
        if key is not None:
            yield _Given(key[1], value, word, word.span, word.span)
        if not _FLAG.match(flag):
            continue
        if sign:
            yield _Given(flag, value, word, word.span, word.span)
            continue
        rest = words[at + 1 : at + 3]
        if not rest or rest[0].value is None or rest[0].value.startswith("--"):
            continue
        if len(rest) == 1 or (rest[1].value or "").startswith("-"):
            yield _Given(flag, rest[0].value, word, word.span, rest[0].span)


def _together(launch: Launch, script: ScriptText, one: _Given, other: _Given) -> bool:
    """Whether both are written in the command itself, or in one and the same assignment."""
    inside = [launch.span.start <= g.place.start < launch.span.end for g in (one, other)]
    if all(inside):
        return True
    if any(inside) or one.place.file != other.place.file or one.place.start > other.place.start:
        return False
    between = range(one.place.line + 1, other.place.line + 1)
    return not any(_ASSIGNS.match(script.line_text(number)) for number in between)


def _equal(one: str, other: str) -> bool:
    if one == other:
        return True
    if _NUMBER.match(one) and _NUMBER.match(other):
        return float(one) == float(other)
    return one.lower() == other.lower() and boolean(one) is not None


def without_value(
    launch: Launch, scalars: Callable[[], frozenset[str]], numbers: Callable[[], frozenset[str]]
) -> Iterator[Fault]:
    """``--lr=`` of a setting that has a value in every run, ``--lr ""`` of one that is a number."""
    for at, word in enumerate(launch.arguments):
        flag, sign, value = (word.value or "").partition("=")
        after = launch.arguments[at + 1] if at + 1 < len(launch.arguments) else None
        if not flag.startswith("--") or value:
            continue
        alone = sign and (not after or after.raw[:1] == "-")
        if alone and plain(flag) in scalars() | numbers():
            yield Fault(VALUE, _EMPTY.fill(flag=f"{flag}="), word.span, flag)
        nothing = not sign and after is not None and after.raw in _NOTHING
        if nothing and after and plain(flag) in numbers():
            yield Fault(VALUE, _EMPTY.fill(flag=f"{flag} {after.raw}"), after.span, flag)


def glued(launch: Launch, known: Callable[[], frozenset[str]]) -> Iterator[Fault]:
    """``--lr 1e-4--bf16``: a flag without a blank before it is part of what stands there."""
    own = LAUNCHERS_OWN.get(launch.launcher, frozenset())
    for word in (*launch.launcher_words, *launch.arguments):
        text = word.raw if word.value is None or _QUOTED.match(word.raw) else word.value
        found = _GLUED.match(text) if "--" in text[1:] else None
        number = found is not None and _NUMBER.match(found[1]) is not None
        variable = _VARIABLE_AND_FLAG.match(text) is not None
        if found is not None and (number or variable or plain(found[2]) in known() | own):
            what = _PARTED.fill(word=text, flag=f"--{found[2]}")
            yield Fault(VALUE, what, _last_line(word.span), f"--{found[2]}")


def _last_line(span: Span) -> Span:
    """The end of a word that begins in the assignment of a variable lines above."""
    if span.end_line <= span.line:
        return span
    length = min(span.end_column - 1, span.end - span.start)
    start, column = span.end - length, span.end_column - length
    return Span(span.file, start, span.end, span.end_line, column, span.end_line, span.end_column)


# --- choices --------------------------------------------------------------------------------


def outside_choices(launch: Launch, spec: ParserSpec | None) -> Iterator[Fault]:
    """Values that the script's own parser does not accept (argparse: invalid choice)."""
    if spec is None or spec.origin != "source" or not (spec.complete or spec.lent):
        return
    words = launch.arguments
    for at, word in enumerate(words):
        known = classify(word.value, spec) if word.value is not None else None
        if not isinstance(known, Known) or not known.option.choices:
            continue
        following = words[at + 1] if at + 1 < len(words) else None
        if known.explicit is not None:
            value, place = known.explicit, word.span
        elif following is not None and following.value is not None:
            value, place = following.value, following.literal or following.span
        else:
            continue
        flag = (word.value or "").partition("=")[0]
        if value.startswith("-") or _accepted(value, known.option.choices):
            continue
        listed = ", ".join(known.option.choices[:_MAX_CHOICES])
        script = spec.script.rsplit("/", maxsplit=1)[-1]
        what = _NOT_ONE.fill(flag=flag, value=value, script=script, choices=listed)
        repair = nearest_choice(place, flag, value, known.option.choices)
        yield Fault(VALUE, what, place, flag, repair)


def _accepted(value: str, choices: Sequence[str]) -> bool:
    """As the parser's type would read it: 1 for 1.0, and words in another case are let through,
    as a ``type`` may well change them."""
    return any(_equal(value, c) or value.lower() == c.lower() for c in choices)
