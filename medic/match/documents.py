"""What entries are found by: their names, titles and phrases, as terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from medic.match.turns import MARK, turns_of
from medic.match.words import normal, terms_of
from medic.records import dataclass
from medic.text.patterns import regex

OUTCOMES = "outcomes"  # the kind of what answers a check
LETTERS = regex(r"[a-z]{5,}")  # words whose spelling is corrected


@dataclass(frozen=True)
class Document:
    """What an entry is found by: its phrases as terms, with what turns the meaning of each, and the
    words in which they are written."""

    kind: str
    name: str
    phrases: tuple[frozenset[str], ...]
    turns: tuple[frozenset[str], ...]  # names of turns, by phrase
    words: tuple[str, ...]
    code: str = ""


def document(kind: str, name: str, text: str, code: str = "") -> Document:
    """A document of a text of one phrase a line."""
    rows = {_row(line) for line in text.split("\n")}
    words = sorted(set(LETTERS.findall(normal(text))))
    return _document(kind, name, sorted(row for row in rows if row[0]), words, code)


_Row = tuple[tuple[str, ...], tuple[str, ...]]  # (terms, turns) of a phrase, sorted


def _row(line: str) -> _Row:
    return tuple(sorted(set(terms_of(line)))), tuple(sorted(turns_of(normal(line))))


def _document(
    kind: str, name: str, rows: Sequence[_Row], words: Sequence[str], code: str
) -> Document:
    phrases = tuple(frozenset(terms) for terms, _ in rows)
    turns = tuple(frozenset(names) for _, names in rows)
    return Document(kind, name, phrases, turns, tuple(words), code)


def written(found: Iterable[Document]) -> dict[str, list[str]]:
    """Documents of one kind as rows by name, for the compiled knowledge: to read them is far
    quicker than to take their texts apart."""
    return {
        one.name: [
            one.code,
            " ".join(one.words),
            "\n".join(
                " ".join([*sorted(p), *(MARK + name for name in sorted(turns))])
                for p, turns in zip(one.phrases, one.turns, strict=True)
            ),
        ]
        for one in found
    }


def read(kind: str, rows: Mapping[str, Sequence[str]]) -> Iterator[Document]:
    """The documents that ``written`` wrote."""
    for name, (code, words, phrases) in rows.items():
        parts = [p.split(" ") for p in phrases.split("\n") if p]
        read_rows = [
            (
                tuple(t for t in part if not t.startswith(MARK)),
                tuple(t.removeprefix(MARK) for t in part if t.startswith(MARK)),
            )
            for part in parts
        ]
        yield _document(kind, name, read_rows, words.split(), code)


def documents(raw: Mapping[str, Mapping[str, Any]], kinds: Iterable[str]) -> Iterator[Document]:
    """Documents of the compiled knowledge: names, titles and phrases in both languages."""
    for kind in kinds:
        for name, entry in raw.get(kind, {}).items():
            parts = [name.replace("-", " "), *entry.get("title", {}).values()]
            said = entry.get("telltale", entry).get("phrases", {})
            parts += [phrase for phrases in said.values() for phrase in phrases]
            parts += entry.get("says", ())
            yield document(kind, name, "\n".join(parts), entry.get("code", ""))


def spoken_outcomes(raw: Mapping[str, Mapping[str, Any]]) -> Iterator[Document]:
    """Documents of what a person may say that answers a check, named "check=outcome"."""
    for name, check in raw["checks"].items():
        for outcome, entry in check["outcomes"].items():
            if said := entry.get("phrases"):
                yield _spoken(f"{name}={outcome}", said)


def _spoken(name: str, said: Mapping[str, Sequence[str]]) -> Document:
    return document(OUTCOMES, name, "\n".join(p for phrases in said.values() for p in phrases))
