"""What a name, a code, an error line or a description means: one entry, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from medic.beliefs import PRIOR, SHOWN
from medic.entries import Cause
from medic.i18n import Text
from medic.index import Index

GOOD_SCORE = 0.35
KINDS = ("symptoms", "causes", "checks", "remedies")
KIND_NAME = {
    "symptoms": "symptom",
    "causes": "cause",
    "checks": "check",
    "remedies": "remedy",
}


@dataclass(frozen=True)
class Match:
    kind: str
    name: str
    score: float


def find(words: str, index: Index) -> list[Match]:
    """Entries that the words may mean, best first; empty if nothing is near."""
    word = words.strip()
    exact = [Match(KIND_NAME[k], word, 1.0) for k in KINDS if word in index.raw[k]]
    if exact:
        return exact
    by_code = index.by_code(word)
    if by_code is not None:
        return [Match("cause", by_code, 1.0)]
    from medic.match import search

    hits = search(word, index, ("symptoms", "causes"))
    return [Match(KIND_NAME[k], n, s) for k, n, s in hits if s >= GOOD_SCORE]


def entry(match: Match, index: Index) -> dict[str, Any]:
    """The entry as a tree of texts; the renderers only lay it out."""
    if match.kind == "symptom":
        return symptom(match.name, index)
    if match.kind == "cause":
        return cause(match.name, index)
    if match.kind == "check":
        return check(match.name, index)
    return {"kind": "remedy", **remedy(match.name, index)}


def causes_of(name: str, index: Index) -> list[Cause]:
    """Causes of a symptom in the order to think of them: how common, how surely they show it."""
    found = []
    for cause in index.causes.values():
        for shows in cause.shows:
            if shows.symptom == name and shows.level != "rarely":
                prior = max(PRIOR[p] for p in cause.prior.values())
                found.append((-prior * SHOWN[shows.level], cause.code, cause))
    return [c for _, _, c in sorted(found, key=lambda x: (x[0], x[1]))]


def symptom(name: str, index: Index) -> dict[str, Any]:
    entry = index.symptoms[name]
    causes = causes_of(name, index)
    return {
        "kind": "symptom",
        "name": name,
        "title": entry.title,
        "causes": [_cause_row(c) for c in causes],
        "tell_apart": _tell_apart(causes, index),
        "remedies": _remedies_of(causes, index),
        "do_not": _do_nots(causes),
        "sources": [],
    }


def _cause_row(entry: Cause) -> dict[str, Any]:
    return {
        "name": entry.name,
        "code": entry.code,
        "title": entry.title,
        "why": entry.why,
        "prior": max(entry.prior.values(), key=lambda p: PRIOR[p]),
        "remedies": list(entry.remedies),
    }


def _tell_apart(causes: list[Cause], index: Index) -> list[dict[str, Any]]:
    """Checks that separate these causes: outcome -> the causes that it speaks for."""
    checks: dict[str, dict[str, list[str]]] = {}
    for entry in causes:
        for link in index.links(entry.name):
            if link.weight in ("confirms", "strong", "weak"):
                checks.setdefault(link.check, {}).setdefault(link.outcome, []).append(entry.name)
    rows = []
    for name, outcomes in checks.items():
        if name in index.lint_names and len(checks) > 1:
            continue
        rows.append(
            {
                "check": name,
                "title": index.checks[name].title,
                "outcomes": [
                    {
                        "outcome": o,
                        "title": index.checks[name].outcomes[o].title,
                        "speaks_for": outcomes[o],
                    }
                    for o in index.checks[name].outcomes
                    if o in outcomes
                ],
            }
        )
    return sorted(rows, key=lambda r: -sum(len(o["speaks_for"]) for o in r["outcomes"]))


def _remedies_of(causes: list[Cause], index: Index) -> list[dict[str, Any]]:
    names = dict.fromkeys(r for c in causes for r in c.remedies)
    return [remedy(n, index) for n in names]


def _do_nots(causes: list[Cause]) -> list[Text]:
    return list(dict.fromkeys(d.say for c in causes for d in c.do_not))


def cause(name: str, index: Index) -> dict[str, Any]:
    entry = index.causes[name]
    return {
        "kind": "cause",
        "name": name,
        "code": entry.code,
        "since": entry.since,
        "title": entry.title,
        "family": entry.family,
        "why": entry.why,
        "prior": dict(entry.prior),
        "shows": [
            {"symptom": s.symptom, "title": index.title(s.symptom), "level": s.level}
            for s in entry.shows
        ],
        "told_by": [
            {
                "check": link.check,
                "outcome": link.outcome,
                "title": index.checks[link.check].outcomes[link.outcome].title,
                "weight": link.weight,
            }
            for link in index.links(name)
        ],
        "remedies": [remedy(r, index) for r in entry.remedies],
        "do_not": [d.say for d in entry.do_not],
        "mistaken_for": mistaken_for(name, index),
        "sources": [
            " ".join(x for x in (s.handbook, s.document, s.at) if x) for s in entry.sources
        ],
    }


def mistaken_for(name: str, index: Index) -> list[dict[str, Any]]:
    """The causes that share most symptoms, and the check that parts them best."""
    own = {s.symptom for s in index.causes[name].shows}
    links = {(t.check, t.outcome): t.weight for t in index.links(name)}
    scored = []
    for other, entry in index.causes.items():
        shared = len(own & {s.symptom for s in entry.shows})
        if other == name or not shared:
            continue
        parting = [t for t in index.links(other) if (t.check, t.outcome) not in links]
        parting.sort(key=lambda t: {"confirms": 0, "strong": 1}.get(t.weight, 2))
        scored.append((-shared, other, parting[0].check if parting else ""))
    return [
        {
            "name": other,
            "title": index.title(other),
            "parted_by": index.title(check) if check else "",
        }
        for _, other, check in sorted(scored)[:3]
    ]


def remedy(name: str, index: Index) -> dict[str, Any]:
    entry = index.remedies[name]
    return {
        "name": name,
        "title": entry.title,
        "kind": entry.kind,
        "safe": entry.safe,
        "do": entry.do,
        "costs": entry.costs.say,
        "minutes": entry.costs.minutes,
        "worked_if": entry.check,
        "snippet": entry.snippet,
    }


def check(name: str, index: Index) -> dict[str, Any]:
    entry = index.checks[name]
    speaks: dict[str, list[str]] = {}
    for other in index.causes:
        for link in index.links(other):
            if link.check == name and link.weight in ("confirms", "strong", "weak"):
                speaks.setdefault(link.outcome, []).append(other)
    return {
        "kind": "check",
        "name": name,
        "title": entry.title,
        "outcomes": [
            {"outcome": o, "title": e.title, "speaks_for": speaks.get(o, [])}
            for o, e in entry.outcomes.items()
        ],
        "thresholds": [
            {"name": n, "value": t.value, "unit": t.unit, "source": t.source}
            for n, t in entry.thresholds.items()
        ],
    }
