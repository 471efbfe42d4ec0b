"""Orders the probes by the facts they need and give, and runs them with limits."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from itertools import chain

from medic.case.collect import Case, NotRead
from medic.facts import LogHits, OtherRuns
from medic.facts.words import lacking
from medic.index.knowledge import Index
from medic.probe import Finding, Probe, Skip, Unread
from medic.run_config import RunConfig
from medic.runner import registry
from medic.runner.crew import Crew
from medic.runner.evidence import Evidence, Observed, Run, State
from medic.runner.look import CaseLook

Progress = Callable[[str, str], None]
Waves = Sequence[Sequence[Probe]]


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
    waves: Waves | None = None,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    crew: Crew | None = None,
) -> Evidence:
    """Runs the probes over the case. A probe that fails or hangs is told, and the rest goes on.

    ``waves``: the probes ``in_waves``, from whoever has the same ones look at many cases; ``crew``:
    who runs them, for all of the cases.
    """
    evidence = Evidence(not_read=list(case.not_read))
    cancel = cancel or threading.Event()
    look = CaseLook(case, index, evidence.facts, cancel)
    if waves is None:
        waves = in_waves(registry.all_probes() if probes is None else probes)
    # Signatures cost a start: a lint of configs does without them.
    reads_logs = any(LogHits in p.gives for p in chain.from_iterable(waves))
    if reads_logs and look.files("log"):
        look.prepare()
    tell = progress or (lambda *_: None)
    with Crew() if crew is None else nullcontext(crew) as at_work:
        _run_all(waves, at_work, look, index, evidence, tell)
    _keep_apart(evidence)
    evidence.cancelled = cancel.is_set()
    evidence.host_is_the_runs = look.host_is_the_runs
    evidence.observed.sort(key=lambda o: (o.probe, o.name, o.finding.source.line))
    evidence.not_read = list(dict.fromkeys(evidence.not_read))
    unread = [u.file for r in evidence.runs.values() for u in r.unread if not u.partly]
    unread += [n.file for n in case.not_read]
    # In the order of the files: which probe opened one first is chance.
    places = {file.path: n for n, file in enumerate(case.files)}
    read = sorted(look.read.copy().items(), key=lambda one: places.get(one[0], len(places)))
    evidence.read = {f: size for f, size in read if not _among(f, unread)}
    if reads_logs:
        from medic.runner.logsymptoms import answers_of_logs, settings_hits, symptoms_of_logs

        symptoms_of_logs(evidence, index)
        answers_of_logs(evidence, index, settings_hits(look, evidence.fact(RunConfig)))
    return evidence


def _keep_apart(evidence: Evidence) -> None:
    """Leaves out what holds a log against the configuration of another run."""
    others, config = evidence.fact(OtherRuns), evidence.fact(RunConfig)
    if others is None or not others.logs or config is None:
        return
    places = {f for s in config.settings if s.origin.span for f in (s.origin.span.file,)}

    def holds(one: Observed) -> bool:
        files = {s.file for s in (one.finding.source, *one.finding.more)}
        return bool(files & others.logs) and bool(files & places)

    evidence.observed = [one for one in evidence.observed if not holds(one)]


def in_waves(probes: Iterable[Probe]) -> Waves:
    """The probes in the order of their facts: those whose facts are there, then those that need
    what these give."""
    waves: list[list[Probe]] = []
    waiting = list(probes)
    while waiting:
        waves.append(_ready(waiting) or waiting[:1])
        begun = {p.name for p in waves[-1]}
        waiting = [p for p in waiting if p.name not in begun]
    return waves


def _run_all(
    waves: Waves, crew: Crew, look: CaseLook, index: Index, evidence: Evidence, tell: Progress
) -> None:
    def work(probe: Probe) -> Run:
        return _run_one(probe, look.for_probe(probe), index)

    for ready in waves:
        if look.cancelled():
            break
        for probe in ready:
            tell(probe.name, "start")
        idle = {p.name: run for p in ready if (run := _idle(p, look))}
        busy = [p for p in ready if p.name not in idle]
        for run in chain(idle.values(), crew.runs(work, busy, look.cancelled)):
            _take(run, evidence)
            tell(run.probe.name, run.state)


def _among(file: str, places: Sequence[str]) -> bool:
    """Whether a place ("file" or "file:line") is of this file."""
    return any(p == file or p.startswith(f"{file}:") for p in places)


def _ready(waiting: Sequence[Probe]) -> list[Probe]:
    """Those that need and want nothing that another of them gives."""
    givers = Counter(kind for probe in waiting for kind in probe.gives)
    return [
        probe
        for probe in waiting
        if all(givers[k] == (k in probe.gives) for k in (*probe.needs, *probe.wants))
    ]


def _idle(probe: Probe, look: CaseLook) -> Run | None:
    """What becomes of a probe that is not run: facts are missing, or files of its kinds."""
    missing = [kind for kind in probe.needs if not look.has(kind)]
    if missing:
        return Run(probe, "skipped", skips=[Skip(needs=lacking(missing))])
    if probe.files and not look.files(*probe.files):
        return Run(probe, "skipped" if probe.without else "absent", skips=list(probe.without))
    return None


def _run_one(probe: Probe, look: CaseLook, index: Index) -> Run:
    run = Run(probe)
    if look.cancelled():
        return run
    start = time.monotonic()
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
    if any(not index.is_normal(f.name, f.outcome) for f in run.findings) or run.facts:
        return "found"
    if run.findings:
        return "absent"
    return "skipped" if run.skips or run.unread else "absent"


def _admit(finding: Finding, probe: Probe, index: Index) -> None:
    """A name or outcome that the probe may not report is a bug of the probe."""
    if finding.name not in probe.tells:
        raise ValueError(f"probe {probe.name} may not tell {finding.name}")
    outcomes = index.outcomes(finding.name)
    if not outcomes:
        raise ValueError(f"no symptom or check {finding.name}")
    if finding.outcome not in outcomes:
        raise ValueError(f"{finding.name} has no outcome {finding.outcome}")


def _take(run: Run, evidence: Evidence) -> None:
    evidence.runs[run.probe.name] = run
    evidence.not_read += [
        NotRead(u.file, u.why.en, u.why.zh, u.aside, u.earlier) for u in run.unread
    ]
    host = run.probe.reads != "artefacts"
    for fact in run.facts:
        evidence.facts[type(fact)] = fact
        (evidence.host_facts.add if host else evidence.host_facts.discard)(type(fact))
    for finding in run.findings:
        reliability = "exact" if finding.exact else run.probe.reliability
        evidence.observed.append(Observed(finding, run.probe.name, reliability, this_host=host))
