"""Who failed first, and whether an exception of one's own explains the end."""

from __future__ import annotations

from collections.abc import Sequence

from medic.facts import FailedRank, Hit, LogHits, Ranks, Traceback

from .launcher import Failure

Order = tuple[float, int, int]
MESSAGE_LINES = 6  # NCCL's and state_dict's messages go over several lines
# What ranks see of each other, whoever notices it.
_MET = frozenset(["collective-mismatch", "collective-timeout"])
# A symptom of these does not end a process by itself.
_NO_END = frozenset(["training-slow", "gpu-starved", "loss-spike", "link-fault", "resume-jumps"])


def own_failures(logs: LogHits, tracebacks: Sequence[Traceback]) -> list[tuple[Order, FailedRank]]:
    """Failures that a rank had itself, in order; not what it saw of another's end."""
    found: list[tuple[Order, FailedRank]] = []
    for tb in tracebacks:
        own = tb.uncaught and not tb.victim and not _victim_of(tb, logs)
        if own and tb.source.rank is not None:
            reason = f"{tb.exception}: {tb.message}" if tb.message else tb.exception
            found.append((tb.order, FailedRank(tb.source.rank, tb.source, reason[:200])))
    for hit in logs.hits:
        rank = hit.source.rank
        own = hit.role == "root" and not hit.benign and hit.symptom not in _NO_END | _MET
        if own and rank is not None:
            found.append((hit.order, FailedRank(rank, hit.source, hit.symptom)))
    return sorted(found, key=lambda f: (f[0], f[1].rank))


def _victim_of(tb: Traceback, logs: LogHits) -> bool:
    """Whether the exception's line is one that only tells of another rank (an NCCL abort …)."""
    roles = {h.role for h in hits_of(tb, logs.hits)}
    return bool(roles & {"victim", "either"}) and "root" not in roles


def hits_of(tb: Traceback, hits: Sequence[Hit]) -> list[Hit]:
    """Hits within a traceback, and those of its message's further lines."""
    return [
        h
        for h in hits
        if h.source.file == tb.source.file
        and h.role != "context"
        and h.benign in ("", "handled")
        and _belongs(h, tb)
    ]


def _belongs(hit: Hit, tb: Traceback) -> bool:
    line = hit.source.line
    if tb.first_line <= line <= tb.source.line:
        return hit.source.rank in (tb.source.rank, None)
    # Further lines of a message come from the same rank; what a launcher then says does not.
    near = tb.source.line < line <= tb.source.line + MESSAGE_LINES
    return near and hit.source.rank == tb.source.rank and hit.role != "victim"


def ranks(logs: LogHits, tracebacks: Sequence[Traceback], reports: Sequence[Failure]) -> Ranks:
    """The Ranks fact. The launcher's report names ranks that left no words of their own."""
    own = own_failures(logs, tracebacks)
    first_of: dict[int, tuple[Order, FailedRank]] = {}
    for order, failed in own:
        first_of.setdefault(failed.rank, (order, failed))
    first = own[0][1] if own else _reported(reports, tracebacks, logs)
    in_order = comparable([*first_of.values()])
    if not in_order and (named := [r.rank for r in reports if r.first and r.rank in first_of]):
        first, in_order = first_of[named[0]][1], len(set(named)) == 1
    others = [f for _, f in first_of.values() if first is None or f.rank != first.rank]
    told = {f.rank for f in others} | ({first.rank} if first else set())
    for report in reports:
        if report.rank not in told:
            told.add(report.rank)
            others.append(FailedRank(report.rank, report.source, report.words()))
    seen = sorted({*logs.ranks, *(r.rank for r in reports)})
    by_rank = tuple(sorted(others, key=lambda f: f.rank))
    return Ranks(first=first, others=by_rank, seen=tuple(seen), in_order=in_order)


def comparable(failures: Sequence[tuple[Order, FailedRank]]) -> bool:
    """Whether the order of failures is known: lines of one file stand in it, those of several files
    have none without a time."""
    files = {failed.source.file for _, failed in failures}
    return len(files) < 2 or all(order[0] for order, _ in failures)


def _reported(
    reports: Sequence[Failure], tracebacks: Sequence[Traceback], logs: LogHits
) -> FailedRank | None:
    """The agent's first failure; a SIGTERM is what the agent itself sent to the others.

    An exit that the rank's own traceback lays on another one is no first failure.
    """
    victims = {t.source.rank for t in tracebacks if t.uncaught and t.victim}
    victims |= {h.source.rank for h in logs.hits if h.symptom in _MET and not h.benign}
    reports = [r for r in reports if r.rank not in victims]
    chosen = [r for r in reports if r.first] or [r for r in reports if r.exit_code != -15]
    if not chosen:
        return None
    return FailedRank(chosen[0].rank, chosen[0].source, chosen[0].words())


def unexplained(logs: LogHits, tracebacks: Sequence[Traceback]) -> Traceback | None:
    """The first exception of a process's own that ended it and that no signature tells better.

    A root line at or before it, on whatever rank, explains it already.
    """
    if logs.ended == "well":
        return None
    roots = [h.order for h in logs.hits if h.role == "root" and not h.benign]
    for tb in sorted(tracebacks, key=lambda t: t.order):
        if not tb.uncaught or tb.victim or _told(tb, logs):
            continue
        if any(order <= tb.order for order in roots):
            return None
        return tb
    return None


def _told(tb: Traceback, logs: LogHits) -> bool:
    return any(h.role in ("root", "either", "victim") for h in hits_of(tb, logs.hits))
