"""The knowledge as a graph: what it lacks, branches and paths, what is live, export."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import networkx as nx

from medic.beliefs.likelihoods import ERROR
from medic.beliefs.model import Model
from medic.entries import Cause, Check
from medic.entries.words import TELLTALE
from medic.index.knowledge import Index
from medic.records import dataclass

# A link weaker than this after smoothing says less than its word: strong, confirms, rules-out.
MIN_FACTOR = {"strong": 3.0, "confirms": 10.0}
MAX_RULES_OUT = 0.25


@dataclass(frozen=True)
class Defect:
    """What a knowledge lint found: the entry and the fault, in English (for authors)."""

    kind: str
    name: str
    fault: str


@dataclass(frozen=True)
class Factor:
    """The effective factor of a link: P(outcome | cause) / P(outcome | none of these)."""

    cause: str
    check: str
    outcome: str
    weight: str
    factor: float


def build(index: Index) -> nx.DiGraph[Any]:
    """Nodes are entries ("cause:name"), edges shows, told-by and remedied-by."""
    graph: nx.DiGraph[Any] = nx.DiGraph()
    for kind in ("symptoms", "checks", "causes", "remedies", "procedures", "terms"):
        single = {"remedies": "remedy"}.get(kind, kind[:-1])
        for name in index.raw[kind]:
            graph.add_node(f"{single}:{name}", kind=single, name=name, title=index.title(name))
    for name in index.lint_names:
        graph.add_node(f"check:{name}", kind="check", name=name, title=index.causes[name].title)
    if index.telltales:
        title = index.title(TELLTALE)
        graph.add_node(f"check:{TELLTALE}", kind="check", name=TELLTALE, title=title)
    for name, cause in index.causes.items():
        for shows in cause.shows:
            graph.add_edge(f"cause:{name}", f"symptom:{shows.symptom}", kind=f"shows:{shows.level}")
        for link in index.links(name):
            edge = f"told-by:{link.outcome}:{link.weight}"
            graph.add_edge(f"cause:{name}", f"check:{link.check}", kind=edge)
        for remedy in cause.remedies:
            graph.add_edge(f"cause:{name}", f"remedy:{remedy}", kind="remedied-by")
    return graph


def export(index: Index) -> dict[str, Any]:
    """The graph as data: the contract medic.graph/1."""
    graph = build(index)
    return {
        "schema": "medic.graph/1",
        "nodes": [
            {"name": data["name"], "kind": data["kind"], "title": str(data["title"])}
            for _, data in sorted(graph.nodes(data=True))
        ],
        "links": [
            {"from": a, "to": b, "kind": data["kind"]}
            for a, b, data in sorted(graph.edges(data=True), key=str)
        ],
    }


def around(index: Index, name: str) -> dict[str, list[tuple[str, str]]]:
    """What an entry is linked to: kind of link -> (node, words)."""
    graph = build(index)
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for source, target, data in graph.edges(data=True):
        words = str(data["kind"])
        kind = words.partition(":")[0]
        if source.partition(":")[2] == name:
            found[kind].append((target, words))
        if target.partition(":")[2] == name:
            found[f"from {kind}"].append((source, words))
    return dict(found)


# --- lints of the knowledge -----------------------------------------------------------------


def defects(index: Index) -> Iterator[Defect]:
    """Everything about the graph that would let it believe wrongly or never conclude."""
    yield from _confirming_outcomes(index)
    yield from _same_links(index)
    yield from _cannot_establish(index)
    yield from _weak_links(index)
    yield from _unused(index)
    yield from _signatures(index)
    yield from _sayings(index)
    yield from _phrases(index)


def _confirming_outcomes(index: Index) -> Iterator[Defect]:
    for name in index.causes:
        for link in index.links(name):
            outcome = index.checks[link.check].outcomes[link.outcome]
            if link.weight == "confirms" and outcome.otherwise != "never":
                yield Defect(
                    "cause",
                    name,
                    f"{link.check}={link.outcome} confirms but is not 'never' otherwise",
                )
            if (
                link.weight == "rules-out"
                and outcome.normal
                and not _confirmable(index, name, link.check)
            ):
                yield Defect(
                    "cause",
                    name,
                    f"{link.check}={link.outcome}: a normal outcome rules nothing out",
                )


def _confirmable(index: Index, cause: str, check: str) -> bool:
    return any(t.check == check and t.weight == "confirms" for t in index.links(cause))


def _same_links(index: Index) -> Iterator[Defect]:
    seen: dict[tuple[Any, ...], str] = {}
    for name, cause in sorted(index.causes.items()):
        key = (
            _shows(cause),
            tuple(sorted((t.check, t.outcome, t.weight) for t in index.links(name))),
        )
        if key in seen:
            yield Defect("cause", name, f"same links as {seen[key]}: nothing could part them")
        seen[key] = name


def _shows(cause: Cause) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((s.symptom, s.level) for s in cause.shows))


def _cannot_establish(index: Index) -> Iterator[Defect]:
    for name, cause in index.causes.items():
        if not any(s.level != "rarely" for s in cause.shows):
            yield Defect("cause", name, "shows no symptom at least sometimes")
        confirms = any(t.weight == "confirms" for t in index.links(name))
        strong = {index.checks[t.check].family for t in index.links(name) if t.weight == "strong"}
        advice = cause.lint is not None and cause.lint.severity == "info"
        if not confirms and len(strong) < 2 and not advice:
            yield Defect("cause", name, "no findings could establish it")


def factors(index: Index) -> list[Factor]:
    """The effective factor of every link by the check's most reliable answerer."""
    model = Model(index)
    found = []
    for name in model.causes:
        for link in index.links(name):
            reliability = answerer(index.checks[link.check])
            columns = model.columns(link.check, reliability)
            at = columns.outcomes.index(link.outcome)
            place = model.causes.index(name)
            factor = columns.odd[place][at] / columns.usual[at]
            found.append(Factor(name, link.check, link.outcome, link.weight, factor))
    return found


