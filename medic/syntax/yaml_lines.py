"""Which line of a YAML file that cannot be parsed is at fault, where the parser stops behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from medic.i18n import Text
from medic.syntax.yaml_quotes import fault_line, read_beyond
from medic.text.patterns import regex

if TYPE_CHECKING:
    import yaml

# A parser stops at the next key at the latest: what it stumbles over stands a few lines before.
# Each line that is tried costs one parse of the file.
_MOST_TRIED = 4
_FAR = 12
_EQUALS = regex(r"([ \t]*(?:- )?[A-Za-z_][\w.-]*) = (\S.*)")
_WIDE = regex("([ \\t]*(?:- )?[\"']?[A-Za-z_][\\w.-]*[\"']?)\uff1a[ \\t]*(\\S.*)?")
_NO_COLON = regex(r"([ \t]*(?:- )?[A-Za-z_]\w*) +(\S+)")
_SAID = {
    "equals": Text("an equals sign stands for the colon", "这里用等号代替了冒号"),
    "wide": Text("a full-width colon parts nothing", "这里用的是全角冒号，不起分隔作用"),
    "colon": Text("the colon behind the key is missing", "键名后面缺少冒号"),
    "bracket": Text("a bracket is opened here and not closed", "这里的方括号没有闭合"),
}


def broken_line(text: str, problem: yaml.YAMLError) -> tuple[int, Text] | None:
    """(line from 1, what is wrong with it) of a line with which mended the file is read further."""
    stop = fault_line(problem)
    lines = text.split("\n")
    for number, mended, kind in _candidates(lines, stop):
        if read_beyond("\n".join((*lines[:number], mended, *lines[number + 1 :])), stop):
            return number + 1, _SAID[kind]
    return None


def _candidates(lines: list[str], stop: int) -> Iterator[tuple[int, str, str]]:
    """(line from 0, the line mended, the fault) of the last lines before the stop that look so."""
    tried = 0
    for number in range(min(stop, len(lines) - 1), -1, -1):
        line, _, note = lines[number].partition(" #")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _mended(line) if stop - number <= _FAR else None
        found = found or _closed(line)
        if found is not None:
            tried += 1
            yield number, f"{found[0]} #{note}" if note else found[0], found[1]
        if tried >= _MOST_TRIED:
            return


def _mended(line: str) -> tuple[str, str] | None:
    for kind, pattern in (("equals", _EQUALS), ("wide", _WIDE), ("colon", _NO_COLON)):
        match = pattern.fullmatch(line.rstrip())
        if match is not None and not (kind == "colon" and ":" in line):
            return f"{match[1]}: {match[2] or ''}", kind
    return None


def _closed(line: str) -> tuple[str, str] | None:
    """A list that is opened behind a key, and holds values in the same line."""
    key, colon, value = line.partition(":")
    opened = value.count("[") - value.count("]")
    inside = value.strip().rstrip(",").strip()
    if not colon or opened != 1 or inside.endswith("[") or not inside.startswith("["):
        return None
    comma = "," if value.rstrip().endswith(",") else ""
    return f"{key}:{value.rstrip().rstrip(',')}]{comma}", "bracket"
