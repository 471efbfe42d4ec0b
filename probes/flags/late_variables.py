"""Variables that a command uses before the script sets them, or that only a subshell sets."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate

from medic.facts import Launch, Word
from medic.i18n import Text
from medic.text.patterns import regex

from .fetched import FETCHES
from .given_names import ENVIRONMENT, OF_A_LAUNCH
from .loose_flags import program_in
from .masked import COMMENT
from .script_text import ScriptText
from .slip import Slip
from .slurm import allocation_of, asks_for_gpus

_USE = regex(
    r"^(?:--?[A-Za-z][\w.-]*=|[A-Za-z_][\w.]*=)?[\"']?\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})(?::\d+)?[\"']?$"
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
_LATE_GIVEN = Text(
    "${name} is set only in line {line}, behind this command: here it is what the environment has, or "
    "empty",
    "${name} 在第 {line} 行才赋值，位于此命令之后；此处只有环境里已有的值，否则为空",
)
_INSIDE = Text(
    "${name} is set only in a subshell (line {line}), which takes it along when it ends: here it "
    "is empty",
    "${name} 只在子 shell（第 {line} 行）里赋值，子 shell 结束后就没有了；此处为空",
)
_SHORTEST = 2
_ANY_USE = regex(r"(?<!\\)\$(?:([A-Za-z_]\w*)|\{[#!]?([A-Za-z_]\w*)(?:\}|\[))")
# A default of its own value: X=${X:-8}.
_DEFAULT = regex(r"(?m)(?:^|[\s;])([A-Za-z_]\w*)=[\"']?\$\{\1:?[-=]")
# What every shell has.
_SHELLS = frozenset(
    """
    IFS PS1 OPTARG OPTIND REPLY HOME USER LOGNAME PATH PWD OLDPWD HOSTNAME SHELL UID EUID RANDOM
    SECONDS LINENO PPID TMPDIR LANG TERM
    """.split()  # noqa: SIM905
)
_SPEAKS = regex(r"^\s*(?:echo|printf)\b|\b(?:trap|alias)\b")


class _Lines:
    """The lines of a script that set each name, and where its loops and functions lie."""

    def __init__(self, script: ScriptText) -> None:
        code, text = "\n".join(script.code), script.text
        spoken = (
            line[: hidden.index(COMMENT)]
            if COMMENT in hidden and number not in script.documents
            else line
            for number, (line, hidden) in enumerate(zip(script.lines, script.code, strict=True), 1)
        )
        told = ScriptText(script.file, "\n".join(spoken))  # a comment sets and reads nothing
        own = Counter(_DEFAULT.findall(told.text))
        self.named = told.words - told.uses - told.flag_names - told.handed_on - own
        self.fetches = min((_line_at(script, m) for m in FETCHES.finditer(text)), default=None)
        self.sets = _by_name(_SETS, code)
        self.aside = _by_name(_ASIDE, text)
        ends = _ends(code)
        self._opens, self._closes = (
            sorted(bisect_left(ends, m.end()) + 1 for m in pattern.finditer(code))
            for pattern in (_OPENS, _CLOSES)
        )

    def before_files(self, line: int) -> bool:
        """Whether nothing above has read a file, or a text, that may set any variable."""
        return self.fetches is None or line <= self.fetches

    def depth(self, line: int) -> int:
        """Loops and functions that are open at a line: there it may run once more, or later."""
        return bisect_left(self._opens, line) - bisect_left(self._closes, line)


def _line_at(script: ScriptText, found: re.Match[str]) -> int:
    """The line of a match; what it matches may begin with the end of the line above."""
    return script.text.count("\n", 0, found.end()) + 1


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
    if not (launches or program_in(script) or asks_for_gpus(allocation_of(script))):
        return
    lines = _Lines(script)
    told: set[tuple[str, int]] = set()
    for launch in launches:
        for word in (*launch.launcher_words, *launch.arguments):
            used = _USE.match(word.raw) if word.value is None and word.span.line else None
            name = (used[1] or used[2]) if used else ""
            if len(name) < _SHORTEST or name in _SHELLS or launch.environment.get(name):
                continue
            straight = not lines.depth(word.span.line) and lines.before_files(word.span.line)
            what = _of(lines, name, word.span.line) if straight else None
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
        if not lines.before_files(number):
            return
        for use in _ANY_USE.finditer(line) if not _SPEAKS.search(line) else ():
            name = use[1] or use[2]
            given = ENVIRONMENT.match(name) and name not in OF_A_LAUNCH
            if len(name) < _SHORTEST or name in _SHELLS or given:
                continue
            what = _of(lines, name, number)
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
    kept = rf"\s*(?:export\s+|local\s+)?\w*{name}\w*=[\"']?\$\{{?{name}\}}?[\"']?\s*(?:$|[;#])"
    return re.match(kept, line) is not None


def _is_tested(script: ScriptText, name: str) -> bool:
    """Whether a condition asks for the variable: the caller may have set it."""
    test = r"(?<![\w}])\[|\btest\b|\bcase\b|(?<!\S)-[znv]\s|(?<!\$)\(\("
    pattern = rf"(?:{test}).*\$\{{?{name}\b"
    return any(re.search(pattern, line) for line in script.lines if name in line)


def _of(lines: _Lines, name: str, line: int) -> Text | None:
    sets, aside = lines.sets.get(name, []), lines.aside.get(name, [])
    if lines.named[name] != len(sets) + len(aside):
        return None
    if any(lines.depth(one) for one in sets):
        return None
    if sets and not aside and min(sets) > line:
        text = _LATE_GIVEN if ENVIRONMENT.match(name) else _LATE
        return text.fill(name=name, line=min(sets))
    if aside and not sets and min(aside) < line:
        return _INSIDE.fill(name=name, line=min(aside))
    return None
