"""Lists the units of the handbook: headings, list items, table rows, code blocks, paragraphs.

    python tests/handbook_units.py FOLDER > tests/handbook_units.tsv

Columns: document, line, kind, the unit's first words. Made once from the five documents; a test
then holds knowledge/handbook.yaml to it without them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

WORDS = 60
_HEADING = re.compile(r"^#{1,6}\s+\S|^[一二三四五六七八九十]+、|^案例\s*\d+")
_ITEM = re.compile(r"^\s*(?:[*+-]|•|\d+[.)])\s+\S")
_RULE = re.compile(r"^\s*\|?[\s|:=+-]+\|?\s*$|^\s*[-=*_]{3,}\s*$")
_LANGUAGE = re.compile(r"^\s*(?:python|bash|sql|yaml|json|text|ascii|sh)\s*$")


_PROSE = re.compile(r"[\u4e00-\u9fff\u2022]|- \[")


class Unit(NamedTuple):
    document: str
    line: int
    kind: str
    words: str


def units(file: Path) -> Iterator[Unit]:
    """Units of one document in order. A code block is one unit, whatever its length."""
    fenced = bare = False
    for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
        text = line.strip()
        if text.startswith("```"):
            fenced = not fenced
            if fenced:
                yield Unit(file.stem, number, "code", text.strip("`") or "code")
            continue
        # A block without fences goes on until a line of prose.
        bare = bool(_LANGUAGE.match(line)) or (bare and not _PROSE.match(text))
        if fenced or not text or _RULE.match(line) or (bare and not _LANGUAGE.match(line)):
            continue
        yield Unit(file.stem, number, kind_of(line), text[:WORDS].replace("\t", " "))


def kind_of(line: str) -> str:
    if _HEADING.match(line.strip()):
        return "heading"
    if _LANGUAGE.match(line):
        return "code"
    if line.strip().startswith("|"):
        return "row"
    return "item" if _ITEM.match(line) else "text"


def main(folder: str) -> None:
    out = sys.stdout
    out.write("document\tline\tkind\twords\n")
    for file in sorted(Path(folder).glob("*.txt")):
        for unit in units(file):
            out.write("\t".join(map(str, unit)) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
