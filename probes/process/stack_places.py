"""What the stacks of all ranks say of a hang, of the data loader, and of the odd rank out."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean

from medic.facts import FlightRecords, RankStack, Source, Stacks
from medic.i18n import Text, joined
from medic.probe import Finding, Look, Probe, Skip

from .judge import Judged, gone_row, judge, line_of, outcomes, row_of, told, words, workers_told

RANKS, BUSY, STALL, HANG = "collective-ranks", "busy-rank", "stall-point", "training-hangs"
BOUND, STARVED = "step-bound", "gpu-starved"
# Of all looks at all ranks; one look finds a healthy loader at work now and then.
LOADER_SHARE, MIN_LOOKS = 0.8, 4
RECORDER = Text(
    "the flight recorder's dumps or the watchdog's lines of all ranks: a stack does not tell "
    "which call of a sequence it is",
    "所有 rank 的 flight recorder 转储或 watchdog 日志：堆栈看不出是第几次调用",
)
NODES = Text(
    "the stacks of the ranks on the other nodes (medic attach there, all files to one diagnose)",
    "其他节点上各 rank 的堆栈（在那里运行 medic attach，再把各文件一起交给 diagnose）",
)


def run(look: Look) -> Iterator[Finding | Skip]:
    stacks = look.fact(Stacks)
    judged = judge(stacks)
    yield from _loader_bound(look, stacks)
    if judged.hangs:
        yield Finding(HANG, value=_span(stacks), source=_source(judged), more=_more(judged))
    if judged.open:
        yield Skip(RECORDER if judged.open == "recorder" else NODES, check=RANKS)
    if judged.ranks and not _recorded(look):
        seen = (*judged.apart, *judged.waiting)[:1]
        value = {"told": told(judged), "line": words(seen[0].spot) if seen else ""}
        yield Finding(RANKS, judged.ranks, value, _source(judged), _more(judged))
    if judged.hangs:
        yield from _busy(judged, stacks)


def _recorded(look: Look) -> bool:
    """Whether the flight recorder answers the same question with the calls themselves."""
    return look.has(FlightRecords) and look.fact(FlightRecords).verdict is not None


def _busy(judged: Judged, stacks: Stacks) -> Iterator[Finding]:
    busy, stall = outcomes(judged, stacks)
    value = {"told": _line(judged), "rank": judged.apart[0].label if judged.apart else ""}
    if busy:
        yield Finding(BUSY, busy, value, _source(judged), _more(judged))
    if stall:
        yield Finding(STALL, stall, value, _source(judged), _more(judged))


def _loader_bound(look: Look, stacks: Stacks) -> Iterator[Finding]:
    """The ranks stand in the loader at nearly every look while their GPUs idle."""
    spots = [s for r in stacks.ranks for s in r.spots]
    if len(spots) < MIN_LOOKS or not all(len(r.spots) > 1 for r in stacks.ranks):
        return
    share = sum(s.act == "loader" for s in spots) / len(spots)
    pids = {r.pid for r in stacks.ranks}
    use = [u for g in stacks.gpus if pids & set(g.pids) or not g.pids for u in g.utilisation]
    if share < LOADER_SHARE or not use or mean(use) >= look.threshold("starved-utilisation"):
        return
    first = stacks.ranks[0]
    value = {"utilisation": f"{mean(use):.0f}%", "share": f"{share:.0%}"}
    yield Finding(STARVED, value=value, source=first.source)
    yield Finding(BOUND, "loader-bound", value, first.source)


def _span(stacks: Stacks) -> dict[str, str]:
    return {"seconds": f"{stacks.seconds:.0f}"} if stacks.seconds else {}


def _line(judged: Judged) -> Text:
    if judged.apart:
        rows = [(row_of(r), workers_told(r)) for r in judged.apart[:4]]
        with_workers = Text("{row} [{workers}]", "{row} [{workers}]")
        return joined(
            with_workers.fill(row=row, workers=workers) if workers.en else row
            for row, workers in rows
        )
    return joined(gone_row(name) for name in judged.gone[:4])


def _source(judged: Judged) -> Source:
    """The odd rank's own frames, else the first that waits."""
    ranks = (*judged.apart, *judged.waiting)
    return _with_words(ranks[0]) if ranks else Source()


def _more(judged: Judged) -> tuple[Source, ...]:
    ranks = (*judged.apart[:4], *judged.waiting[:4])
    return tuple(_with_words(r) for r in ranks[1:])


def _with_words(rank: RankStack) -> Source:
    place = rank.source
    stands = f"{line_of(rank.spot)} | {place.text}" if rank.spots else f"state {rank.states}"
    text = f"{rank.label}: {stands}"
    return Source(file=place.file, line=place.line, rank=rank.rank, text=text)


PROBE = Probe(
    name="stack-places",
    title=Text("where the stacks stand", "调用栈所在位置"),
    tells=(RANKS, BUSY, STALL, HANG, BOUND, STARVED),
    run=run,
    needs=(Stacks,),
    wants=(FlightRecords,),
    reliability="heuristic",
    seconds=0.01,
    limit_seconds=5.0,
)
