"""Variables that a command uses before the script sets them, or that only a subshell sets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from medic.facts import Launch
from medic.i18n import Text
from medic.patterns import regex

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
_SETS = r"(?m)^[ \t]*(?:(?:export|readonly|declare|local|typeset)[ \t]+(?:-\w+[ \t]+)*)?{name}\+?="
_ASIDE = (
    r"(?m)^[ \t]*\([ \t]*(?:export[ \t]+)?{name}=[^()\n]*\)[ \t]*(?:#.*)?$|"
    r"\|[ \t]*read[ \t]+(?:-\w+[ \t]+)*{name}\b"
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


def late_variables(script: ScriptText, launches: Sequence[Launch]) -> Iterator[Slip]:
    """Only of scripts that run straight down; a name that stands anywhere else is left alone."""
    code = "\n".join(script.code)
    if _FETCHES.search(script.text):
        return
    for launch in launches:
        for word in (*launch.launcher_words, *launch.arguments):
            used = _USE.match(word.raw) if word.value is None and word.span.line else None
            name = (used[1] or used[2]) if used else ""
            if len(name) < _SHORTEST or launch.environment.get(name):
                continue
            straight = not _depth(script, word.span.line)
            what = _of(script, code, name, word.span.line) if straight else None
            if what is not None:
                yield Slip(what, word.span)


def _depth(script: ScriptText, line: int) -> int:
    """Loops and functions that are open at a line: there it may run once more, or later."""
    before = "\n".join(script.code[: line - 1])
    return len(_OPENS.findall(before)) - len(_CLOSES.findall(before))


def _of(script: ScriptText, code: str, name: str, line: int) -> Text | None:
    sets = [
        code.count("\n", 0, m.start()) + 1 for m in re.finditer(_SETS.replace("{name}", name), code)
    ]
    aside = [
        code.count("\n", 0, m.start()) + 1
        for m in re.finditer(_ASIDE.replace("{name}", name), script.text)
    ]
    uses = len(re.findall(rf"\$(?:{name}\b|\{{{name}\}})", script.text))
    if len(re.findall(rf"\b{name}\b", script.text)) != uses + len(sets) + len(aside):
        return None
    if any(_depth(script, one) for one in sets):
        return None
    if sets and not aside and min(sets) > line:
        return _LATE.fill(name=name, line=min(sets))
    if aside and not sets and min(aside) < line:
        return _INSIDE.fill(name=name, line=min(aside))
    return None
