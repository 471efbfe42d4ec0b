"""Whether one rank failed before the others, or all at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Collective, Collectives, FailedRank, LogHits, Ranks, Tracebacks
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip

from . import needs, quiet_ranks
from .verdict import Order, own_failures

CHECK = "first-failing-rank"
# Ranks that fail of themselves in one step do so within seconds: a collective keeps them together.
TOGETHER_SECONDS = 10.0
# Symptoms that tell of an end, or of others' end, and nothing of its reason.
_ENDS = frozenset(
    [
        "process-crashed-by-signal",
        "python-exception",
        "stopped-without-a-word",
        "rank-exited",
        "nccl-error",
        "network-unreachable",
        "link-fault",
        "rendezvous-failed",
    ]
)


def run(look: Look) -> Iterator[Finding | Skip]:
    logs, ranks = look.fact(LogHits), look.fact(Ranks)
    if logs.ended == "well" or (ranks.first is None and logs.ended != "badly"):
        yield Finding(CHECK, "none")
        return
    if len(ranks.seen) < 2:
        yield _of_writers(look.fact(Tracebacks)) or Skip(needs.SEVERAL_RANKS, check=CHECK)
        return
    own: dict[int, tuple[Order, FailedRank]] = {}
    for order, failed in own_failures(logs, look.fact(Tracebacks).all):
        own.setdefault(failed.rank, (order, failed))
    timeouts = look.fact(Collectives).timeouts if look.has(Collectives) else ()
    for rank, source in quiet_ranks.crashes(logs, timeouts).items():
        crashed = FailedRank(rank, source, quiet_ranks.words(source))
        own.setdefault(rank, ((source.time or 0.0, 0, source.line), crashed))
    outcome = judge(ranks, own, {t.rank for t in timeouts})
    if outcome is None:
        yield Skip(needs.SEVERAL_RANKS, check=CHECK)
        return
    first = _first(ranks, own, timeouts)
    if first is None:
        return
    if (unknown := _unordered(ranks, own)) is not None:
        yield unknown
        return
    if outcome == "died-before-others":
        if _ran_out(first, look.fact(Tracebacks), timeouts):
            outcome = "ran-out-of-batches"
        elif error := _known(first, logs):
            outcome = "died-of-known-error"
    # Of a failure that nothing names, its line: never an empty reason.
    reason = first.reason or first.source.text.strip()[:200] or first.source.where()
    value = {"rank": first.rank, "reason": reason}
    if outcome == "died-of-known-error":
        value["error"] = error
    # The lines of ranks that ended after it show that all failed, not that this one did first.
    more = tuple(f.source for f in ranks.others) if outcome == "all-at-once" else ()
    yield Finding(CHECK, outcome, value=value, source=first.source, more=more)


def _unordered(ranks: Ranks, own: dict[int, tuple[Order, FailedRank]]) -> Finding | None:
    """Several ranks that failed of themselves, each in its own way or beside others that did not,
    where nothing tells which was first."""
    failed = [f for _, f in sorted(own.values(), key=lambda f: f[1].rank)]
    alike = len({f.reason for f in failed}) == 1 and set(own) >= set(ranks.seen)
    if len(failed) < 2 or alike or ranks.in_order:
        return None
    value = {"ranks": ", ".join(f"{f.rank} ({f.reason[:60]})" for f in failed[:4])}
    more = tuple(f.source for f in failed[1:4])
    return Finding(CHECK, "order-unknown", value=value, source=failed[0].source, more=more)


def _of_writers(tracebacks: Tracebacks) -> Finding | None:
    """Which host or process failed first, where lines name those and no rank.

    Only what another writer saw of it afterwards tells that it was alone.
    """
    told = sorted((t for t in tracebacks.all if t.uncaught and t.writer), key=lambda t: t.order)
    own = [t for t in told if not t.victim]
    if not own or not any(t.victim and t.writer != own[0].writer for t in told):
        return None
    if len({t.writer for t in own}) > 1:
        return None
    first = own[0]
    reason = f"{first.exception}: {first.message}" if first.message else first.exception
    value = {"rank": first.writer, "reason": reason[:200]}
    return Finding(CHECK, "died-before-others", value=value, source=first.source)


def _first(
    ranks: Ranks, own: dict[int, tuple[Order, FailedRank]], timeouts: Sequence[Collective]
) -> FailedRank | None:
    """A failure of a rank's own before what the launcher saw first."""
    if ranks.first is not None and (not own or ranks.first.rank in own):
        return ranks.first
    if own:
        return min(own.values(), key=lambda f: f[0])[1]
    return next((FailedRank(t.rank, t.source, _timed_out(t)) for t in timeouts), None)


def _timed_out(call: Collective) -> str:
    return f"{call.operation} (SeqNum {call.sequence}) timed out"


def _known(first: FailedRank, logs: LogHits) -> str:
    """The symptom that a line of the rank's own tells, which says why it ended, and not only that it
    did; empty where none does."""
    told = (
        hit.symptom
        for hit in logs.hits
        if hit.role == "root"
        and not hit.benign
        and not hit.shared
        and bool(hit.symptom)
        and hit.symptom not in _ENDS
        and (hit.source.file, hit.source.line) == (first.source.file, first.source.line)
    )
    return next(told, "")


def _ran_out(first: FailedRank, tracebacks: Tracebacks, timeouts: Sequence[Collective]) -> bool:
    """Whether the loader of this rank ended, while another rank was in a collective of a step."""
    raised = any(
        t.exception == "StopIteration" and t.source == first.source and not t.worker
        for t in tracebacks.all
    )
    return raised and any(t.rank != first.rank for t in timeouts)


def judge(
    ranks: Ranks, own: dict[int, tuple[Order, FailedRank]], timed_out: set[int]
) -> str | None:
    """The outcome, None if the logs do not tell it.

    A rank failed first if others had no failure of their own, or only later ones.
    """
    if not own:
        if ranks.first is not None and not quiet_ranks.by_others(ranks.first):
            same = [o for o in ranks.others if o.reason == ranks.first.reason]
            return "all-at-once" if len(same) + 1 >= len(ranks.seen) else "died-before-others"
        return "all-at-once" if timed_out and timed_out >= set(ranks.seen) else None
    if set(own) < set(ranks.seen):
        return "died-before-others"
    times = sorted(order[0] for order, _ in own.values())
    if times[0] and times[1] - times[0] > TOGETHER_SECONDS:
        return "died-before-others"
    return "all-at-once"


PROBE = Probe(
    name="failing-rank",
    title=Text("the rank that failed first", "最先失败的 rank"),
    tells=(CHECK,),
    run=run,
    needs=(LogHits, Ranks, Tracebacks),
    wants=(Collectives,),
    seconds=0.01,
    limit_seconds=5.0,
)
