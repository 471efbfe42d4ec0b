"""A diagnosis as blocks of the transcript."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from medic.i18n import Text, plain
from medic.report.words import CHANCE, SIGN, VERDICT, place
from medic.safetext import one_line

from . import words
from .events import Suspect
from .lines import Block, Line, Tone, glued, joined, said
from .remedies import advice_of

if TYPE_CHECKING:
    from medic.diagnosis import CauseView, Diagnosis, EvidenceLine
    from medic.session import Question, Session

SHOWN_EVIDENCE = 4
QUOTED = 1  # raw lines shown of the evidence: more would push the question off a small screen
SHOWN_NOTES = 3
SHOWN_RULED_OUT = 3
SHOWN_TITLES = 2
SHORT = 60  # columns of a finding that is told in passing
LONG = 140
SAME_CHANCE = 0.02
VERDICT_TONES: dict[str, Tone] = {"healthy": "good", "no-fault-seen": "good", "established": "bad"}


# --- evidence -------------------------------------------------------------------------------


def place_of(session: Session, line: EvidenceLine) -> Text | None:
    """file:line and rank, or that the user said so."""
    if line.source.file:
        file = shown_file(session, line.source.file)
        return plain(place(file, line.source.line, line.source.rank))
    told = {*(name for name, _ in session.answers), *session.complaints}
    return words.YOUR_ANSWER if line.name in told else None


def finding(session: Session, item: EvidenceLine) -> Text:
    """What was found."""
    return with_question(session, item.name, item.outcome, item.text)


def with_question(session: Session, name: str, outcome: str, text: Text) -> Text:
    """An outcome that has no sentence of its own says little without its question."""
    check = session.index.checks.get(name)
    if check is None or outcome not in check.outcomes or check.outcomes[outcome].seen:
        return text
    return joined([check.title, text], ": ", "：")


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
        text = short(finding(session, item), LONG)
        result.append(Line(text, tone, mark, indent, where=place_of(session, item)))
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
    lines = [*_verdict(session, found)]
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
    advice = advice_of(session, found) if decided else []
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


def _verdict(session: Session, found: Diagnosis) -> list[Line]:
    tone = VERDICT_TONES.get(found.verdict, "warn")
    verdict = VERDICT[found.verdict]
    if session.evidence.cancelled and found.verdict in ("healthy", "no-fault-seen"):
        return [Line(words.NOT_READ_TO_THE_END, "warn")]
    if found.verdict in ("healthy", "no-fault-seen"):
        why = words.HEALTHY if found.verdict == "healthy" else words.NO_FAULT
        return [Line(glued(verdict, Text(".", "。")), tone), Line(why)]
    if not found.causes:
        return [Line(glued(verdict, Text(".", "。")), tone)]
    leader = found.causes[0]
    if found.verdict == "none-of-these":
        nearest = words.NEAREST.fill(title=leader.title, code=leader.code)
        return [Line(glued(verdict, Text(".", "。")), tone), Line(nearest)]
    if found.verdict == "likely" and not (found.symptoms or session.told.words):
        wrong = words.ONLY_WRONG.fill(title=leader.title, code=leader.code)
        return [Line(wrong, tone)]
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
    """Causes by the finding that ruled them out: one line each finding."""
    groups: dict[tuple[str, str], list[CauseView]] = {}
    for cause in causes:
        by = cause.pruned_by
        groups.setdefault((by.name, by.outcome) if by else ("", ""), []).append(cause)
    lines = []
    for group in list(groups.values())[:SHOWN_RULED_OUT]:
        titles = joined([c.title for c in group[:SHOWN_TITLES]], "; ", "；")
        if len(group) > SHOWN_TITLES:
            titles = words.AND_N.fill(titles=titles, n=len(group) - SHOWN_TITLES)
        by = group[0].pruned_by
        if by is None:
            lines.append(Line(words.RULED_OUT_PLAIN.fill(title=titles), "muted", "× "))
        else:
            text = words.RULED_OUT.fill(title=titles, finding=short(finding(session, by)))
            lines.append(Line(text, "muted", "× ", where=place_of(session, by)))
    left = sum(len(g) for g in list(groups.values())[SHOWN_RULED_OUT:])
    if left:
        lines.append(Line(words.AND_MORE.fill(n=left, word="/graph"), "muted"))
    return lines


def short(text: Text, size: int = SHORT) -> Text:
    """A finding in at most ``size`` columns: a quoted message may be long."""
    return Text(one_line(text.en, size), one_line(text.zh, size))


def suspects(found: Diagnosis, before: Diagnosis | None = None) -> tuple[Suspect, ...]:
    """The rows of the suspects line, best first, and how each stands against ``before``."""
    old = {c.name: c.chance for c in before.causes} if before else {}
    return tuple(
        Suspect(c.title, c.code, c.word, c.chance, _trend(c, old) if before else 0)
        for c in found.causes
    )


def _trend(cause: CauseView, old: Mapping[str, float]) -> int:
    """1 if it has gained, -1 if it has lost, 0 if it is much as before."""
    was = old.get(cause.name, 0.0)
    if abs(cause.chance - was) < SAME_CHANCE:
        return 0
    return 1 if cause.chance > was else -1


# --- asking and closing ---------------------------------------------------------------------


def question(session: Session, asked: Question, options: Sequence[tuple[str, Text]]) -> Block:
    """The question, its numbered choices with who would lead then, and how long looking takes."""
    minutes = words.MINUTES.fill(n=f"{asked.minutes:g}")
    hint = Text("({minutes}; {how}, f3 why it is asked)", "（{minutes}；{how}，f3 为什么问）")
    lines = [Line(asked.say, "strong")]
    then = {f.outcome: f.leader for f in asked.look.flips}
    if len(set(then.values())) == 1:
        then = {}
    causes = session.index.causes
    for number, (value, text) in enumerate(options, start=1):
        leader = causes.get(then.get(value, ""))
        aside = words.THEN.fill(title=leader.title) if leader else None
        lines.append(Line(text, "plain", f"{number}  ", 1, aside=aside))
    lines.append(Line(hint.fill(minutes=minutes, how=words.HOW_TO_LOOK), "muted"))
    return Block("medic", tuple(lines))


def numbered(options: Sequence[tuple[str, Text]]) -> list[Line]:
    """Choices with the numbers that pick them."""
    return [Line(text, "plain", f"{i}  ", 1) for i, (_, text) in enumerate(options, start=1)]
