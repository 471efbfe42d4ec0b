"""The cause that a short sentence names: "a memory leak", "the batch size", 网络问题."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from medic.session.consultation import Session

LEAST = 0.6  # share of the words of a sentence that the words of a cause must have
OF_A_SYMPTOM = 0.7  # nearness of a symptom whose causes are meant
OF_RL = ("rl", "trl", "rollout", "ray")  # families of causes
_CLAUSE = re.compile(r"[,，;；。、]|\bbecause\b|因为")


def cause_of(session: Session, words: str) -> str | None:
    """By its name and titles, else by the reports of it, else by the symptom that is named; of
    several the one that is most likely now. Only the first clause names it."""
    return next(iter(causes_of(session, words)), None)


def causes_of(session: Session, words: str) -> list[str]:
    """All that the words name so, those of this case and the likeliest first."""
    from medic.match.words import terms_of
    from medic.planner.questions import speaks_of_rl

    clause = _CLAUSE.split(words.strip(), maxsplit=1)[0]
    said = set(terms_of(clause))
    if not said:
        return []
    raw = {n: e for n, e in session.index.raw["causes"].items() if n in session.model.remedy}
    if not speaks_of_rl(session.index, session.seen):
        raw = {name: entry for name, entry in raw.items() if entry["family"] not in OF_RL}
    near = _nearest(said, raw, _titles) or _nearest(said, raw, _reports)
    return ranked(session, near or _showing(session, clause))


def ranked(session: Session, causes: Iterable[str]) -> list[str]:
    """Those that show a symptom of the case first, the likeliest now before the others."""
    chance = session.model.beliefs(session.seen, frozenset(session.tried)).chance
    here = session.observed_symptoms() | set(session.complaints)

    def rank(name: str) -> tuple[bool, float]:
        shows = session.index.causes[name].shows
        return here.isdisjoint(one.symptom for one in shows), -chance.get(name, 0.0)

    return sorted(causes, key=rank)


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
