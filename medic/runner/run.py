"""Orders the probes by the facts they need and give, and runs them with limits."""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from medic.case.collect import Case, NotRead
from medic.facts import LogHits
from medic.facts.words import lacking
from medic.index.knowledge import Index
from medic.probe import Finding, Probe, Skip, Unread
from medic.runner import registry
from medic.runner.evidence import Evidence, Observed, Run, State
from medic.runner.look import CaseLook

WORKERS = 4
PATIENCE = 0.05  # seconds
LATE = "time limit"
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
) -> Evidence:
    """Runs the probes over the case. A probe that fails or hangs is told, and the rest goes on.

    ``waves``: the probes ``in_waves``, from whoever has the same ones look at many cases.
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
    crew = _Crew(lambda probe: _run_one(probe, look.for_probe(probe), index), cancel)
    _run_all(waves, crew, look, evidence, progress or (lambda *_: None))
    evidence.cancelled = cancel.is_set()
    evidence.host_is_the_runs = look.host_is_the_runs
    evidence.observed.sort(key=lambda o: (o.probe, o.name, o.finding.source.line))
    evidence.not_read = list(dict.fromkeys(evidence.not_read))
    unread = [u.file for r in evidence.runs.values() for u in r.unread if not u.partly]
    unread += [n.file for n in case.not_read]
    evidence.read = {f: size for f, size in look.read.copy().items() if not _among(f, unread)}
    if reads_logs:
        from medic.runner.logsymptoms import answers_of_logs, settings_hits, symptoms_of_logs

        symptoms_of_logs(evidence, index)
        answers_of_logs(evidence, index, settings_hits(look))
    return evidence


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


def _run_all(waves: Waves, crew: _Crew, look: CaseLook, evidence: Evidence, tell: Progress) -> None:
    try:
        for ready in waves:
            if look.cancelled():
                break
            for probe in ready:
                tell(probe.name, "start")
            idle = {p.name: run for p in ready if (run := _idle(p, look))}
            busy = [p for p in ready if p.name not in idle]
            for run in chain(idle.values(), crew.runs(busy)):
                _take(run, evidence)
                tell(run.probe.name, run.state)
    finally:
        crew.dismiss()


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


class _Crew:
    """Threads that run probes: one, and another whenever those at work are long at it.

    A probe's limit counts from its own start; one that outlasts it is told and left behind: its
    daemon thread ends with the process.
    """

    def __init__(self, work: Callable[[Probe], Run], cancel: threading.Event) -> None:
        self._work = work
        self._cancel = cancel
        self._todo: queue.SimpleQueue[Probe | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[Run] = queue.SimpleQueue()
        self._started: dict[str, float] = {}
        self._threads = self._lost = 0

    def _serve(self) -> None:
        while (probe := self._todo.get()) is not None:
            self._started[probe.name] = time.monotonic()
            self._done.put(self._work(probe))

    def _hire(self) -> None:
        if self._threads - self._lost < WORKERS:
            self._threads += 1
            threading.Thread(target=self._serve, daemon=True).start()

    def runs(self, probes: Sequence[Probe]) -> Iterator[Run]:
        """The run of each probe as it ends, or outlasts its limit."""
        pending = {probe.name: probe for probe in probes}
        for probe in probes:
            self._todo.put(probe)
        if pending and self._threads == self._lost:
            self._hire()
        while pending and not self._cancel.is_set():
            try:
                run = self._done.get(timeout=PATIENCE)
                if pending.pop(run.probe.name, None) is not None:
                    yield run
            except queue.Empty:
                if not self._todo.empty():
                    self._hire()
            for probe in self._late(pending):
                del pending[probe.name]
                self._lost += 1
                self._hire()
                yield Run(probe, "failed", error=LATE)

    def _late(self, pending: Mapping[str, Probe]) -> list[Probe]:
        now = time.monotonic()
        begun = [p for name, p in pending.items() if name in self._started]
        return [p for p in begun if now - self._started[p.name] > p.limit_seconds]

    def dismiss(self) -> None:
        for _ in range(self._threads):
            self._todo.put(None)


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
    evidence.not_read += [NotRead(u.file, u.why.en, u.why.zh, u.aside) for u in run.unread]
    host = run.probe.reads != "artefacts"
    for fact in run.facts:
        evidence.facts[type(fact)] = fact
        (evidence.host_facts.add if host else evidence.host_facts.discard)(type(fact))
    for finding in run.findings:
        reliability = "exact" if finding.exact else run.probe.reliability
        evidence.observed.append(Observed(finding, run.probe.name, reliability, this_host=host))
