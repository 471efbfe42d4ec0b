"""Entries as trees of texts, which the renderers only lay out.

Works on the compiled knowledge as plain data, so that a start costs no decoding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from medic.entries.levels import PRIOR, SHOWN
from medic.entries.words import TELLTALE
from medic.i18n import Text, plain
from medic.index.knowledge import PASSES, Index

# Of how common a cause is: a setting that it needs is not every run's.
OF_A_SETTING = 0.25
FOR = ("confirms", "strong", "weak")

Raw = Mapping[str, Any]


def _text(data: Raw | None) -> Text | None:
    return Text(data["en"], data["zh"]) if data else None


def _links(raw: Raw) -> Iterator[tuple[str, str, str]]:
    """(check, outcome, weight) of a cause, its own lint check among them."""
    for link in raw.get("told_by", ()):
        yield link["check"], link["outcome"], link["weight"]
    if raw.get("lint"):
        yield raw["name"], "fires", raw["lint"].get("weight", "strong")
    if raw.get("telltale"):
        yield TELLTALE, raw["name"], raw["telltale"].get("weight", "confirms")


def _told(check: str, outcome: str, weight: str, index: Index) -> dict[str, Any]:
    return {"title": _outcomes(check, index)[outcome], "weight": weight}


def _asked(check: str, outcome: str, index: Index) -> Text | None:
    """What a check looks at: its outcome alone ("as usual") says of what only to who knows it."""
    written = index.raw["checks"].get(check)
    if written is None:
        return index.title(check) if outcome == "passes" else None
    return Text(**written["title"])


def _outcomes(check: str, index: Index) -> dict[str, Text]:
    """Titles of a check's outcomes, written or of a lint check."""
    if check == TELLTALE:
        return {name: Text(**raw["title"]) for name, raw in index.telltales.items()}
    written = index.raw["checks"].get(check)
    if written is None:
        return {"passes": PASSES, "fires": index.title(check)}
    return {o: Text(**e["title"]) for o, e in written["outcomes"].items()}


def causes_of(name: str, index: Index) -> list[Raw]:
    """Causes of a symptom in the order to think of them: how common, how surely they show it."""
    found = []
    for cause in index.showing(name):
        raw = index.raw["causes"][cause]
        for shows in raw["shows"]:
            if shows["symptom"] == name and shows["level"] != "rarely":
                rank = -max(PRIOR[p] for p in raw["prior"].values()) * SHOWN[shows["level"]]
                rank *= OF_A_SETTING if raw.get("speaks_of") else 1
                found.append((rank, raw["code"], raw))
    return [raw for _, _, raw in sorted(found, key=lambda x: (x[0], x[1]))]


def symptom(
    name: str, index: Index, most: int | None = None, first_ones: Sequence[str] = ()
) -> dict[str, Any]:
    """A symptom with its causes, ``first_ones`` first, in their order; ``most`` keeps what is said
    to the first ones and what is done first for each, and names the rest."""
    place = {cause: i for i, cause in enumerate(first_ones)}
    every = sorted(causes_of(name, index), key=lambda raw: place.get(raw["name"], len(place)))
    spoken = first_ones[0] if first_ones else ""
    causes = every[:most]
    first = [c["remedies"] if most is None else c["remedies"][:1] for c in causes]
    return {
        "kind": "symptom",
        "name": name,
        "title": index.title(name),
        "nearest": spoken if causes and causes[0]["name"] == spoken else "",
        "causes": [_cause_row(c) for c in causes],
        "tell_apart": _tell_apart(causes, index)[:most],
        "more": [_cause_row(c) for c in every[len(causes) :]],
        "remedies": [remedy(n, index) for n in dict.fromkeys(r for own in first for r in own)],
        **_do_nots(causes),
    }


def _do_nots(causes: Sequence[Raw]) -> dict[str, Any]:
    """What not to do, and beside each the names of the causes for which that is said."""
    found: dict[Text, list[str]] = {}
    for cause in causes:
        for one in cause.get("do_not", ()):
            found.setdefault(Text(**one["say"]), []).append(cause["name"])
    return {"do_not": list(found), "do_not_for": list(found.values())}


def _cause_row(raw: Raw) -> dict[str, Any]:
    return {
        "name": raw["name"],
        "code": raw["code"],
        "title": _text(raw["title"]),
        "why": _text(raw["why"]),
        "prior": max(raw["prior"].values(), key=lambda p: PRIOR[p]),
        "remedies": list(raw["remedies"]),
    }


def _tell_apart(causes: Sequence[Raw], index: Index) -> list[dict[str, Any]]:
    """Checks that separate these causes: outcome -> the causes that it speaks for."""
    checks: dict[str, dict[str, list[str]]] = {}
    for raw in causes:
        for name, outcome, weight in _links(raw):
            if weight in FOR and (name in index.raw["checks"] or len(causes) == 1):
                checks.setdefault(name, {}).setdefault(outcome, []).append(raw["name"])
    rows = [
        {
            "check": name,
            "title": index.title(name),
            "outcomes": [
                {"outcome": o, "title": title, "speaks_for": outcomes[o]}
                for o, title in _outcomes(name, index).items()
                if o in outcomes
            ],
        }
        for name, outcomes in checks.items()
    ]
    return sorted(rows, key=lambda r: -sum(len(o["speaks_for"]) for o in r["outcomes"]))


