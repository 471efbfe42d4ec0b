"""Findings as lines: what was seen, where, and the line of the log itself."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from medic.entries.words import TELLTALE
from medic.i18n import Text, plain
from medic.report.words import SIGN, placed
from medic.text.safetext import columns, one_line

from . import words
from .lines import Line, Tone, joined

if TYPE_CHECKING:
    from medic.session.consultation import Session
    from medic.session.diagnosis import EvidenceLine

SHOWN_EVIDENCE = 4
LEAST_QUESTION = 16
SHORT = 60  # columns of a finding that is told in passing
LONG = 140
TELLING = 60  # columns


def place_of(session: Session, line: EvidenceLine) -> Text | None:
    """file:line and rank, or that the user said so."""
    if line.source.file:
        file = shown_file(session, line.source.file)
        return placed(file, line.source.line, line.source.rank)
    told = {*(name for name, _ in session.answers), *session.complaints}
    return words.YOUR_ANSWER if line.name in told else None


def finding(session: Session, item: EvidenceLine, size: int = 0) -> Text:
    """What was found, in at most ``size`` columns (0: whole)."""
    return with_question(session, item.name, item.outcome, item.text, size)


def with_question(session: Session, name: str, outcome: str, text: Text, size: int = 0) -> Text:
    """An outcome that has no sentence of its own says little without its question; where both are
    too long, the question is cut, or left out where the outcome tells enough."""
    if name == TELLTALE:
        return words.TELLTALE
    check = session.index.checks.get(name)
    if check is None or outcome not in check.outcomes or check.outcomes[outcome].seen:
        return short(text, size) if size else text
    if size and _tells_enough(text) and not _both_fit(check.title, text, size):
        return short(text, size)
    title = check.title
    if size:
        title = Text(_room(title.en, text.en, size), _room(title.zh, text.zh, size))
    whole = joined([title, text], ": ", "：")
    return short(whole, size) if size else whole


def _both_fit(title: Text, text: Text, size: int) -> bool:
    pairs = ((title.en, text.en), (title.zh, text.zh))
    return all(columns(a) + columns(b) + 2 <= size for a, b in pairs)


def _tells_enough(text: Text) -> bool:
    """Whether an outcome is a sentence that is understood without a question cut short."""
    return columns(text.en) >= TELLING


def _room(title: str, text: str, size: int) -> str:
    return one_line(title, max(LEAST_QUESTION, size - columns(text) - 2))


def shown_file(session: Session, file: str) -> str:
    """A file below a folder that was given in full without that folder: the header names it."""
    root = session.case.root
    if root.startswith("/"):
        inside = os.path.relpath(file, root)
        return file if inside.startswith("..") else inside
    return file


def evidence(
    session: Session,
    lines: Sequence[EvidenceLine],
    *,
    shown: int = SHOWN_EVIDENCE,
    quoted: int = 0,
    indent: int = 2,
) -> list[Line]:
    """Findings with their places; the first ``quoted`` ones with the line of the log itself."""
    lines = _distinct(lines)
    result: list[Line] = []
    quotes: set[str] = set()
    for item in lines[:shown]:
        mark = f"{SIGN.get(item.weight, '·')} "
        tone: Tone = "muted" if mark == "- " else "plain"
        text = finding(session, item, LONG)
        result.append(Line(text, tone, mark, indent, where=place_of(session, item)))
        raw = item.source.text.strip()
        if raw and raw not in text.en and raw not in quotes and len(quotes) < quoted:
            quotes.add(raw)
            result.append(Line(plain(raw), "muted", "| ", indent + 2, short=True))
    if len(lines) > shown:
        more = words.EVIDENCE_MORE.fill(n=len(lines) - shown)
        result.append(Line(more, "muted", indent=indent + 2))
    return result


def _distinct(lines: Sequence[EvidenceLine]) -> list[EvidenceLine]:
    """Two findings of one file are one to the reader if they say the same, or if one says of a
    line what another says of it in more words."""
    kept: list[EvidenceLine] = []
    for line in lines:
        if not any(_tells(one, line) for one in kept):
            kept.append(line)
    return kept


def _tells(one: EvidenceLine, other: EvidenceLine) -> bool:
    """Whether a finding makes another one superfluous."""
    a, b = one.source, other.source
    same_line = a.file == b.file and a.line == b.line > 0
    known = a.rank == b.rank or (same_line and None in (a.rank, b.rank))
    if a.file != b.file or not known:
        return False
    if one.text.en == other.text.en:
        return True
    return a.line == b.line and other.text.en.lower() in one.text.en.lower()


def short(text: Text, size: int = SHORT) -> Text:
    """A finding in at most ``size`` columns: a quoted message may be long."""
    return Text(one_line(text.en, size), one_line(text.zh, size))
