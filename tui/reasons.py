"""Why this question, why this cause, and what would change it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from medic.i18n import Text
from medic.records import replace
from medic.report.words import CHANCE, SIGN, WEIGHT
from medic.session.undecided import IF_SO, not_established, suspects, would_show

from . import words, words_more, words_talk
from .lines import Block, Line, joined, said
from .remedies import do_not
from .seen import finding, place_of, with_question

AGAINST = ("against", "strongly-against", "rules-out")

if TYPE_CHECKING:
    from medic.beliefs.likelihoods import Seen
    from medic.planner.looks import NextLook
    from medic.planner.questions import Question
    from medic.session.consultation import Session
    from medic.session.diagnosis import CauseView, Diagnosis


def why(session: Session, found: Diagnosis, asked: Question | None) -> Iterator[Block]:
    """The three answers to /why, and what should not be done."""
    if asked:
        yield _question(session, asked, found)
    if not found.causes:
        yield said(words_more.NO_LEADER)
        return
    yield _cause(session, found)
    yield _mind(session)
    advice = do_not(session, found.causes[0].name)
    if advice:
        title = words_more.DO_NOT.fill(title=found.causes[0].title)
        yield Block("medic", (Line(title, "strong"), *advice))


def sure(session: Session, found: Diagnosis) -> Block:
    """How sure it is: the verdict in words, how much speaks for it and against it, and what could
    change it."""
    leader = found.causes[0]
    told = {(e.name, e.outcome): e.weight for e in leader.evidence}
    against = sum(weight in AGAINST for weight in told.values())
    title = words_more.SURE if found.verdict == "established" else words_more.NOT_SURE
    title = title.fill(title=leader.title, code=leader.code, word=CHANCE[leader.word])
    count = words_more.FOR_AND_AGAINST.fill(n=len(told) - against, m=against)
    lines = [Line(title, "strong"), Line(count, indent=2)]
    lines += [replace(line, indent=2) for line in _not_established(session, found)]
    lines += [replace(line, indent=2) for line in _mind(session).lines]
    return Block("medic", (*lines, Line(words_talk.WHY_BY, "muted")))


def _question(session: Session, asked: Question, found: Diagnosis) -> Block:
    minutes = words.minutes(asked.minutes)
    lines = [Line(words_more.WHY_QUESTION.fill(minutes=minutes), "strong"), Line(asked.say)]
    lines += _answers(session, asked, found.causes[0].name if found.causes else "")
    if asked.look.refutes:
        lines.append(Line(words_more.REFUTES, "muted"))
    return Block("medic", tuple(lines))


def _answers(session: Session, asked: Question, leads: str) -> Iterator[Line]:
    """Who would lead after which answers: those that change it, then all others as one."""
    titles = dict(asked.choices)
    answers: dict[str, list[Text]] = {}
    for flip in sorted(asked.look.flips, key=lambda f: -f.chance):
        if flip.outcome in titles:
            answers.setdefault(flip.leader, []).append(titles[flip.outcome])
    stays = answers.pop(leads, None)
    for name, outcomes in answers.items():
        either = joined(outcomes, "” or “", "”或“")
        text = words_more.IF_THEN.fill(outcome=either, leader=_leader(session, name))
        yield Line(text, "plain", "→ ", 2)
    if stays:
        rest = words_more.ELSE if answers else words_more.WHATEVER
        yield Line(rest.fill(leader=_leader(session, leads)), "plain", "→ ", 2)


def _leader(session: Session, name: str) -> Text:
    if name in session.index.causes:
        return session.index.causes[name].title
    return words_more.NO_CAUSE_KNOWN


def _cause(session: Session, found: Diagnosis) -> Block:
    """The leading cause, why it is not established where it is not, and its evidence."""
    leader, sure = found.causes[0], found.verdict == "established"
    title = words_more.WHY_CAUSE.fill(
        title=leader.title, code=leader.code, word=CHANCE[leader.word]
    )
    lines = [Line(title, "strong"), Line(session.index.causes[leader.name].why)]
    lines += _not_established(session, found)
    lines += _evidence(session, leader, sure=sure)
    return Block("medic", tuple(lines))


def _not_established(session: Session, found: Diagnosis) -> Iterator[Line]:
    told = not_established(session, found)
    if told is None:
        return
    yield Line(told)
    shown = would_show(session, suspects(found))
    own = shown.pop(found.causes[0].name, None)
    if own is not None:
        yield Line(IF_SO.fill(told=own))
    for rival in found.causes[1:]:
        if rival.name in shown and rival.word != "unlikely":
            yield Line(words_more.RIVAL_SHOWS.fill(title=rival.title, told=shown[rival.name]))


def _evidence(session: Session, leader: CauseView, *, sure: bool) -> Iterator[Line]:
    """Each finding with how much it tells; what is a symptom and a check alike is told once."""
    told: dict[tuple[str, str], tuple[Line, list[Text]]] = {}
    for item in leader.evidence:
        text, where = finding(session, item), place_of(session, item)
        mark = f"{SIGN.get(item.weight, '·')} "
        line = Line(text, "plain", mark, 2, where=where)
        at = f"{item.source.file}:{item.source.line}" if item.source.file else ""
        key = (text.en, at or (where.en if where else ""))
        _, weights = told.setdefault(key, (line, []))
        weight = WEIGHT.get(item.weight)
        if item.weight == "confirms" and not sure:
            weight = words_talk.ALL_BUT_CONFIRMS
        weights += [weight] if weight else []
    for line, weights in told.values():
        if weights:
            pattern = Text("{text}: {weight}", "{text}：{weight}")
            either = joined(weights, ", ", "，")
            line = replace(line, text=pattern.fill(text=line.text, weight=either))  # noqa: PLW2901
        yield line


def _mind(session: Session) -> Block:
    from medic.planner.looks import leading_by  # the first paint needs no engine

    removed = leading_by(session.model, session.seen, frozenset(session.tried))
    look = session.mind()
    lines = [Line(words_more.WHAT_CHANGES, "strong")]
    for seen, other in removed:
        leader = _leader(session, other)
        text = words_more.WITHOUT.fill(finding=_text_of(session, seen), leader=leader)
        lines.append(Line(text, "plain", "· ", 2))
    if look is not None:
        lines += _cheapest(session, look)
    if len(lines) == 1:
        lines.append(Line(words_more.NOTHING_CHANGES, indent=2))
    return Block("medic", tuple(lines))


def _text_of(session: Session, seen: Seen) -> Text:
    return with_question(session, seen.name, seen.outcome, session.text_of(seen))


def _cheapest(session: Session, look: NextLook) -> Sequence[Line]:
    """The open look that could flip the leader, with the outcomes that would."""
    asked = session.question(look)
    leader = session.model.beliefs(session.seen, frozenset(session.tried)).leader
    titles = dict(asked.choices)
    for flip in look.flips:
        if flip.leader != leader and flip.outcome in titles:
            text = words_more.CHEAPEST.fill(
                ask=asked.say,
                minutes=words.minutes(asked.minutes),
                outcome=titles[flip.outcome],
                leader=_leader(session, flip.leader),
            )
            return [Line(text, "plain", "? ", 2)]
    return []