def cause(name: str, index: Index) -> dict[str, Any]:
    raw = index.raw["causes"][name]
    return {
        "kind": "cause",
        "name": name,
        "code": raw["code"],
        "since": raw["since"],
        "title": _text(raw["title"]),
        "family": raw["family"],
        "why": _text(raw["why"]),
        "prior": dict(raw["prior"]),
        "shows": [
            {"symptom": s["symptom"], "title": index.title(s["symptom"]), "level": s["level"]}
            for s in raw["shows"]
        ],
        "told_by": [
            {"check": c, "of": _asked(c, o, index), "outcome": o} | _told(c, o, w, index)
            for c, o, w in _links(raw)
            if (c, o) != (TELLTALE, name)
        ],
        "prints": [s["match"][0] for s in raw.get("telltale", {}).get("signatures", ())],
        "versions": [f"{v['package']} {v['spec']}" for v in raw.get("versions", ())],
        "remedies": [remedy(r, index) for r in raw["remedies"]],
        "do_not": [_text(d["say"]) for d in raw.get("do_not", ())],
        "mistaken_for": mistaken_for(name, index),
        "sources": sources(raw),
    }


def mistaken_for(name: str, index: Index) -> list[dict[str, Any]]:
    """The causes that share most symptoms, and the check that parts them best."""
    causes = index.raw["causes"]
    own = {s["symptom"] for s in causes[name]["shows"]}
    links = {(c, o) for c, o, _ in _links(causes[name])}
    scored = []
    for other, raw in causes.items():
        shared = len(own & {s["symptom"] for s in raw["shows"]})
        if other == name or not shared:
            continue
        parting = sorted(
            (FOR.index(w), c)
            for c, o, w in _links(raw)
            if (c, o) not in links and w in FOR and c in index.raw["checks"]
        )
        scored.append((-shared, other, parting[0][1] if parting else ""))
    return [
        {
            "name": other,
            "title": index.title(other),
            "parted_by": index.title(check) if check else "",
        }
        for _, other, check in sorted(scored)[:3]
    ]


def remedy(name: str, index: Index) -> dict[str, Any]:
    raw = index.raw["remedies"][name]
    return {
        "name": name,
        "title": _text(raw["title"]),
        "kind": raw["kind"],
        "safe": raw["safe"],
        "do": _text(raw["do"]),
        "costs": _text(raw["costs"]["say"]),
        "minutes": raw["costs"]["minutes"],
        "worked_if": _text(raw.get("check")),
        "snippet": raw.get("snippet", ""),
    }


def check(name: str, index: Index) -> dict[str, Any]:
    speaks: dict[str, list[str]] = {}
    for other, raw in index.raw["causes"].items():
        for c, outcome, weight in _links(raw):
            if c == name and weight in FOR:
                speaks.setdefault(outcome, []).append(other)
    thresholds = index.raw["checks"].get(name, {}).get("thresholds", {})
    return {
        "kind": "check",
        "name": name,
        "title": index.title(name),
        "outcomes": [
            {"outcome": o, "title": title, "speaks_for": speaks.get(o, [])}
            for o, title in _outcomes(name, index).items()
        ],
        "thresholds": [{"name": n, **t} for n, t in thresholds.items()],
    }


def procedure(name: str, index: Index) -> dict[str, Any]:
    raw = index.raw["procedures"][name]
    return {
        "kind": "procedure",
        "name": name,
        "title": index.title(name),
        "steps": [
            {
                "name": step["name"],
                "do": _text(step["do"]),
                "command": step.get("command", ""),
                "snippet": step.get("snippet", ""),
                "minutes": step.get("minutes", 1.0),
                "outcomes": [
                    {"name": o, "title": _outcome_title(step, o), "target": target}
                    for o, target in step["outcomes"].items()
                ],
            }
            for step in raw["steps"]
        ],
        "remedies": [n for n, r in index.raw["remedies"].items() if r.get("procedure") == name],
    }


def _outcome_title(step: Raw, outcome: str) -> Text:
    title = step.get("titles", {}).get(outcome)
    return Text(**title) if title else plain(outcome.replace("-", " "))


def term(name: str, index: Index) -> dict[str, Any]:
    raw = index.raw["terms"][name]
    return {
        "kind": "term",
        "name": name,
        "term_kind": raw["kind"],
        "says": list(raw["says"]),
        "title": _text(raw["title"]),
        "what": _text(raw["what"]),
        "read_by": list(raw.get("read_by", ())),
        "since": raw.get("since", ""),
        "until": raw.get("until", ""),
        "myth": _text(raw.get("myth")),
        "do": _text(raw.get("do")),
        "see": [
            {"name": n, "title": index.title(n), "kind": _kind(n, index)}
            for n in raw.get("see", ())
        ],
        "sources": sources(raw),
    }


def _kind(name: str, index: Index) -> str:
    """ "fault" of a cause or a symptom: what goes wrong with what a term names; else ""."""
    return "fault" if any(name in index.raw[kind] for kind in ("causes", "symptoms")) else ""


def sources(raw: Raw) -> list[str]:
    return [
        " ".join(s[k] for k in ("handbook", "document", "at") if s.get(k)) for s in raw["sources"]
    ]
