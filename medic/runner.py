"""Finds the probes, orders them by the facts they need and give, and runs them with limits."""

from __future__ import annotations

import pkgutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, Literal

from medic.case import Case, NotRead
from medic.facts import LogHits, Source
from medic.i18n import plain
from medic.index import Index
from medic.look import CaseLook
from medic.probe import Finding, Probe, Skip, Unread

State = Literal["found", "absent", "skipped", "failed"]


@dataclass(frozen=True)
class Observed:
    """A finding with the probe that made it and how reliable that probe is."""

    finding: Finding
    probe: str
    reliability: str
    role: str = ""  # of the log line: root, either, victim
    this_host: bool = False

    @property
    def name(self) -> str:
        return self.finding.name

    @property
    def outcome(self) -> str:
        return self.finding.outcome


@dataclass
class Run:
    """What became of one probe. The four outcomes stay apart up to the screen."""

    probe: Probe
    state: State = "absent"
    findings: list[Finding] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    facts: list[Any] = field(default_factory=list)
    error: str = ""
    seconds: float = 0.0


@dataclass
class Evidence:
    """All that the probes saw of a case."""

    observed: list[Observed] = field(default_factory=list)
    facts: dict[type[Any], Any] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)
    read: dict[str, int] = field(default_factory=dict)
    not_read: list[NotRead] = field(default_factory=list)
    consequences: list[Observed] = field(default_factory=list)
    cancelled: bool = False
    host_is_the_runs: bool | None = None

    def fact(self, kind: type[Any]) -> Any:
        return self.facts.get(kind)


Progress = Callable[[str, str], None]


@cache
def all_probes(rooms: tuple[str, ...] = ()) -> tuple[Probe, ...]:
    """Every probe of the installed package, by name; ``rooms`` limits it to these sub-packages
    and modules, which spares the import of the others."""
    found: list[Probe] = []
    package = import_module("medic.probes")
    for info in _modules(package.__path__, "medic.probes.", rooms):
        module = import_module(info.name)
        one = getattr(module, "PROBE", None)
        if isinstance(one, Probe):
            found.append(one)
        found += getattr(module, "PROBES", ())
    unique = {probe.name: probe for probe in found}
    return tuple(unique[name] for name in sorted(unique))


def _modules(
    path: Iterable[str], prefix: str, rooms: tuple[str, ...]
) -> Iterator[pkgutil.ModuleInfo]:
    """Modules below a package; those of other rooms are not even imported."""
    for info in pkgutil.iter_modules(path, prefix):
        if rooms and info.name.removeprefix("medic.probes.").split(".")[0] not in rooms:
            continue
        yield info
        if info.ispkg:
            yield from _modules(import_module(info.name).__path__, f"{info.name}.", rooms)


def with_needs(names: Iterable[str], probes: Sequence[Probe]) -> list[Probe]:
    """The named probes and every probe that makes a fact they need or want."""
    by_name = {p.name: p for p in probes}
    wanted: dict[str, Probe] = {}
    todo = [by_name[n] for n in names]
    while todo:
        probe = todo.pop()
        if probe.name in wanted:
            continue
        wanted[probe.name] = probe
        kinds = {*probe.needs, *probe.wants}
        todo += [p for p in probes if kinds & set(p.gives)]
    return [wanted[n] for n in sorted(wanted)]


