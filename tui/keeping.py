"""What was said as plain data: blocks, and how a consultation stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from medic.i18n import Text, current, detect

from . import words_keep
from .lines import Block, Line, said

if TYPE_CHECKING:
    from medic.session.consultation import Session
    from medic.session.diagnosis import CauseView, Diagnosis

    from .consultation import Consultation

MAX_MOVES = 30  # that a resumed session can take back; each holds all that was said before it
MAX_TOLD_AGAIN = 150  # blocks that a resumed consultation shows


def record_of(block: Block) -> dict[str, Any]:
    """A block as JSON takes it; what is as usual is left out."""
    record: dict[str, Any] = {"who": block.who, "lines": [_line(line) for line in block.lines]}
    return record | ({"code": block.code} if block.code else {})


def _line(line: Line) -> dict[str, Any]:
    data: dict[str, Any] = {"text": _text(line.text)}
    if line.tone != "plain":
        data["tone"] = line.tone
    if line.mark:
        data["mark"] = line.mark
    if line.indent:
        data["indent"] = line.indent
    if line.marked != (0, 0):
        data["marked"] = list(line.marked)
    for name in ("where", "aside"):
        value = getattr(line, name)
        if value is not None:
            data[name] = _text(value)
    return data | {name: True for name in ("verbatim", "short") if getattr(line, name)}


def _text(text: Text) -> list[str] | str:
    return text.en if text.en == text.zh else [text.en, text.zh]


def block_of(record: Mapping[str, Any]) -> Block | None:
    """The block of a record; None for one that cannot be read."""
    try:
        lines = tuple(_line_of(data) for data in record["lines"])
        return Block(record["who"], lines, record.get("code", ""))
    except (KeyError, TypeError, ValueError):
        return None


def _line_of(data: Mapping[str, Any]) -> Line:
    more: dict[str, Any] = {n: _text_of(data[n]) for n in ("where", "aside") if n in data}
    if "marked" in data:
        start, end = data["marked"]
        more["marked"] = (int(start), int(end))
    usual = ("tone", "mark", "indent", "verbatim", "short")
    kept = {name: data[name] for name in usual if name in data}
    return Line(_text_of(data["text"]), **more, **kept)


def _text_of(value: Any) -> Text:
    en, zh = (value, value) if isinstance(value, str) else value
    return Text(str(en), str(zh))


def write(talk: Consultation) -> None:
    """Something is said: from here on the session is kept; one that is open elsewhere is copied."""
    if talk.diary.open():
        told = words_keep.COPY_BEGUN.fill(id=talk.diary.id, of=talk.diary.copies)
        talk.emit_only(said(told, "strong"))
        # A copy can be taken up from here on; what is being said is no part of it yet.
        taking, talk.diary.taking = talk.diary.taking, 0
        talk.keep()
        talk.diary.taking = taking


def state_of(talk: Consultation) -> dict[str, Any]:
    """What a consultation wants to find again, and how the case stands for ``medic show``."""
    from .handover import handover

    found = talk.found
    leader = found.causes[0] if found and found.causes else None
    if found is not None and not talk.session.evidence.cancelled:
        # A look that was stopped, or quit in the middle of, is no verdict.
        talk.kept |= {
            "verdict": found.verdict,
            "leader": _leader(talk.session, found, leader) if leader else None,
            "stand": [record_of(block) for block in handover(talk.session, found)],
        }
    return talk.kept | {
        "moves": [[[m.what.en, m.what.zh], m.before, m.change] for m in talk.moves[-MAX_MOVES:]],
        "stood": asdict(talk.stood) if talk.stood else None,
        "waiting": talk.waiting.change if talk.waiting else "",
        "demo": talk.demo,
        "numbers": list(talk.numbers),
        "mended": list(_mended(talk.session)),
        "taken": talk.diary.taking,
        # That of the last words, where the system would have another.
        "lang": current() if current() != detect() else "",
    }


def _mended(session: Session) -> Iterator[list[str]]:
    """The faults that were mended, by titles and code, the last one first."""
    from . import earlier

    for one in reversed(earlier.fixed(session)):
        title, code = earlier.titled(session, one)
        yield [title.en, title.zh, code]


def _leader(session: Session, found: Diagnosis, leader: CauseView) -> dict[str, Any]:
    """The first cause; ``wrong``: what is said in place of a chance where nothing failed."""
    from .telling import wrong_word

    return {
        "code": leader.code,
        "title": [leader.title.en, leader.title.zh],
        "word": leader.word,
        "chance": leader.chance,
        "wrong": wrong_word(session, found),
    }


def told_before(name: str) -> Iterator[Block]:
    """The last blocks of a kept talk."""
    from medic.session.saved import talk_of

    blocks = [b for b in map(block_of, talk_of(name)) if b is not None]
    yield from blocks[-MAX_TOLD_AGAIN:]
