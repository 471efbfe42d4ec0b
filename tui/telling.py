"""A diagnosis as blocks of the transcript."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from medic.i18n import Text, plain
from medic.report.words import CHANCE, SAFE, SIGN, UNSAFE, VERDICT, place

from . import words, words_walk
from .events import Suspect
from .lines import Block, Line, Tone, code, glued, said

if TYPE_CHECKING:
    from medic.diagnosis import CauseView, Diagnosis, EvidenceLine
    from medic.session import Question, Session

    from .offers import Offer

SHOWN_EVIDENCE = 4
QUOTED = 1  # raw lines shown of the evidence: more would push the question off a small screen
SHOWN_NOTES = 3
SHOWN_RULED_OUT = 6
VERDICT_TONES: dict[str, Tone] = {"healthy": "good", "no-fault-seen": "good", "established": "bad"}


# --- evidence -------------------------------------------------------------------------------


def place_of(session: Session, line: EvidenceLine) -> Text | None:
    """file:line and rank, or that the user said so."""
    if line.source.file:
        file = shown_file(session, line.source.file)
        return plain(place(file, line.source.line, line.source.rank))
    told = {*(name for name, _ in session.answers), *session.complaints}
    return words.YOUR_ANSWER if line.name in told else None


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
        result.append(Line(item.text, tone, mark, indent, where=place_of(session, item)))
        raw = item.source.text.strip()
        if raw and raw not in quotes and len(quotes) < quoted:
            quotes.add(raw)
            result.append(Line(plain(raw), "muted", "| ", indent + 2, short=True))
    if len(lines) > shown:
        more = words.EVIDENCE_MORE.fill(n=len(lines) - shown)
        result.append(Line(more, "muted", indent=indent + 2))
    return result


def _distinct(lines: Sequence[EvidenceLine]) -> list[EvidenceLine]:
    """Two findings that say the same of the same line are one to the reader."""
    first: dict[tuple[str, str, int], EvidenceLine] = {}
    for line in lines:
        first.setdefault((line.text.en, line.source.file, line.source.line), line)
    return list(first.values())


# --- the whole answer -----------------------------------------------------------------------


def head(session: Session, found: Diagnosis) -> Block:
    """The verdict and the strongest evidence."""
    lines = [*_verdict(found)]
    if found.causes and found.verdict != "none-of-these":
        told = [e for e in found.unexplained if e.name in session.complaints]
        lines += [Line(words.LEFT_OVER.fill(title=e.text), "warn", "? ", 2) for e in told]
        lines += evidence(session, found.causes[0].evidence, quoted=QUOTED)
    return Block("medic", tuple(lines))


def details(
    session: Session, before: Diagnosis | None, found: Diagnosis, *, whole: bool
) -> list[Block]:
    """Consequences, what should not be done, what was ruled out, what else is wrong."""
    lines: list[Line] = []
    decided = found.next is None and found.verdict in ("likely", "established")
    advice = _advice(session, found) if decided else []
    if whole:
        lines += _group(session, words.CONSEQUENCES, _real_consequences(found))
        lines += [*advice, *ruled_out(session, before, found)]
        lines += _also_wrong(session, found.also_wrong)
        lines += _group(session, words.UNEXPLAINED, found.unexplained)
        told = {(e.name, e.outcome) for c in found.causes[:1] for e in c.evidence}
        notes = [n for n in found.notes if (n.name, n.outcome) not in told]
        lines += _group(session, words.NOTES, notes)
    else:
        lines += [*advice, *ruled_out(session, before, found)]
    return [Block("more", tuple(lines))] if lines else []


def _verdict(found: Diagnosis) -> list[Line]:
    tone = VERDICT_TONES.get(found.verdict, "warn")
    verdict = VERDICT[found.verdict]
    if found.verdict in ("healthy", "no-fault-seen"):
        why = words.HEALTHY if found.verdict == "healthy" else words.NO_FAULT
        return [Line(glued(verdict, Text(".", "。")), tone), Line(why)]
    if not found.causes:
        return [Line(glued(verdict, Text(".", "。")), tone)]
    leader = found.causes[0]
    if found.verdict == "none-of-these":
        nearest = words.NEAREST.fill(title=leader.title, code=leader.code)
        return [Line(glued(verdict, Text(".", "。")), tone), Line(nearest)]
    if found.verdict == "likely" and leader.word not in ("almost-certain", "likely"):
        unclear = words.UNCLEAR.fill(title=leader.title, code=leader.code, word=CHANCE[leader.word])
        return [Line(unclear, tone)]
    name = Text(": {title} ({code})", "：{title}（{code}）").fill(
        title=leader.title, code=leader.code
    )
    return [Line(glued(verdict, name), tone)]


def _real_consequences(found: Diagnosis) -> Sequence[EvidenceLine]:
    """Each consequence once, where it was first seen; what the leader shows itself is none."""
    explained = set(found.causes[0].explains) if found.causes else set()
    first: dict[str, EvidenceLine] = {}
    for line in found.consequences:
        if line.name not in explained:
            first.setdefault(line.name, line)
    return list(first.values())


def _group(session: Session, title: Text, lines: Sequence[EvidenceLine]) -> list[Line]:
    if not lines:
        return []
    return [Line(title, "strong"), *evidence(session, lines, shown=SHOWN_NOTES)]


def _also_wrong(session: Session, causes: Sequence[CauseView]) -> list[Line]:
    if not causes:
        return []
    lines = [Line(words.ALSO_WRONG, "strong")]
    for cause in causes:
        name = Text("{title} ({code})", "{title}（{code}）").fill(
            title=cause.title, code=cause.code
        )
        lines.append(Line(name, "warn", "* ", 2))
        lines += evidence(session, cause.evidence[:1], indent=4)
    return lines


def brief(before: Diagnosis | None, found: Diagnosis) -> Block:
    """What an answer changed, in one line."""
    if not found.causes or before is None or found.verdict == "none-of-these":
        return said(words.NOTED)
    leader = found.causes[0]
    word = CHANCE[leader.word]
    if before.causes and before.causes[0].name != leader.name:
        old = before.causes[0].title
        return said(words.NOW_LEADS.fill(title=leader.title, word=word, before=old), "strong")
    return said(words.STILL.fill(title=leader.title, word=word))


def ruled_out(session: Session, before: Diagnosis | None, found: Diagnosis) -> list[Line]:
    """Causes that were dimmed or came back since ``before``, each with the finding that did it."""
    old = {c.name for c in before.ruled_out} if before else set()
    fresh = [c for c in found.ruled_out if c.name not in old]
    if found.verdict == "none-of-these" and (before is None or before.verdict != found.verdict):
        fresh = list(found.ruled_out)
    back = old - {c.name for c in found.ruled_out}
    lines = _shown_ruled_out(session, fresh)
    lines += [
        Line(words.BACK_AGAIN.fill(title=session.index.title(name)), "plain", "○ ")
        for name in sorted(back)
    ]
    return lines


def _shown_ruled_out(session: Session, causes: Sequence[CauseView]) -> list[Line]:
    lines = [_ruled_out_line(session, c) for c in causes[:SHOWN_RULED_OUT]]
    if len(causes) > SHOWN_RULED_OUT:
        more = words.AND_MORE.fill(n=len(causes) - SHOWN_RULED_OUT, word="/graph")
        lines.append(Line(more, "muted"))
    return lines


def _ruled_out_line(session: Session, cause: CauseView) -> Line:
    by = cause.pruned_by
    if by is None:
        return Line(words.RULED_OUT_PLAIN.fill(title=cause.title), "muted", "× ")
    text = words.RULED_OUT.fill(title=cause.title, finding=by.text)
    return Line(text, "muted", "× ", where=place_of(session, by))


def suspects(found: Diagnosis) -> tuple[Suspect, ...]:
    """The rows of the suspects line, best first."""
    return tuple(Suspect(c.title, c.code, c.word, c.chance) for c in found.causes)


# --- asking and closing ---------------------------------------------------------------------


def question(asked: Question, options: Sequence[tuple[str, Text]]) -> Block:
    """The question, its numbered choices, and how long looking takes."""
    minutes = words.MINUTES.fill(n=f"{asked.minutes:g}")
    hint = Text("({minutes}; {how})", "（{minutes}；{how}）")
    lines = [Line(asked.say, "strong"), *numbered(options)]
    lines.append(Line(hint.fill(minutes=minutes, how=words.HOW_TO_LOOK), "muted"))
    return Block("medic", tuple(lines))


def numbered(options: Sequence[tuple[str, Text]]) -> list[Line]:
    """Choices with the numbers that pick them."""
    return [Line(text, "plain", f"{i}  ", 1) for i, (_, text) in enumerate(options, start=1)]


def closing(session: Session, found: Diagnosis, offers: Sequence[Offer]) -> list[Block]:
    """What was decided and how to go on, when nothing is left to ask."""
    if found.verdict in ("healthy", "no-fault-seen"):
        return [said(words.DESCRIBE)]
    if found.verdict == "none-of-these":
        return [said(words.NONE_HOW)]
    by_hand = not any(o.fix.patch for o in offers if o.against is None)
    decided = words.DECIDED_BY_HAND if by_hand else words.DECIDED
    title = said(decided if found.verdict == "established" else words.BEST_GUESS, "strong")
    first = [block for offer in offers[:1] for block in remedy(session, offer)]
    lines = [titled(offer) for offer in offers[1:]]
    return [title, *first, Block("more", (*lines, Line(words.AFTER_RUN, "muted")))]


def titled(offer: Offer) -> Line:
    """A remedy by its number and title; of another cause than the leading one, with that."""
    safe = SAFE if offer.fix.safe else UNSAFE
    title = Text("{title} ({safe})", "{title}（{safe}）").fill(title=offer.full_title, safe=safe)
    return Line(title, "plain", f"{offer.number}  ", where=words.SHOW_IT.fill(n=offer.number))


def _advice(session: Session, found: Diagnosis) -> list[Line]:
    """What should not be done: the first, and that there is more."""
    advice = do_not(session, found.causes[0].name) if found.causes else []
    if len(advice) > 1:
        return [advice[0], Line(words.MORE_ADVICE.fill(n=len(advice) - 1), "muted", indent=2)]
    return advice


def do_not(session: Session, cause: str) -> list[Line]:
    """Advice that harms, each as a line."""
    entry = session.index.causes[cause]
    return [Line(d.say, "warn", "× ") for d in entry.do_not]


def remedy(session: Session, offer: Offer) -> list[Block]:
    """One remedy with its numbers: what to do, what it costs, what to type."""
    fix, entry = offer.fix, offer.fix.remedy
    title = Text("{title} ({safe})", "{title}（{safe}）")
    safe = SAFE if fix.safe else UNSAFE
    lines = [Line(title.fill(title=entry.title, safe=safe), "strong", f"{offer.number}  ")]
    if fix.filled:
        lines.append(Line(fix.text, indent=3))
    lines += [Line(note, "warn", indent=3) for note in fix.notes]
    if fix.missing:
        names = ", ".join(fix.missing)
        lines.append(Line(words.CANNOT_COMPUTE.fill(names=names), "muted", indent=3))
    lines.append(Line(words.COSTS.fill(say=entry.costs.say), "muted", indent=3))
    if entry.check:
        lines.append(Line(words.WORKED_IF.fill(check=entry.check), "muted", indent=3))
    if fix.patch is not None:
        lines.append(Line(words.SHOW_CHANGE.fill(n=offer.number), "accent", indent=3))
    blocks = [Block("more", tuple(lines))]
    blocks += [code(text) for text in (entry.command, entry.snippet) if text.strip()]
    if entry.procedure:
        blocks += _procedure(session, entry.procedure)
    return blocks


def _procedure(session: Session, name: str) -> list[Block]:
    """The steps in short: each is told in full when it is walked."""
    steps = session.index.procedures[name].steps
    lines = [Line(step.do, "plain", f"{i}) ", 3) for i, step in enumerate(steps, start=1)]
    return [Block("more", (*lines, Line(words_walk.SHOWN_BY.fill(name=name), "accent", indent=3)))]