def observe(
    case: Case,
    index: Index,
    probes: Sequence[Probe] | None = None,
    *,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Evidence:
    """Runs the probes over the case. A probe that fails or hangs is told, and the rest goes on."""
    evidence = Evidence(not_read=list(case.not_read))
    cancel = cancel or threading.Event()
    look = CaseLook(case, index, evidence.facts, cancel)
    waiting = list(all_probes() if probes is None else probes)
    with ThreadPoolExecutor(max_workers=4, thread_name_prefix="probe") as pool:
        while waiting and not cancel.is_set():
            ready = [p for p in waiting if not _provider_waits(p, waiting)] or waiting[:1]
            waiting = [p for p in waiting if p not in ready]
            _wave(ready, look, evidence, index, pool, progress, cancel)
        pool.shutdown(wait=False, cancel_futures=True)
    evidence.cancelled = cancel.is_set()
    evidence.host_is_the_runs = look.host_is_the_runs
    evidence.not_read = list(dict.fromkeys(evidence.not_read))
    unread = [n.file for n in evidence.not_read]
    evidence.read = {f: size for f, size in look.read.items() if not _among(f, unread)}
    _symptoms_of_logs(evidence, index)
    return evidence


def _among(file: str, places: Sequence[str]) -> bool:
    """Whether a place ("file" or "file:line") is of this file."""
    return any(p == file or p.startswith(f"{file}:") for p in places)


def _provider_waits(probe: Probe, waiting: Sequence[Probe]) -> bool:
    kinds = {*probe.needs, *probe.wants}
    return any(other is not probe and kinds & set(other.gives) for other in waiting)


def _wave(
    ready: Sequence[Probe],
    look: CaseLook,
    evidence: Evidence,
    index: Index,
    pool: ThreadPoolExecutor,
    progress: Progress | None,
    cancel: threading.Event,
) -> None:
    futures = {}
    for probe in ready:
        if progress:
            progress(probe.name, "start")
        futures[pool.submit(_run_one, probe, look.for_probe(probe), index)] = probe
    limits = {f: time.monotonic() + p.limit_seconds for f, p in futures.items()}
    pending = set(futures)
    while pending and not cancel.is_set():
        done, pending = wait(pending, timeout=0.05, return_when=FIRST_COMPLETED)
        late = {f for f in pending if time.monotonic() > limits[f]}
        pending -= late
        for future in sorted(done | late, key=lambda f: futures[f].name):
            probe = futures[future]
            run = future.result() if future in done else Run(probe, "failed", error="time limit")
            _take(run, evidence)
            if progress:
                progress(probe.name, run.state)


def _run_one(probe: Probe, look: CaseLook, index: Index) -> Run:
    run = Run(probe)
    start = time.monotonic()
    missing = [kind.__name__ for kind in probe.needs if not look.has(kind)]
    if missing:
        run.skips = [Skip(needs=plain(", ".join(missing)))]
        run.state = "skipped"
        return run
    try:
        for item in probe.run(look):
            if isinstance(item, Finding):
                _admit(item, probe, index)
                run.findings.append(item)
            elif isinstance(item, Skip):
                run.skips.append(item)
            elif isinstance(item, Unread):
                run.unread.append(item)
            else:
                run.facts.append(item)
            if look.cancelled():
                break
    except Exception as problem:  # noqa: BLE001 - one probe's failure must not end the diagnosis
        run.error = f"{type(problem).__name__}: {problem}"
        run.state = "failed"
        run.seconds = time.monotonic() - start
        return run
    run.seconds = time.monotonic() - start
    run.state = _state(run, index)
    return run


def _state(run: Run, index: Index) -> State:
    if any(not _is_normal(f, index) for f in run.findings) or run.facts:
        return "found"
    if run.findings:
        return "absent"
    return "skipped" if run.skips or run.unread else "absent"


def _is_normal(finding: Finding, index: Index) -> bool:
    check = index.checks.get(finding.name)
    if check is None:
        return finding.outcome == "absent"
    return check.outcomes[finding.outcome].normal


def _admit(finding: Finding, probe: Probe, index: Index) -> None:
    """A name or outcome that the probe may not report is a bug of the probe."""
    if finding.name not in probe.tells:
        raise ValueError(f"probe {probe.name} may not tell {finding.name}")
    check = index.checks.get(finding.name)
    if check is None and finding.name not in index.symptoms:
        raise ValueError(f"no symptom or check {finding.name}")
    allowed = set(check.outcomes) if check else {"present", "absent"}
    if finding.outcome not in allowed:
        raise ValueError(f"{finding.name} has no outcome {finding.outcome}")


def _take(run: Run, evidence: Evidence) -> None:
    evidence.runs[run.probe.name] = run
    evidence.not_read += [NotRead(u.file, u.why.en, u.why.zh) for u in run.unread]
    host = run.probe.reads != "artefacts"
    for fact in run.facts:
        evidence.facts[type(fact)] = fact
    for finding in run.findings:
        evidence.observed.append(
            Observed(finding, run.probe.name, run.probe.reliability, this_host=host)
        )


# --- symptoms from log lines ----------------------------------------------------------------


def _symptoms_of_logs(evidence: Evidence, index: Index) -> None:
    """Root lines start a diagnosis; an either or victim line only if no earlier root explains it.

    A run that ended well cancels log text as evidence: what was logged did not stop it.
    """
    logs = evidence.fact(LogHits)
    if not isinstance(logs, LogHits):
        return
    hits = sorted((h for h in logs.hits if not h.benign), key=lambda h: h.order)
    if logs.ended == "well":
        hits = []
    told = {o.name for o in evidence.observed if o.outcome == "present"}
    first_root = next((h.order for h in hits if h.role == "root" and h.symptom), None)
    for hit in hits:
        if not hit.symptom or hit.role not in ("root", "either", "victim"):
            continue
        finding = Finding(hit.symptom, value=hit.captures, source=hit.source)
        observed = Observed(finding, "logs", "exact", hit.role)
        roots = told & _root_names(evidence)
        explained = first_root is not None and hit.role != "root" and hit.order >= first_root
        if explained or (hit.role != "root" and roots):
            if hit.symptom not in told:
                evidence.consequences.append(observed)
            continue
        if hit.symptom not in told:
            told.add(hit.symptom)
            evidence.observed.append(observed)
    _absent_symptoms(evidence, index, told)


def _root_names(evidence: Evidence) -> set[str]:
    """Symptoms that a probe saw itself and that explain later victim lines."""
    return {
        o.name
        for o in evidence.observed
        if o.outcome == "present" and o.name in ("python-exception", "data-loader-error")
    }


def _absent_symptoms(evidence: Evidence, index: Index, told: set[str]) -> None:
    for name, symptom in index.symptoms.items():
        if symptom.signatures and name not in told:
            absent = Finding(name, "absent", source=Source())
            evidence.observed.append(Observed(absent, "logs", "exact"))
