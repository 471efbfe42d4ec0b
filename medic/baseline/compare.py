"""All differences of two runs, and what a diagnosis makes of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.baseline.curves import curves
from medic.baseline.settings import configs, flags, tells, variables
from medic.baseline.speeds import FALLS, RISES, network, slower, speeds
from medic.baseline.turns import turns
from medic.case.collect import Case
from medic.errors import UsageError
from medic.facts import Curve, Difference, GpuState, Launches, LogHits, Packages, SinceGood, Source
from medic.facts.since_good import Kind
from medic.index.knowledge import Index
from medic.probe import Finding
from medic.run_config import RunConfig
from medic.runner.evidence import Evidence, Observed
from medic.runner.registry import all_probes
from medic.runner.run import observe
from medic.text.safetext import one_line

CHECK, SLOW = "changed-since-good", "training-slow"
ROOMS = ("config", "flags", "logs", "curve", "gpu", "packages")


def compared(now: Evidence, good_case: Case, index: Index) -> SinceGood:
    """Looks at the run that worked, and compares: what only one of the two tells is left out.

    Raises UsageError where nothing of that run can be read.
    """
    probes = [p for p in all_probes(ROOMS) if p.reads == "artefacts"]
    good = observe(good_case, index, probes)
    if not good.read and not good_case.parts:
        raise _unread(good_case, good)
    found = [
        *configs(now.fact(RunConfig), good.fact(RunConfig)),
        *flags(now.fact(Launches), good.fact(Launches), now.fact(RunConfig), good.fact(RunConfig)),
        *variables(now.fact(Launches), good.fact(Launches)),
        *_versions(now.fact(Packages), good.fact(Packages)),
        *_nodes(now, good),
        *speeds(now.fact(Curve), good.fact(Curve)),
        *curves(now.fact(Curve), good.fact(Curve)),
    ]
    slow = slower(found, now.fact(RunConfig), good.fact(RunConfig))
    ours, theirs = _kinds(now), _kinds(good)
    return SinceGood(
        tuple(found),
        compared=tuple(k for k in ours if k in theirs),
        only_now=tuple(k for k in ours if k not in theirs),
        only_good=tuple(k for k in theirs if k not in ours),
        slower=slow,
    )


def _unread(case: Case, good: Evidence) -> UsageError:
    why = next(iter(good.not_read), None)
    return UsageError(
        f"--baseline: nothing of it could be read{': ' + why.en if why else ''}",
        f"--baseline：没有可读取的内容{'：' + why.zh if why else ''}",
        at=why.file if why else case.root,
    )


def _kinds(evidence: Evidence) -> tuple[Kind, ...]:
    """The kinds of which a run tells something."""
    config, packages, curve = (evidence.fact(f) for f in (RunConfig, Packages, Curve))
    found: list[Kind] = []
    if config is not None and tells(config):
        found += ["config", "data"]
    if packages is not None and packages.versions:
        found.append("version")
    if _node_facts(evidence):
        found.append("node")
    if curve is not None and any(n in curve.series for n in (*RISES, *FALLS)):
        found.append("speed")
    if curve is not None and curve.series:
        found.append("curve")
    return tuple(found)


def observed(found: SinceGood) -> list[Observed]:
    """One finding a kind of difference; "nothing-known" where nothing that counts differs, none
    where nothing could be compared."""
    by_kind: dict[str, list[Difference]] = {}
    for item in found.differences:
        if item.kind not in ("curve", "speed"):
            by_kind.setdefault(item.kind, []).append(item)
    findings = [_finding(kind, items) for kind, items in by_kind.items()]
    if not findings and found.compared:
        findings = [Finding(CHECK, "nothing-known")]
    if (slower := found.slower) is not None:
        value = {"name": slower.name, "now": slower.now, "good": slower.good}
        findings.append(Finding(SLOW, value=value, source=slower.now_at, more=(slower.good_at,)))
    findings += turns(found.differences)
    return [Observed(finding, "baseline", "exact") for finding in findings]


def _finding(kind: str, items: Sequence[Difference]) -> Finding:
    told = "; ".join(words(item) for item in items[:4])
    more = f"; … ({len(items)})" if len(items) > 4 else ""
    places = [place for item in items[:4] for place in (item.now_at, item.good_at) if place.file]
    first = places[0] if places else Source()
    return Finding(CHECK, kind, {"told": told + more}, first, tuple(places[1:]))


def words(item: Difference) -> str:
    """ "learning_rate 0.0003 -> 0.003"."""
    return f"{item.name} {item.good or '-'} -> {item.now or '-'}"


# --- versions and nodes -----------------------------------------------------------------------


def _versions(now: Packages | None, good: Packages | None) -> Iterator[Difference]:
    if now is None or good is None:
        return
    for name in sorted(set(now.versions) & set(good.versions)):
        one, other = now.versions[name], good.versions[name]
        if one.partition("+")[0] != other.partition("+")[0]:
            places = now.sources.get(name, Source()), good.sources.get(name, Source())
            yield Difference("version", name, one_line(one, 40), one_line(other, 40), *places)


def _node_facts(evidence: Evidence) -> dict[str, tuple[str, Source]]:
    """What the evidence says of the machine: host, GPUs, driver."""
    found: dict[str, tuple[str, Source]] = {}
    logs, gpus = evidence.fact(LogHits), evidence.fact(GpuState)
    if isinstance(logs, LogHits) and logs.host:
        found["host"] = (logs.host, logs.tail[-1] if logs.tail else Source())
    if (sends := network(logs)) is not None:
        found["NCCL network"] = sends
    if isinstance(gpus, GpuState) and gpus.origin != "this-host":
        names = sorted({g.name for g in gpus.gpus if g.name})
        found["GPUs"] = (f"{len(gpus.gpus)} x {', '.join(names)}", gpus.source)
        if gpus.driver:
            found["driver"] = (gpus.driver, gpus.source)
    return found


def _nodes(now: Evidence, good: Evidence) -> Iterator[Difference]:
    ours, theirs = _node_facts(now), _node_facts(good)
    for name in ours:
        if name in theirs and ours[name][0] != theirs[name][0]:
            (one, here), (other, there) = ours[name], theirs[name]
            yield Difference("node", name, one_line(one, 80), one_line(other, 80), here, there)