def answerer(check: Check) -> str:
    """The most reliable observer that can answer a check: a probe, else a person."""
    from medic.runner.registry import all_probes

    order = list(ERROR)
    levels = [p.reliability for p in all_probes() if check.name in p.tells]
    if check.name == TELLTALE or any(o.signatures for o in check.outcomes.values()):
        levels.append("exact")
    return min(levels, key=order.index) if levels else "person"


def _weak_links(index: Index) -> Iterator[Defect]:
    for f in factors(index):
        least = MIN_FACTOR.get(f.weight)
        if least is not None and f.factor < least:
            yield Defect(
                "cause",
                f.cause,
                f"{f.check}={f.outcome} is {f.weight} but has factor {f.factor:.2f}",
            )
        if f.weight == "rules-out" and f.factor > MAX_RULES_OUT:
            yield Defect(
                "cause", f.cause, f"{f.check}={f.outcome} rules out but has factor {f.factor:.2f}"
            )


def _unused(index: Index) -> Iterator[Defect]:
    shown = {s.symptom for c in index.causes.values() for s in c.shows}
    for name, symptom in index.symptoms.items():
        if name not in shown and not symptom.benign:
            yield Defect("symptom", name, "no cause shows it")
    linked = {t.check for name in index.causes for t in index.links(name)}
    for name in index.checks:
        if name not in linked:
            yield Defect("check", name, "no cause is told by it")
    used = {r for c in index.causes.values() for r in c.remedies}
    for name in index.remedies:
        if name not in used:
            yield Defect("remedy", name, "no cause has it")


def _signatures(index: Index) -> Iterator[Defect]:
    from medic.match import signature_faults, watched

    owners: dict[str, str] = {}
    for own in watched(index):
        name = own.outcome or own.symptom
        kind = "symptom" if not own.check else "cause" if own.check == TELLTALE else "check"
        for fault in signature_faults(own):
            yield Defect(kind, name, fault)
        if own.signature.id in owners:
            yield Defect(kind, name, f"{own.signature.id}: also in {owners[own.signature.id]}")
        owners[own.signature.id] = name


def _sayings(index: Index) -> Iterator[Defect]:
    from medic.match.faults import called_faults, saying_faults, usual_faults

    used = {
        name
        for kind in ("meant", "denied", "said", "said_of")
        for one in index.told[kind].values()
        for name in _flat(one)
    }
    for entry in index.raw["remedies"].values():
        used |= {*entry.get("not_when", ())}
    for entry in index.raw["usual"].values():
        used |= {*entry["when"], *entry.get("not_when", ()), *entry.get("words", ())}
    for row in index.sayings.values():
        used |= {*row.get("needs", ())}
        used |= {
            n for c in (*row.get("claims", ()), *row.get("unless", ())) for n in _flat(c.values())
        }
    for subject in index.raw["vocabulary"].values():
        used |= {*(subject["sayings"] if subject.get("of_talk") else ())}
    for name in index.sayings.keys() - used:
        yield Defect("vocabulary", name, "no entry asks for it")
    for name, fault in saying_faults(index):
        yield Defect("vocabulary", name, fault)
    for name, fault in called_faults(index):
        yield Defect("symptom", name, fault)
    for name, fault in usual_faults(index):
        yield Defect("usual", name, fault)


def _phrases(index: Index) -> Iterator[Defect]:
    from medic.match.faults import phrase_faults

    for name, fault in phrase_faults(index):
        yield Defect("check", name, fault)


def _flat(names: Any) -> Iterator[str]:
    """The names in lists of lists of them."""
    for one in names:
        if isinstance(one, str):
            yield one
        elif isinstance(one, (list, tuple)):
            yield from _flat(one)


def branches(index: Index) -> Mapping[str, list[str]]:
    """Causes by family, in code order: the branches a consultation closes one by one."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, cause in index.causes.items():
        found[cause.family].append((cause.code, name))
    return {family: [n for _, n in sorted(found[family])] for family in sorted(found)}
