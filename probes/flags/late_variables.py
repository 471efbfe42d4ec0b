"""Variables that a command uses before the script sets them, or that only a subshell sets."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from medic.facts import Launch, Word
from medic.i18n import Text
from medic.text.patterns import regex

from .given_names import ENVIRONMENT
from .script_text import ScriptText
from .slip import Slip

_USE = regex(
    r"^(?:--?[A-Za-z][\w.-]*=|[A-Za-z_][\w.]*=)?[\"']?\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})(?::\d+)?[\"']?$"
)
# What may set any variable; not the environment of Python that a script turns on.
_FETCHES = regex(
    r"(?m)^\s*(?:(?:source|\.)\s+(?!\S*(?:activate|conda|bashrc|profile|venv|modules?)\b)|eval\s|set\s+-a)"
)
_OPENS = regex(r"(?:^|[\s;])(?:do|function)(?=[\s;]|$)|\(\)\s*\{")
_CLOSES = regex(r"(?m)(?:^|[\s;])done(?=[\s;&|)]|$)|^\s*\}")
_SETS = regex(
    r"(?m)^[ \t]*(?:(?:export|readonly|declare|local|typeset)[ \t]+(?:-\w+[ \t]+)*)?([A-Za-z_]\w*)\+?="
)
_ASIDE = regex(
    r"(?m)^[ \t]*\([ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)=[^()\n]*\)[ \t]*(?:#.*)?$|"
    r"\|[ \t]*read[ \t]+(?:-\w+[ \t]+)*([A-Za-z_]\w*)"
)
_LATE = Text(
    "${name} is set only in line {line}, behind this command: here it is empty",
    "${name} 在第 {line} 行才赋值，位于此命令之后；此处为空",
)
_INSIDE = Text(
    "${name} is set only in a subshell (line {line}), which takes it along when it ends: here it "
    "is empty",
    "${name} 只在子 shell（第 {line} 行）里赋值，子 shell 结束后就没有了；此处为空",
)
_SHORTEST = 2
_ANY_USE = regex(r"(?<!\\)\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})")
_SHELLS = frozenset(("IFS", "PS1", "OPTARG", "OPTIND", "REPLY"))
_SPEAKS = regex(r"^\s*(?:echo|printf)\b|\b(?:trap|alias)\b")


class _Lines:
    """The lines of a script that set each name, and where its loops and functions lie."""

    def __init__(self, script: ScriptText) -> None:
        code, text = "\n".join(script.code), script.text
        self.sets = _by_name(_SETS, code)
        self.aside = _by_name(_ASIDE, text)
        ends = _ends(code)
        self._opens, self._closes = (
            sorted(bisect_left(ends, m.end()) + 1 for m in pattern.finditer(code))
            for pattern in (_OPENS, _CLOSES)
        )

    def depth(self, line: int) -> int:
        """Loops and functions that are open at a line: there it may run once more, or later."""
        return bisect_left(self._opens, line) - bisect_left(self._closes, line)


def _ends(text: str) -> list[int]:
    """The place of each line's end."""
    return list(accumulate(len(line) + 1 for line in text.split("\n")))


def _by_name(pattern: re.Pattern[str], text: str) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    ends = _ends(text)
    for m in pattern.finditer(text):
        name = next(group for group in m.groups() if group)
        found.setdefault(name, []).append(bisect_right(ends, m.start()) + 1)
    return found


def late_variables(script: ScriptText, launches: Sequence[Launch]) -> Iterator[Slip]:
    """Only of scripts that run straight down; a name that stands anywhere else is left alone."""
    if not launches or _FETCHES.search(script.text):
        return
    lines = _Lines(script)
    told: set[tuple[str, int]] = set()
    for launch in launches:
        for word in (*launch.launcher_words, *launch.arguments):
            used = _USE.match(word.raw) if word.value is None and word.span.line else None
            name = (used[1] or used[2]) if used else ""
            if len(name) < _SHORTEST or launch.environment.get(name):
                continue
            straight = not lines.depth(word.span.line)
            what = _of(script, lines, name, word.span.line) if straight else None
            if what is not None:
                told.add((name, _line_of(script, word, name)))
                yield Slip(what, word.span)
    yield from (
        slip for name, slip in _in_text(script, lines) if (name, slip.span.line) not in told
    )


def _line_of(script: ScriptText, word: Word, name: str) -> int:
    """The line of a word that names the variable; the word may come from a text of several lines."""
    span = word.span
    here = (n for n in range(span.line, span.end_line + 1) if f"${name}" in script.line_text(n))
    return next(here, span.line)


def _in_text(script: ScriptText, lines: _Lines) -> Iterator[tuple[str, Slip]]:
    """Uses within a word, and in what another variable is set to."""
    tested: dict[str, bool] = {}  # by name: a script may have thousands of uses
    for number, line in enumerate(script.lines, 1):
        if "$" not in line or number in script.documents or lines.depth(number):
            continue
        for use in _ANY_USE.finditer(line) if not _SPEAKS.search(line) else ():
            name = use[1] or use[2]
            if len(name) < _SHORTEST or name in _SHELLS or ENVIRONMENT.match(name):
                continue
            what = _of(script, lines, name, number)
            if what is None or _is_kept(line, name):
                continue
            if name not in tested:
                tested[name] = _is_tested(script, name)
            if tested[name]:
                continue
            if script.quote_at(number, use.start() + 1) in ("", '"'):
                yield name, Slip(what, script.between(number, use.span()))


def _is_kept(line: str, name: str) -> bool:
    """Whether a line keeps the variable under a name made of its own: OLD_IFS=$IFS."""
    return re.match(rf"\s*(?:export\s+|local\s+)?\w*{name}\w*=", line) is not None


def _is_tested(script: ScriptText, name: str) -> bool:
    """Whether a condition asks for the variable: the caller may have set it."""
    pattern = rf"(?:\[|\btest\b|\bcase\b|-[znv]\s|\(\().*\$\{{?{name}\b"
    return any(re.search(pattern, line) for line in script.lines if name in line)


def _of(script: ScriptText, lines: _Lines, name: str, line: int) -> Text | None:
    sets, aside = lines.sets.get(name, []), lines.aside.get(name, [])
    written = script.uses[name] + script.flag_names[name] + len(sets) + len(aside)
    if script.words[name] != written:
        return None
    if any(lines.depth(one) for one in sets):
        return None
    if sets and not aside and min(sets) > line:
        return _LATE.fill(name=name, line=min(sets))
    if aside and not sets and min(aside) < line:
        return _INSIDE.fill(name=name, line=min(aside))
    return None
