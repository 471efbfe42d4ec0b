"""What the watchdogs of torch tell about a collective that timed out, rank by rank."""

from __future__ import annotations

import re
from collections.abc import Callable

from medic.facts import Collective, Source
from medic.records import dataclass, field
from medic.text.patterns import regex

from .digits import whole

_TIMEOUT = regex(
    r"Watchdog caught collective operation timeout: WorkNCCL\(SeqNum=(\d+), OpType=(\w+)"
    r"(?:, TensorShape=\[([^\]]*)\])?(?:, NumelIn=(\d+), NumelOut=(\d+))?, Timeout\(ms\)=(\d+)\)"
)
# (last enqueued, last completed) sequence number of a rank, as its watchdog tells it.
STATE = regex(
    r"last enqueued (?:NCCL )?work: (-?\d+),(?: last started (?:NCCL )?work: -?\d+,)? "
    r"last completed (?:NCCL )?work: (-?\d+)",
    re.IGNORECASE,
)
_RANK = regex(r"\bRank (\d+)\]")
_GROUP = regex(r"\[PG (?:ID )?(\S+)(?: PG GUID (\S+))?")
_FRAME = regex(r"\s*#\d+ (.+?) from (\S+):(\d+)\s*$")
_LIBRARY = regex(r"/(?:site|dist)-packages/|/lib/python\d")


@dataclass
class _Told:
    """All that one rank said about one sequence number."""

    sequence: int
    operation: str = ""
    shape: str = ""
    elements_in: int | None = None
    elements_out: int | None = None
    timeout_ms: int | None = None
    source: Source = field(default_factory=Source)


class Watchdogs:
    """Feeds on lines of all files; the first timeout of a rank and group counts."""

    def __init__(self) -> None:
        self._told: dict[tuple[int, str], _Told] = {}
        self._state: dict[tuple[int, str], tuple[int, int]] = {}
        self._sites: dict[int, str] = {}
        self._open: dict[str, int] = {}  # stream -> rank whose stack trace is being read
        self._latest: str | None = None  # frames come without prefix where no launcher adds one

    def gap(self) -> None:
        self._open.clear()
        self._latest = None

    def blank(self, stream: str) -> None:
        """A blank line ends the stack trace of its stream, one without prefix the latest."""
        self._open.pop(stream or self._latest or "", None)

    def feed(self, body: str, rank: int | None, stream: str, at: Callable[[], Source]) -> None:
        if self._open and body.startswith("#") and self._frame(body, stream):
            return
        if "atchdog" not in body and "work:" not in body and "Stack trace of" not in body:
            return
        named = _RANK.search(body)
        rank = whole(named.group(1)) if named else rank
        if rank is None:
            return
        if "Stack trace of the failed collective:" in body:
            self._open[stream] = rank
            self._latest = stream
            return
        found = _GROUP.search(body)
        group = (found.group(2) or found.group(1)).rstrip("]") if found else ""
        if timeout := _TIMEOUT.search(body):
            self._timeout(timeout, rank, at())
        elif state := STATE.search(body):
            self._state.setdefault((rank, group), (whole(state.group(1)), whole(state.group(2))))

    def _timeout(self, found: re.Match[str], rank: int, source: Source) -> None:
        sequence, operation, shape, n_in, n_out, timeout = found.groups()
        told = _Told(
            whole(sequence), operation, shape or "", source=source, timeout_ms=whole(timeout)
        )
        told.elements_in = whole(n_in) if n_in else None
        told.elements_out = whole(n_out) if n_out else None
        self._told.setdefault((rank, ""), told)

    def _frame(self, body: str, stream: str) -> bool:
        found = _FRAME.match(body)
        stream = stream if stream in self._open else self._latest or ""
        if found is None or stream not in self._open:
            return False
        _, file, line = found.groups()
        if not _LIBRARY.search(file):
            self._sites.setdefault(self._open[stream], f"{file}:{line}")
        return True

    def collectives(self) -> tuple[Collective, ...]:
        """One a rank, in the order of ranks."""
        made = []
        for (rank, _), told in sorted(self._told.items()):
            groups = [(g, s) for (r, g), s in self._state.items() if r == rank]
            group, state = groups[0] if groups else ("", (None, None))
            made.append(
                Collective(
                    rank=rank,
                    sequence=told.sequence,
                    operation=told.operation,
                    elements_in=told.elements_in,
                    elements_out=told.elements_out,
                    timeout_ms=told.timeout_ms,
                    source=told.source,
                    last_enqueued=state[0],
                    last_completed=state[1],
                    group=group,
                    call_site=self._sites.get(rank, ""),
                    shape=told.shape,
                )
            )
        return tuple(made)
