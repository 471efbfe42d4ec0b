"""Who waits for whom, from the dumps of all ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from medic.facts import Collective, RankRecord, RecordedCall, RecordVerdict, Source
from medic.i18n import Text
from medic.records import dataclass, replace

from ..logs.collective_ranks import judge
from . import p2p
from .words import LINE, NO_DUMP, NO_LINE, NOT_IN, ROW, last_words, line_of, words

TOLD = 16
# Sizes of these legitimately differ from rank to rank; of the others, what is compared.
_UNEVEN = frozenset(
    {
        "gather", "scatter", "all_to_all", "alltoall", "alltoall_base", "all_to_all_single",
        "all_to_allv", "all_to_all_vbase", "ALLTOALL_BASE", "coalesced",
    }
)  # fmt: skip
_OUTPUTS, _INPUTS = frozenset({"all_gather"}), frozenset({"reduce_scatter"})


@dataclass(frozen=True)
class Group:
    """One process group: the calls of each of its ranks by sequence number."""

    name: str
    calls: Mapping[int, Mapping[int, RecordedCall]]
    members: frozenset[int]  # by the group's own list, else the ranks that called in it

    def open(self, rank: int) -> RecordedCall | None:
        """The first call that has not ended on a rank."""
        found = (c for _, c in sorted(self.calls.get(rank, {}).items()) if c.is_open)
        return next(found, None)

    def last(self, rank: int) -> RecordedCall | None:
        calls = self.calls.get(rank, {})
        return calls[max(calls)] if calls else None


def groups_of(records: Sequence[RankRecord]) -> list[Group]:
    """The groups in which some rank waits, the one that began to wait first in front."""
    calls: dict[str, dict[int, dict[int, RecordedCall]]] = {}
    members: dict[str, set[int]] = {}
    for record in records:
        for name, listed in record.members.items():
            members.setdefault(name, set()).update(listed)
        for call in record.calls:
            if not call.is_p2p:
                by_rank = calls.setdefault(call.group, {})
                by_rank.setdefault(record.rank, {})[call.sequence] = call
    groups = []
    for name, by_rank in calls.items():
        ranks: Iterable[int] = members.get(name) or (
            {r.rank for r in records} if name in ("0", "") else set(by_rank)
        )
        groups.append(Group(name, by_rank, frozenset(ranks)))
    waiting = [g for g in groups if _since(g) is not None]
    return sorted(waiting, key=lambda g: (_since(g) or 0.0, g.name))


def _since(group: Group) -> float | None:
    times = [c.created or 0.0 for r in group.calls if (c := group.open(r)) is not None]
    return min(times, default=None)


def verdict(records: Sequence[RankRecord]) -> RecordVerdict | None:
    """What the dumps tell together; None if no rank waits, or nothing can be told."""
    files = {r.rank: r for r in records}
    groups = groups_of(records)
    for group in groups:
        if made := _mismatch(group, files):
            return made
    for group in groups:
        if made := _shifted(group, files):
            return made
    for group in groups:
        if made := _absent(group, files):
            return made
    if made := _unmet(records, files):
        return made
    for group in groups:
        if made := _crossed(group, groups, files):
            return made
    for group in groups:
        if _all_wait(group, files):
            return _made("same-on-all", group, _opened(group), files)
    return None


# --- calls that do not fit together ----------------------------------------------------------


def _mismatch(group: Group, files: Mapping[int, RankRecord]) -> RecordVerdict | None:
    """The first sequence number at which the ranks called something else."""
    numbers = sorted({n for calls in group.calls.values() for n in calls})
    for number in numbers:
        calls = {r: c[number] for r, c in sorted(group.calls.items()) if number in c}
        if len({_call(c) for c in calls.values()}) > 1:
            outcome = judge([_collective(r, c, files[r]) for r, c in calls.items()])
            return _made(outcome, group, calls, files) if outcome else None
    return None


def _shifted(group: Group, files: Mapping[int, RankRecord]) -> RecordVerdict | None:
    """Ranks that wait in other numbers or at other places of the code."""
    calls = _opened(group)
    outcome = judge([_collective(r, c, files[r]) for r, c in calls.items()])
    return _made(outcome, group, calls, files) if outcome and len(calls) > 1 else None


def _call(call: RecordedCall) -> tuple[object, ...]:
    return (call.operation, _compared(call), call.dtypes)


def _compared(call: RecordedCall) -> tuple[object, ...]:
    name = call.operation
    if name in _UNEVEN:
        return ()
    if name in _OUTPUTS:
        return call.sizes_out
    return call.sizes_in if name in _INPUTS else (call.sizes_in, call.sizes_out)


def _collective(rank: int, call: RecordedCall, record: RankRecord) -> Collective:
    """The call as a watchdog would tell it."""
    return Collective(
        rank=rank,
        sequence=call.sequence,
        operation=call.operation,
        elements_in=None,
        elements_out=None,
        timeout_ms=call.timeout_ms,
        source=_source(record, call),
        group=call.group,
        call_site=call.call_site,
        shape=f"{_compared(call)} {call.dtypes}",
    )


# --- ranks that are not there ----------------------------------------------------------------


def _absent(group: Group, files: Mapping[int, RankRecord]) -> RecordVerdict | None:
    """A member that has not joined the call in which others wait, and waits in nothing itself."""
    missing = _missing(group, files)
    calls = _opened(group)
    idle = [r for r in missing if r in files and not any(c.is_open for c in files[r].calls)]
    if idle:
        lasts = {r: group.last(r) for r in idle}
        line = LINE.fill(rank=idle[0], last=last_words(lasts[idle[0]]))
        return _with_missing(_made("silent-rank-alive", group, calls, files, line), lasts, files)
    gone = [r for r in missing if r not in files]
    if gone:
        return _with_missing(
            _made("one-rank-silent", group, calls, files), dict.fromkeys(gone), files
        )
    return None


def _missing(group: Group, files: Mapping[int, RankRecord]) -> list[int]:
    """Members whose last call lies before the one that others wait in."""
    at = min((c.sequence for c in _opened(group).values()), default=0)
    found = []
    for rank in sorted(group.members):
        last = group.last(rank)
        if rank not in files or last is None or last.sequence < at:
            found.append(rank)
    return found


def _crossed(
    group: Group, groups: Sequence[Group], files: Mapping[int, RankRecord]
) -> RecordVerdict | None:
    """Ranks that wait for each other in different groups: the calls come in different order."""
    for rank in _missing(group, files):
        for other in groups:
            if other is group or other.open(rank) is None:
                continue
            if set(_missing(other, files)) & set(_opened(group)):
                calls = {**_opened(other), **_opened(group)}
                return _made("call-site-differs", group, calls, files)
    return None


def _all_wait(group: Group, files: Mapping[int, RankRecord]) -> bool:
    """Whether every member has the call open: one that has ended anywhere had all ranks in it."""
    waiting = _opened(group)
    return len(waiting) > 1 and not _missing(group, files) and set(waiting) >= set(group.calls)


def _unmet(records: Sequence[RankRecord], files: Mapping[int, RankRecord]) -> RecordVerdict | None:
    """A send or receive without its other half."""
    found = p2p.unmet(records)
    if found is None:
        return None
    told = tuple(ROW.fill(rank=rank, told=words(call)) for rank, call in found.calls.items())
    sources = tuple(_source(files[r], c) for r, c in found.calls.items())
    spans = [files[r].modified - c.created for r, c in found.calls.items() if c.created is not None]
    limits = [c.timeout_ms for c in found.calls.values() if c.timeout_ms]
    made = RecordVerdict(
        found.outcome,
        told,
        sources,
        waited=max(0.0, *spans) if spans else 0.0,
        timeout=limits[0] / 1000 if limits else None,
    )
    if not found.missing:
        return made
    lasts = {
        r: files[r].calls[-1] if r in files and files[r].calls else None for r in found.missing
    }
    idle = found.missing[0]
    line = LINE.fill(rank=idle, last=last_words(lasts[idle])) if idle in files else made.line
    return _with_missing(replace(made, line=line), lasts, files)


# --- in words ---------------------------------------------------------------------------------


def _opened(group: Group) -> dict[int, RecordedCall]:
    return {r: call for r in sorted(group.calls) if (call := group.open(r)) is not None}


def _made(
    outcome: str | None,
    group: Group,
    calls: Mapping[int, RecordedCall],
    files: Mapping[int, RankRecord],
    line: Text = NO_LINE,
) -> RecordVerdict | None:
    if outcome is None:
        return None
    shown = list(calls.items())[:TOLD]
    told = tuple(ROW.fill(rank=rank, told=words(call)) for rank, call in shown)
    sources = tuple(_source(files[r], c) for r, c in shown)
    waited, timeout = _waited(group, files)
    return RecordVerdict(outcome, told, sources, line, waited, timeout)


def _with_missing(
    made: RecordVerdict | None,
    missing: Mapping[int, RecordedCall | None],
    files: Mapping[int, RankRecord],
) -> RecordVerdict | None:
    """``missing``: each rank that is not in the call, with the last call that it made."""
    if made is None:
        return None
    told = [ROW.fill(rank=r, told=NOT_IN if r in files else NO_DUMP) for r in list(missing)[:TOLD]]
    own = tuple(
        Source(file=files[r].file, rank=r, text=f"rank {r}: {line_of(call) if call else '-'}")
        for r, call in missing.items()
        if r in files
    )
    sources = (*own, *made.sources)
    return replace(made, told=(*made.told, *told), sources=sources, missing=tuple(missing))


def _waited(group: Group, files: Mapping[int, RankRecord]) -> tuple[float, float | None]:
    """Seconds from the oldest open call to the writing of its dump (0: unknown), and its limit."""
    calls = [(r, c, c.created) for r, c in _opened(group).items()]
    spans = [(files[r].modified - at, c.timeout_ms) for r, c, at in calls if at is not None]
    span, limit = max(spans, default=(0.0, None), key=lambda s: s[0])
    return max(0.0, span), limit / 1000 if limit else None


def _source(record: RankRecord, call: RecordedCall) -> Source:
    return Source(file=record.file, rank=record.rank, time=call.created, text=line_of(call))
