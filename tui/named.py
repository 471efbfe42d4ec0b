"""The cause that a short sentence names: "a memory leak", "the batch size", 网络问题."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from medic.session.consultation import Session

LEAST = 0.6  # share of the words of a sentence that the words of a cause must have
OF_A_SYMPTOM = 0.7  # nearness of a symptom whose causes are meant
_CLAUSE = re.compile(r"[,，;；。、]|\bbecause\b|因为")


def cause_of(session: Session, words: str) -> str | None:
    """By its name and titles, else by the reports of it, else by the symptom that is named; of
    several the one that is most likely now. Only the first clause names it."""
    from medic.match.words import terms_of
    from medic.planner.looks import speaks_of_rl

    clause = _CLAUSE.split(words.strip(), maxsplit=1)[0]
    said = set(terms_of(clause))
    if not said:
        return None
    chance = session.model.beliefs(session.seen, frozenset(session.tried)).chance
    raw = session.index.raw["causes"]
    if not speaks_of_rl(session.index, session.seen):
        raw = {name: entry for name, entry in raw.items() if not name.startswith("rl-")}
    for texts in (_titles, _reports):
        near = _nearest(said, raw, texts)
        if near:
            return max(near, key=lambda name: (chance.get(name, 0.0), name))
    shows = _showing(session, clause)
    return max(shows, key=lambda name: (chance.get(name, 0.0), name)) if shows else None


Texts = Callable[[str, Mapping[str, Any]], Iterable[str]]


def _nearest(said: set[str], raw: Mapping[str, Any], texts: Texts) -> list[str]:
    """Causes with most of the words, if they have enough of them."""
    from medic.match.words import terms_of

    best, most = list[str](), LEAST * len(said)
    for name, entry in raw.items():
        same = max((len(said & set(terms_of(text))) for text in texts(name, entry)), default=0)
        if same > most or (same == most and not best):
            best, most = [name], float(same)
        elif same == most:
            best.append(name)
    return best


def _titles(name: str, entry: Mapping[str, Any]) -> Iterator[str]:
    apart = name.replace("-", ". ")  # word by word: "gpu memory" would be one
    yield "\n".join([name.replace("-", " "), apart, *entry["title"].values()])


def _reports(_name: str, entry: Mapping[str, Any]) -> Iterator[str]:
    for kept in (entry.get("reports") or {}).values():
        yield from kept


def _showing(session: Session, clause: str) -> list[str]:
    """Causes that show the symptom which is named, the nearest."""
    from medic.match import search

    near = search(clause, session.index, ("symptoms",), limit=1)
    if not near or near[0].score < OF_A_SYMPTOM:
        return []
    causes = session.index.raw["causes"]
    return [n for n, c in causes.items() if c["shows"][0]["symptom"] == near[0].name]
