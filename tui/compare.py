"""/compare: two causes side by side: what was seen for each, and what would part them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from medic.i18n import Text
from medic.report.words import CHANCE, SIGN

from . import words_graph
from .lines import Block, Line
from .seen import finding, place_of, short

if TYPE_CHECKING:
    from medic.diagnosis import EvidenceLine
    from medic.session import Session

    from .consultation import Consultation

MAX_PARTING = 4
FOR = frozenset({"confirms", "strong"})
AGAINST = frozenset({"strongly-against", "rules-out"})


def compare(talk: Consultation, argument: str) -> None:
    """Two causes by code or name; without them the first two suspects. Raises UsageError."""
    if talk.found is None:
        talk.found = talk.session.diagnosis()
    words = argument.replace(",", " ").split()
    if len(words) not in (0, 2):
        talk.tell(words_graph.COMPARE_WHAT)
        return
    names = [_named(talk.session, w) for w in words] or [c.name for c in talk.found.causes[:2]]
    if len(names) < 2 or names[0] == names[1]:
        talk.tell(words_graph.NO_TWO)
        return
    talk.tell(Block("medic", tuple(_lines(talk.session, *names))), top=True)


def _named(session: Session, word: str) -> str:
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
    from medic.beliefs import word

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
    from medic.diagnosis import evidence_for

    return evidence_for(session.index, session.index.causes[name], session.found)


def _parting(session: Session, a: str, b: str) -> Iterator[Line]:
    """Checks that nobody has looked at whose outcomes speak for one and not for the other."""
    index = session.index
    known = {s.name for s in session.seen}
    weights = [{(t.check, t.outcome): t.weight for t in index.links(n)} for n in (a, b)]
    found = []
    for key in dict.fromkeys((*weights[0], *weights[1])):
        check = index.checks.get(key[0])
        one, two = (w.get(key, "") for w in weights)
        if check is None or key[0] in known or one == two:
            continue
        who = _who(one, two)
        if who is not None:
            outcome = check.outcomes[key[1]].title
            found.append(words_graph.IF_SEEN.fill(title=check.title, outcome=outcome, who=who))
    if found:
        yield Line(words_graph.WOULD_PART, "strong")
    for text in found[:MAX_PARTING]:
        yield Line(text, mark="? ", indent=1)


def _who(one: str, two: str) -> Text | None:
    """For whom an outcome of these two weights speaks."""
    if (one in FOR and two not in FOR) or (two in AGAINST and one not in AGAINST):
        return words_graph.SPEAKS_A
    if (two in FOR and one not in FOR) or (one in AGAINST and two not in AGAINST):
        return words_graph.SPEAKS_B
    return None
