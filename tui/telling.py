"""A diagnosis as blocks of the transcript."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from medic.facts import LogHits
from medic.i18n import Text
from medic.planner.objective import unread
from medic.planner.standing import BAR
from medic.planner.verdict import NOTHING_NAMED
from medic.report.words import CHANCE, FOLLOWS, NOT_WHOLE, UNKNOWN_EXCEPTION, VERDICT, placed
from medic.session.unlike import rate_set_otherwise

from . import words
from .events import OPEN, WRONG, WRONG_SET, Suspect
from .lines import Block, Line, Tone, asking, glued, joined, said
from .remedies import advice_of
from .ruled_out import ruled_out
from .seen import evidence, shown_file

if TYPE_CHECKING:
    from medic.planner.questions import Question
    from medic.session.consultation import Session
    from medic.session.diagnosis import CauseView, Diagnosis, EvidenceLine

QUOTED = 1  # raw lines shown of the evidence: more would push the question off a small screen
SHOWN_NOTES = 3
MANY_UNKNOWN = 3  # questions that nobody could answer: it may be time for somebody else
SAME_CHANCE = 0.02
VERDICT_TONES: dict[str, Tone] = {"healthy": "good", "no-fault-seen": "good", "established": "bad"}


# --- the whole answer -----------------------------------------------------------------------


def head(session: Session, found: Diagnosis) -> Block:
    """The verdict and the strongest evidence."""
    lines = [*_verdict(session, found)]
    if found.causes and found.verdict != "none-of-these":
        told = [e for e in found.unexplained if e.name in session.complaints]
        lines += [Line(words.LEFT_OVER.fill(title=e.text), "warn", "? ", 2) for e in told]
        lines += evidence(session, found.causes[0].evidence, quoted=QUOTED)
        if not session.case.files:
            lines.append(Line(words.FROM_WORDS, "muted"))
    return Block("medic", tuple(lines))


def asks(found: Diagnosis) -> bool:
    """Whether a question is worth asking."""
    return found.next is not None and found.verdict in ("likely", "unclear", "established")


def details(
    session: Session, before: Diagnosis | None, found: Diagnosis, *, whole: bool
) -> list[Block]:
    """Consequences, what should not be done, what was ruled out, what else is wrong. While a
    question is open, what does not bear on it waits: the verdict stays in sight of it."""
    decided = found.next is None and found.verdict in ("likely", "established")
    asked = before is not None and asks(before)
    rest = not asks(found) and (whole or asked)
    lines: list[Line] = []
    if rest:
        lines += _group(session, words.CONSEQUENCES, _real_consequences(found))
    lines += [*(advice_of(session, found) if decided else []), *ruled_out(session, before, found)]
    if rest:
        told = {(e.name, e.outcome) for c in found.causes[:1] for e in c.evidence}
        notes = [n for n in found.notes if (n.name, n.outcome) not in told]
        lines += _group(session, words.NOTES, notes)
    blocks = [Block("more", tuple(lines))] if lines else []
    other = beside(session, found) if whole else None
    return [*blocks, other] if other else blocks


def beside(session: Session, found: Diagnosis) -> Block | None:
    """What else is wrong, and what the leader does not explain."""
    lines = _also_wrong(session, found.also_wrong)
    lines += _group(session, words.UNEXPLAINED, found.unexplained)
    if not lines:
        return None
    n = len(found.also_wrong) + len(found.unexplained)
    stub = Line((words.ONE_BESIDE if n == 1 else words.BESIDE).fill(n=n), "muted", "* ", 2)
    return Block("more", tuple(lines), stub=stub)


def _verdict(session: Session, found: Diagnosis) -> list[Line]:
    tone = VERDICT_TONES.get(found.verdict, "warn")
    verdict = VERDICT[found.verdict]
    if session.evidence.cancelled and found.verdict in NOTHING_NAMED:
        return [Line(words.NOT_READ_TO_THE_END, "warn")]
    if found.verdict in NOTHING_NAMED:
        why = {"healthy": words.HEALTHY, "no-fault-seen": words.NO_FAULT}.get(
            found.verdict, NOT_WHOLE
        )
        lacks = unread(session.evidence) if found.verdict == "no-fault-seen" else None
        told = [Line(why), *([Line(lacks)] if lacks is not None else [])]
        return [Line(glued(verdict, Text(".", "。")), tone), *told, *_passed_over(session)]
    if not found.causes:
        unknown = found.verdict == "none-of-these" and bool(found.symptoms)
        told = []
        if unknown and session.observed_symptoms():
            told = [Line(UNKNOWN_EXCEPTION), *evidence(session, found.symptoms, quoted=QUOTED)]
        if found.verdict == "unclear":
            told = [Line(FOLLOWS), *evidence(session, found.consequences, quoted=QUOTED)]
        return [Line(glued(verdict, Text(".", "。")), tone), *told]
    leader = found.causes[0]
    if found.verdict == "none-of-these":
        nearest = words.NEAREST.fill(title=leader.title, code=leader.code)
        return [Line(glued(verdict, Text(".", "。")), tone), Line(nearest)]
    if only_wrong(session, found):
        wrong = words.ONLY_WRONG.fill(title=leader.title, code=leader.code)
        return [Line(wrong, tone)]
    if found.verdict == "unclear" or (
        found.verdict == "likely" and leader.word not in ("almost-certain", "likely")
    ):
        many = leader.word in ("unlikely", "ruled-out")
        pattern = words.UNCLEAR_MANY if many else words.UNCLEAR
        unclear = pattern.fill(title=leader.title, code=leader.code, word=CHANCE[leader.word])
        return [Line(unclear, tone)]
    name = Text(": {title} ({code})", "：{title}（{code}）").fill(
        title=leader.title, code=leader.code
    )
    rates = rate_set_otherwise(session, found)
    return [Line(glued(verdict, name), tone), *([Line(rates, "warn")] if rates else [])]


def _passed_over(session: Session) -> list[Line]:
    """The first error after which the run went on, which is no fault: who looks at the log sees it,
    too."""
    logs = session.evidence.fact(LogHits)
    every = logs.hits if logs is not None else ()
    hit = next((h for h in every if h.role == "root" and h.benign == "handled"), None)
    if hit is None or not hit.symptom:
        return []
    title = words.PASSED_OVER.fill(title=session.index.title(hit.symptom))
    file = shown_file(session, hit.source.file)
    return [Line(title, "muted", where=placed(file, hit.source.line, hit.source.rank))]


def only_wrong(session: Session, found: Diagnosis) -> bool:
    """Whether nothing failed or was complained of: what is wrong is the cause of nothing yet."""
    return found.verdict == "likely" and not (found.symptoms or session.told.words)


def wrong_word(session: Session, found: Diagnosis) -> str:
    """What the suspects line says in place of a chance where something is only wrong; else nothing."""
    if not only_wrong(session, found):
        return ""
    return WRONG_SET if session.index.causes[found.causes[0].name].lint else WRONG


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
    leader, old = found.causes[0], next(iter(before.causes), None)
    word = CHANCE[leader.word]
    if old is not None and old.name != leader.name:
        return said(words.NOW_LEADS.fill(title=leader.title, word=word, before=old.title), "strong")
    if leader.word in ("unlikely", "ruled-out"):
        return said(words.STILL_OPEN.fill(title=leader.title))
    if old is None or old.word == leader.word:
        return said(words.STILL.fill(title=leader.title, word=word))
    moved = words.SURER if leader.chance > old.chance else words.LESS_SURE
    return said(moved.fill(title=leader.title, word=word, before=CHANCE[old.word]), "strong")


def suspects(
    found: Diagnosis, before: Diagnosis | None = None, *, wrong: str = ""
) -> tuple[Suspect, ...]:
    """The rows of the suspects line, best first, and how each stands against ``before``.
    ``wrong``: only the first with this word, which is wrong and the cause of no failure."""
    if wrong:
        first = found.causes[:1]
        return tuple(Suspect(c.title, c.code, wrong, c.chance) for c in first)
    old = {c.name: c.chance for c in before.causes} if before else {}
    leader = next(iter(found.causes), None)
    # "Unlikely" of what comes first would read as if it were ruled out.
    is_open = leader is not None and leader.word in ("unlikely", "ruled-out")
    rows = []
    for cause in found.causes:
        word, chance = OPEN if is_open else cause.word, cause.chance
        if cause is leader and found.verdict == "established":
            # What is established is the remedy, which several causes may share.
            word, chance = "almost-certain", max(chance, BAR)
        trend = _trend(cause, old) if before else 0
        rows.append(Suspect(cause.title, cause.code, word, chance, trend))
    return tuple(rows)


def _trend(cause: CauseView, old: Mapping[str, float]) -> int:
    """1 if it has gained, -1 if it has lost, 0 if it is much as before."""
    was = old.get(cause.name, 0.0)
    if abs(cause.chance - was) < SAME_CHANCE:
        return 0
    return 1 if cause.chance > was else -1


# --- asking and closing ---------------------------------------------------------------------


def question(
    session: Session,
    asked: Question,
    options: Sequence[tuple[str, Text]],
    found: Diagnosis | None = None,
    *,
    changes: bool = False,
    optional: bool = False,
) -> Block:
    """The question, its numbered choices with who would lead then instead, and how long looking
    takes. ``changes``: there is a change to see already; ``optional``: what to do does not depend
    on the answer."""
    minutes = words.minutes(asked.minutes)
    ways = [words.HOW_TO_LOOK, words.WHY_ASKED, *([words.CHANGE_ALREADY] if changes else [])]
    ways += [words.HAND_OVER] if len(session.unknown) >= MANY_UNKNOWN else []
    hint = Text("({minutes}; {ways})", "（{minutes}；{ways}）")
    answers = []
    leads = found.causes[0].name if found is not None and found.causes else ""
    then = {f.outcome: f.leader for f in asked.look.flips if f.leader != leads}
    causes = session.index.causes
    for number, (value, text) in enumerate(options, start=1):
        leader = causes.get(then.get(value, ""))
        aside = words.THEN.fill(title=leader.title) if leader else None
        answers.append(Line(text, "plain", f"{number}  ", 1, aside=aside))
    below = Line(hint.fill(minutes=minutes, ways=joined(ways, ", ", "，")), "muted")
    say = words.IF_YOU_LIKE.fill(question=asked.say) if optional else asked.say
    return asking((Line(say, "strong"),), answers, (below,))


def numbered(options: Sequence[tuple[str, Text]]) -> list[Line]:
    """Choices with the numbers that pick them."""
    return [Line(text, "plain", f"{i}  ", 1) for i, (_, text) in enumerate(options, start=1)]
