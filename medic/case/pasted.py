"""What was pasted or typed, taken apart: its parts are read like files, its prose as a description."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING

from medic.facts import FileKind, GivenFile
from medic.records import replace
from medic.text.patterns import regex

if TYPE_CHECKING:
    from medic.index.knowledge import Index
    from medic.match import Fragment

MAX_PARTS = 64  # of a pasted text that stand alone
PASTED = "<pasted"  # how the names of what was pasted begin
_EITHER = regex(r"(?:[^\n{}\[\]|=]| = (?=[A-Za-z]))+$")


def split_text(
    text: str, of: str = "", index: Index | None = None
) -> tuple[dict[str, str], list[GivenFile]]:
    """Pasted text as parts that probes read like files: log lines, config, commands.

    Prose is no part: it is matched as a description. A part keeps the line numbers of the text,
    which is the content of the file ``of``, if one is named.
    """
    if not text:
        return {}, []
    from medic.match import raised, split_paste

    kinds: dict[str, FileKind] = {
        "log": "log",
        "config": "config",
        "command": "script",
        "source": "python",
    }
    parts: dict[str, str] = {}
    files: list[GivenFile] = []
    fragments = split_paste(text, _printed(text, index))
    if index is not None:
        fragments = [*fragments, *raised(fragments, index)]
    for kind, words, line in (*_few(fragments), *_source(fragments)):
        if kind in kinds:
            number = len(files) + 1 if files else ""
            name = f"{of}<{kind}{number}>" if of else f"{PASTED} {kind}{number}>"
            parts[name] = "\n" * (line - 1) + words
            named = kind == "source"  # what a person shows is the run's
            files.append(GivenFile(name, name, kinds[kind], len(words.encode()), named=named))
    return parts, files


def _source(fragments: Sequence[Fragment]) -> Iterator[tuple[str, str, int]]:
    """What of the prose is a Python program: it stays prose, too, as a person shows it for what it
    says."""
    from medic.match.program import program

    prose = [f for f in fragments if f.kind == "prose"]
    lines = [""] * max((f.line + f.text.count("\n") for f in prose), default=0)
    for fragment in prose:
        told = fragment.text.split("\n")
        lines[fragment.line - 1 : fragment.line - 1 + len(told)] = told
    source = program(lines)
    if source:
        yield "source", source, 1


def pasted_beside(
    text: str, index: Index, names: Container[str]
) -> tuple[dict[str, str], list[GivenFile]]:
    """The same of what was pasted at one time, whose lines count from 1: it is named otherwise than
    what was pasted before, ``names``."""
    parts, files = split_text(evidence(text), index=index)
    called = (
        {name: name.replace(PASTED, f"{PASTED}-{n}", 1) if n > 1 else name for name in parts}
        for n in count(1)
    )
    new = next(one for one in called if not any(name in names for name in one.values()))
    files = [replace(f, path=new[f.name], name=new[f.name]) for f in files]
    return {new[name]: part for name, part in parts.items()}, files


def _few(fragments: list[Fragment]) -> Iterator[Fragment]:
    """The fragments; above MAX_PARTS the later ones of a kind are one, at their own lines.

    Each part starts with the blank lines that stand before it: their cost would be quadratic.
    """
    yield from fragments[:MAX_PARTS]
    rest: dict[str, tuple[Fragment, list[str], int]] = {}  # first, texts, the line after them
    for fragment in fragments[MAX_PARTS:]:
        first, texts, after = rest.get(fragment.kind, (fragment, [], fragment.line))
        texts += ["\n" * (fragment.line - after), fragment.text, "\n"]
        after = fragment.line + fragment.text.count("\n") + 1
        rest[fragment.kind] = first, texts, after
    for first, texts, _ in rest.values():
        yield first._replace(text="".join(texts[:-1]))


def prose_of(text: str, index: Index) -> str:
    """What of a pasted text is a description in words, as far as it is read as words."""
    from medic.match import gist, split_paste

    known = _printed(text, index)
    fragments = split_paste(text, known)
    words = gist("\n".join(words for kind, words, _ in fragments if kind == "prose"))
    words = words if any(map(str.isalnum, words)) else ""  # else a rule between lines
    # One line with a number may be either: unless it is a known message, it is both.
    return words if words or known or not _EITHER.match(text.strip()) else gist(text)


def _printed(text: str, index: Index | None) -> frozenset[int]:
    from medic.match import harmless_lines, printed

    if index is None:
        return frozenset()
    return printed(text, index) | harmless_lines(text, index)


def evidence(text: str) -> str:
    """What was pasted or noted, without what medic itself said of a run."""
    if not text:
        return text
    from medic.match.own_output import without_own

    return without_own(text)
