"""/compare: two causes side by side: what was seen for each, and what would part them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from medic.entries.words import TELLTALE
from medic.i18n import Text
from medic.report.words import CHANCE, SIGN

from . import words, words_graph
from .lines import Block, Line, joined
from .needs import is_reason, need
from .seen import finding, place_of, short

if TYPE_CHECKING:
    from medic.session.consultation import Session
    from medic.session.diagnosis import EvidenceLine

    from .consultation import Consultation

MAX_PARTING = 4
FOR = frozenset({"confirms", "strong"})
AGAINST = frozenset({"strongly-against", "rules-out"})


def compare(talk: Consultation, argument: str) -> None:
    """Two causes by code, name or number of a suspect; without them the first two suspects. Raises
    UsageError."""
    if talk.found is None:
        talk.found = talk.session.diagnosis()
    asked = argument.replace(",", " ").split()
    if len(asked) not in (0, 2):
        talk.tell(words_graph.COMPARE_WHAT)
        return
    names = [suspect(talk, w) for w in asked] or [c.name for c in talk.found.causes[:2]]
    if len(names) < 2 or names[0] == names[1]:
        talk.tell(words_graph.NO_TWO)
        return
    talk.tell(Block("medic", tuple(_lines(talk.session, *names))), top=True)


def suspect(talk: Consultation, word: str) -> str:
    """A cause by the number of a suspect, its name or code. Raises UsageError for an unknown one."""
    causes = talk.found.causes if talk.found is not None else ()
    if word.isdecimal() and 1 <= int(word) <= len(causes):
        return causes[int(word) - 1].name
    return named(talk.session, word)


def named(session: Session, word: str) -> str:
    from medic.errors import UsageError
    from medic.nearest import did_you_mean

    causes = session.index.causes
    by_code = {c.code.lower(): n for n, c in causes.items()}
    if word in causes:
        return word
    if word.lower() in by_code:
        return by_code[word.lower()]
    hint = did_you_mean(word, [*causes, *(c.code for c in causes.values())])
    told = words_graph.NO_CAUSE.fill(word=word, hint=hint)
    raise UsageError(told.en, told.zh)


def _lines(session: Session, a: str, b: str) -> Iterator[Line]:
    from medic.beliefs.model import word

    index = session.index
    chance = session.model.beliefs(session.seen, frozenset(session.tried)).chance
    for who, name in (("A", a), ("B", b)):
        cause = index.causes[name]
        text = Text("{title} ({code})", "{title}（{code}）").fill(
            title=cause.title, code=cause.code
        )
        said = CHANCE[word(chance[name])] if name in chance else words_graph.AWAY
        yield Line(text, "strong", f"{who}  ", where=said)
    yield from _seen(session, a, b)
    yield from _parting(session, a, b)
    yield Line(words_graph.REMEDIES, "strong")
    first, other = (index.remedies[index.causes[n].remedies[0]] for n in (a, b))
    if first.name == other.name:
        yield Line(words_graph.SAME_REMEDY.fill(title=first.title), indent=2)
    else:
        yield Line(first.title, mark="A  ", indent=1)
        yield Line(other.title, mark="B  ", indent=1)


def _seen(session: Session, a: str, b: str) -> Iterator[Line]:
    """Findings that bear otherwise on one than on the other, both signs before each."""
    signs: dict[tuple[str, str], dict[str, str]] = {}
    lines: dict[tuple[str, str], EvidenceLine] = {}
    for who, name in (("a", a), ("b", b)):
        for item in _evidence(session, name):
            key = (item.name, item.outcome)
            lines.setdefault(key, item)
            signs.setdefault(key, {})[who] = SIGN.get(item.weight, "·")
    parting = [k for k, s in signs.items() if s.get("a", " ") != s.get("b", " ")]
    if not parting:
        yield Line(words_graph.NOTHING_PARTS, "muted")
        return
    yield Line(words_graph.BEARS, "strong")
    yield Line(Text("A B", "A B"), "muted", indent=1)
    for key in parting:
        mark = f"{signs[key].get('a', ' ')} {signs[key].get('b', ' ')}  "
        item = lines[key]
        yield Line(
            short(finding(session, item), 120), mark=mark, indent=1, where=place_of(session, item)
        )


def _evidence(session: Session, name: str) -> tuple[EvidenceLine, ...]:
    from medic.session.diagnosis import evidence_for

    return evidence_for(session.index, session.index.causes[name], session.found)


def _parting(session: Session, a: str, b: str) -> Iterator[Line]:
    """Checks that nobody has looked at whose outcomes speak for one and not for the other, each
    with what it lacks."""
    from medic.planner.questions import of_rl, speaks_of_rl

    index = session.index
    known = {s.name for s in session.seen}
    rl = speaks_of_rl(index, session.seen)
    weights = [{(t.check, t.outcome): t.weight for t in index.links(n)} for n in (a, b)]
    found: dict[str, dict[str, Text]] = {}
    for name, outcome in dict.fromkeys((*weights[0], *weights[1])):
        one, two = (w.get((name, outcome), "") for w in weights)
        who = _who(one, two)
        asked = name in index.checks and name not in known and name != TELLTALE
        asked = asked and (rl or not of_rl(index, name))
        if asked and one != two and who is not None:
            found.setdefault(name, {})[outcome] = who
    if found:
        yield Line(words_graph.WOULD_PART, "strong")
    for name, outcomes in list(found.items())[:MAX_PARTING]:
        lack = _lack(session, name)
        needs = words.NEEDS.fill(what=lack) if lack is not None else None
        yield Line(_tells(session, name, outcomes), mark="? ", indent=1, where=needs)


def _tells(session: Session, name: str, outcomes: Mapping[str, Text]) -> Text:
    """For whom each outcome of a check speaks; a check of the settings fires, or it does not."""
    check = session.index.checks[name]
    if name not in session.index.causes:
        parts = [
            words_graph.IF_SEEN.fill(outcome=check.outcomes[outcome].title, who=who)
            for outcome, who in outcomes.items()
        ]
        return joined([check.title, joined(parts, "; ", "；")], ": ", "：")
    say = {"fires": words_graph.IF_SO, "passes": words_graph.IF_NOT}
    parts = [say[outcome].fill(who=who) for outcome, who in outcomes.items() if outcome in say]
    title = words_graph.IN_SETTINGS.fill(title=check.title)
    return joined([title, joined(parts, ", ", "，")], ": ", "：")


def _lack(session: Session, name: str) -> Text | None:
    skips = (s for run in session.evidence.runs.values() for s in run.skips if s.check == name)
    found = next(skips, None)
    return None if found is None or is_reason(found.needs) else need(found.needs)


def _who(one: str, two: str) -> Text | None:
    """For whom an outcome of these two weights speaks."""
    if (one in FOR and two not in FOR) or (two in AGAINST and one not in AGAINST):
        return words_graph.SPEAKS_A
    if (two in FOR and one not in FOR) or (one in AGAINST and two not in AGAINST):
        return words_graph.SPEAKS_B
    return None
