"""What log lines tell: which starts a diagnosis, which only follows, which answers a check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from medic.beliefs.likelihoods import DOUBTED
from medic.entries.words import TELLTALE
from medic.errors import Unreadable
from medic.facts import Hit, LogHits, Source, Tracebacks
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.learning_rates import adam_like
from medic.probe import SAYS, Finding
from medic.records import replace
from medic.run_config import OVERRIDDEN, RunConfig
from medic.runner.evidence import Evidence, Observed
from medic.runner.look import CaseLook
from medic.text.patterns import regex

_FORETOLD = Text("foretold by this line: {title}", "由这一行可预见：{title}")
_AT_ONCE = ("checkpoint", "network")  # families of what is seen in one line though training goes on
_RATE = "learning-rate-stated"
EXCEPTION = "python-exception"  # what any line of a traceback may be
_LEVELS = frozenset(("loss-is-zero", "loss-plateau", "loss-oscillates", "loss-suspiciously-low"))


def symptoms_of_logs(evidence: Evidence, index: Index) -> None:
    """Root lines start a diagnosis; an either or victim line only if no earlier root explains it.

    A run that ended well cancels log text as evidence: what was logged did not stop it.
    """
    logs = evidence.fact(LogHits)
    if not isinstance(logs, LogHits):
        return
    told_of_faults = (h for h in logs.hits if not (h.benign or _is_advice(h, index)))
    hits = sorted(told_of_faults, key=lambda h: h.order)
    if logs.ended == "well":
        hits = []
    told = {o.name for o in evidence.observed if o.outcome == "present"}
    denied = {
        o.name for o in evidence.observed if o.outcome == "absent" and o.reliability == "exact"
    }
    raised = _raised(evidence)
    hits = list(_as_read(hits, raised, evidence, index))
    timed_out = _TIMEOUT in told or any(h.symptom == _TIMEOUT for h in hits)
    root = next((h for h in hits if h.role == "root" and h.symptom), None)
    for hit in hits:
        if not hit.symptom or hit.role not in ("root", "either", "victim"):
            continue
        finding = Finding(hit.symptom, value=_values(hit, index), source=hit.source)
        # A line that many programs print may be of anything that raises.
        also = (EXCEPTION,) if hit.shared and _place(hit.source) in raised else ()
        sure = DOUBTED if hit.shared else "exact"
        observed = Observed(finding, "logs", sure, hit.role, also=also)
        roots = told & _root_names(evidence)
        explained = root is not None and hit.role != "root" and _follows(hit, root)
        explained = explained or _by_watchdog(hit, timed_out=timed_out) or _by_hang(hit, told)
        if explained or (hit.role != "root" and roots):
            if hit.symptom not in told | denied:
                evidence.consequences.append(observed)
            continue
        if hit.symptom not in told:
            told.add(hit.symptom)
            evidence.observed.append(observed)
    if not told and not evidence.consequences and logs.ended != "well":
        for found in _said_by_errors(logs, index):
            told.add(found.name)
            evidence.observed.append(found)
    _absent_symptoms(evidence, index, told)


def _values(hit: Hit, index: Index) -> Mapping[str, Any]:
    """What a line captures, and what it says itself where its entry tells that."""
    raw = index.raw["symptoms"].get(hit.symptom, {})
    if hit.check == TELLTALE:
        raw = index.raw["causes"].get(hit.outcome, {}).get("telltale", {})
    own = (s for s in raw.get("signatures", ()) if s["id"] == hit.signature)
    said = next((s["seen"] for s in own if s.get("seen")), None)
    if said:
        return {**hit.captures, SAYS: Text(said["en"], said["zh"])}
    symptom = index.symptoms[hit.symptom]
    shown = index.raw["symptoms"][hit.symptom].get("signatures")
    of_steps = symptom.goes_on and not (shown and symptom.family in _AT_ONCE)
    if hit.check == TELLTALE and of_steps:  # no line alone shows it
        return {**hit.captures, SAYS: _FORETOLD.fill(title=symptom.title)}
    return hit.captures


def _is_advice(hit: Hit, index: Index) -> bool:
    """Whether a line would show a symptom, and is one that healthy programs print, too."""
    from medic.match import harmless

    return bool(hit.symptom) and hit.role != "victim" and harmless(hit.source.text, index)


def _follows(hit: Hit, root: Hit) -> bool:
    """Whether a line comes after a root; of lines of two files without times nobody knows it, and
    the one that says why goes first."""
    apart = hit.source.file != root.source.file and None in (hit.source.time, root.source.time)
    return apart or hit.order >= root.order


def _as_read(
    hits: Sequence[Hit], raised: set[tuple[str, int]], evidence: Evidence, index: Index
) -> Iterator[Hit]:
    """A line of which a probe says that its cause is out shows no symptom of that cause, either: it
    is an exception where it ends a traceback, and nothing elsewhere."""
    for hit in hits:
        of_cause = hit.check == TELLTALE and bool(hit.symptom)
        if of_cause and _place(hit.source) in raised and _is_of_steps(hit, index):
            yield replace(hit, symptom=EXCEPTION, captures={})
        elif not (of_cause and _read_otherwise(hit, evidence, index)):
            yield hit
        elif _place(hit.source) in raised:
            yield replace(hit, symptom=EXCEPTION, captures={}, shared=False)


def _is_of_steps(hit: Hit, index: Index) -> bool:
    """Whether the symptom of the line's cause is a level of the loss over steps that go on, which a
    line that raises does not show, and the cause may raise instead."""
    cause = index.causes.get(hit.outcome)
    raises = cause is not None and any(s.symptom == EXCEPTION for s in cause.shows)
    return raises and hit.symptom in _LEVELS


# Torch ends the process with this signal after a collective timed out.
_ABORT = regex(r"-6\b|SIGABRT|Aborted|\b134\b")
_TIMEOUT = "collective-timeout"
_CRASH = ("process-crashed-by-signal", "crash-signal")


def _by_watchdog(hit: Hit, *, timed_out: bool) -> bool:
    """Whether the abort of a process follows from the timeout of its collective."""
    crash = hit.symptom in _CRASH or hit.check in _CRASH
    return crash and timed_out and bool(_ABORT.search(hit.source.text))


# The run had hung before: that its time was up, or that it was cancelled, only ended the wait.
_UP = regex(r"TIME LIMIT|TIMEOUT|CANCELLED AT \S+ \*|DEADLINE|[Tt]imeout|wall ?time")


def _by_hang(hit: Hit, told: set[str]) -> bool:
    by_scheduler = hit.symptom == "job-ended-by-scheduler" or hit.outcome == "time-limit-reached"
    return by_scheduler and "training-hangs" in told and bool(_UP.search(hit.source.text))


def _raised(evidence: Evidence) -> set[tuple[str, int]]:
    """Places of the lines that end a traceback with frames."""
    told = evidence.fact(Tracebacks)
    if not isinstance(told, Tracebacks):
        return set()
    return {_place(one.source) for one in told.all if one.frames}


def _place(source: Source) -> tuple[str, int]:
    return source.file, source.line


# Behind the level of a message: what it says.
_LEVEL = regex(r"(?:ERROR|FATAL|CRITICAL|[Ee]rror|[Ff]atal|[Cc]ritical|错误)[\]:：)|\s-]+")
LAST_ERRORS = 20


def _said_by_errors(logs: LogHits, index: Index) -> Iterator[Observed]:
    """Symptoms that the last messages of level ERROR tell in words, where no line is a known one.

    A message that training steps follow in its log stopped nothing.
    """
    from medic.match import complaints, harmless

    trained = {s.source.file: s.source.line for s in logs.steps}
    marks = [m.source for m in logs.marks if m.signature == "error-level"]
    marks = [source for source in marks if not harmless(source.text, index)]
    told: set[str] = set()
    for source in [s for s in marks if s.line > trained.get(s.file, 0)][-LAST_ERRORS:]:
        words = _LEVEL.split(source.text, 1)[-1][:400]
        for match, also in complaints(words, index):
            if not also and match.name not in told:
                told.add(match.name)
                yield Observed(Finding(match.name, source=source), "logs", "heuristic", "either")


SETTINGS_BYTES = 256 * 1024
SETTINGS_FILES = 20


def settings_hits(look: CaseLook, config: RunConfig | None = None) -> list[Hit]:
    """What configs and launch scripts themselves say: lines that answer checks, no failures. A line
    whose value another one overrides says nothing of the run, nor does one of a rate of another
    optimizer than those whose rates are known."""
    hits: list[Hit] = []
    values = config.values.values() if config is not None else ()
    also = [origin for value in values for _, origin in value.also if origin.note == OVERRIDDEN]
    gone = {(origin.span.file, origin.span.line) for origin in also if origin.span is not None}
    foreign = config is not None and not adam_like(config)
    for file in look.files("config", "script")[:SETTINGS_FILES]:
        if file.size <= SETTINGS_BYTES:
            with suppress(Unreadable):
                hits += look.scan_settings(file.path).hits
    return [
        replace(h, benign="")
        for h in hits
        if h.check and not h.symptom and _place(h.source) not in gone
        if not (foreign and h.check == _RATE)
    ]


def answers_of_logs(evidence: Evidence, index: Index, settings: Sequence[Hit] = ()) -> None:
    """Checks that a line answers: the telling line that comes first, before other outcomes' lines.

    Lines that tell of a failure do not count of a run that ended well.
    """
    logs = evidence.fact(LogHits)
    of_logs = logs.hits if isinstance(logs, LogHits) else ()
    well = isinstance(logs, LogHits) and logs.ended == "well"
    answered = {o.name for o in evidence.observed}
    told: dict[str, list[Hit]] = {}
    beside = index.beside
    present = {
        o.name for o in (*evidence.observed, *evidence.consequences) if o.outcome == "present"
    }
    for hit in (*of_logs, *settings):
        if hit.check in beside and present.isdisjoint(beside[hit.check]):
            continue  # as a frame of any traceback, where no memory was short
        if _by_watchdog(hit, timed_out=_TIMEOUT in present) or _by_hang(hit, present):
            continue
        if hit.check == TELLTALE and _read_otherwise(hit, evidence, index):
            continue
        if hit.check and not hit.benign and not (hit.symptom and well):
            told.setdefault(hit.check, []).append(hit)
    for check in sorted(told.keys() - answered):
        order = list(index.checks[check].outcomes)
        best = min(told[check], key=lambda h: _telling(h, check, order))
        # A line may be one that several causes print.
        same = [h for h in told[check] if h.order == best.order and h.role == best.role]
        for hit in {h.outcome: h for h in same}.values() if check == TELLTALE else (best,):
            finding = Finding(check, hit.outcome, value=hit.captures, source=hit.source)
            setting = check == TELLTALE and hit.role == "context"
            sure = "heuristic" if setting else "exact"  # a setting is in use in many a good run
            sure = DOUBTED if hit.shared else sure
            evidence.observed.append(Observed(finding, "logs", sure))


def _read_otherwise(hit: Hit, evidence: Evidence, index: Index) -> bool:
    """Whether a probe that read more than this line says of it what rules the line's cause out."""
    at = _place(hit.source)
    said = {
        (o.name, o.outcome)
        for o in evidence.observed
        if o.reliability == "exact" and o.name != TELLTALE and _place(o.finding.source) == at
    }
    links = index.links(hit.outcome) if said else ()
    return any((t.check, t.outcome) in said and t.weight == "rules-out" for t in links)


_ROLES = ("root", "either", "context", "victim")


def _telling(hit: Hit, check: str, order: list[str]) -> tuple[int, bool, tuple[float, int, int]]:
    """Of telltales the first failure that leaves no doubt, else the first; of other checks the
    first outcome that its entry lists."""
    if check == TELLTALE:
        role = _ROLES.index(hit.role) if hit.role in _ROLES else len(_ROLES)
        return role, hit.shared, hit.order
    return order.index(hit.outcome), False, hit.order


def _root_names(evidence: Evidence) -> set[str]:
    """Symptoms that a probe saw itself and that explain later victim lines."""
    return {
        o.name
        for o in evidence.observed
        if o.outcome == "present" and o.name in (EXCEPTION, "data-loader-error")
    }


def _absent_symptoms(evidence: Evidence, index: Index, told: set[str]) -> None:
    told = told | {o.name for o in evidence.consequences}
    for name, raw in index.raw["symptoms"].items():  # decoding them all would cost a start
        if raw.get("signatures") and name not in told:
            absent = Finding(name, "absent", source=Source())
            evidence.observed.append(Observed(absent, "logs", "exact"))
