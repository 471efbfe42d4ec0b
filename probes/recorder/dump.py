"""One dump as a record of its rank's calls.

Keys: torch/csrc/distributed/c10d/FlightRecorder.hpp, versions 2.0 to 2.10. Collectives count
``collective_seq_id`` within their group; a group is known by its name, not by ``pg_id``, which
differs from rank to rank.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from medic.errors import Unreadable
from medic.facts import RankRecord, RecordedCall
from medic.text.patterns import regex
from medic.text.safetext import one_line

MAX_CALLS = 50_000
MAX_TENSORS = 4_096
MAX_RANKS = 100_000
# DDP's reducer calls from the autograd engine's thread, which has no Python frame.
C_CALL = "C++ autograd engine (backward)"
STATES = ("scheduled", "started", "completed")
_LIBRARY = regex(r"/(?:site|dist)-packages/|/lib/python\d|^<frozen|^<string>")


def record_of(root: Any, rank: int, file: str, modified: float) -> RankRecord:
    """The record in a dump's plain value. Raises Unreadable where it is no dump."""
    entries = root.get("entries") if isinstance(root, dict) else None
    if not isinstance(root, dict) or not (isinstance(entries, list) or "pg_status" in root):
        raise Unreadable("no dump of the flight recorder", "不是 flight recorder 转储")
    status = _mapping(root.get("pg_status"))
    done = {str(k): _whole(_mapping(v).get("last_completed_collective")) for k, v in status.items()}
    rows = entries[-MAX_CALLS:] if isinstance(entries, list) else []
    traced = any(isinstance(row, dict) and row.get("frames") for row in rows)
    calls = [call for row in rows if (call := _call(row, done, traced)) is not None]
    members = {}
    for name, config in _mapping(root.get("pg_config")).items():
        if ranks := _ranks(_mapping(config).get("ranks")):
            members[one_line(str(name)[:80])] = ranks
    return RankRecord(rank, file, tuple(calls), members, modified)


def _call(row: Any, done: Mapping[str, int | None], traced: bool) -> RecordedCall | None:
    """``traced``: the dump has Python frames, so that a call without any was made by C++."""
    if not isinstance(row, dict):
        return None
    p2p = row.get("is_p2p") is True
    sequence = _whole(row.get("p2p_seq_id" if p2p else "collective_seq_id"))
    if sequence is None:
        sequence = _whole(row.get("seq_id"))  # before version 2.0
    if sequence is None:
        return None
    state = row.get("state") if row.get("state") in STATES else "scheduled"
    last = None if p2p else done.get(str(_whole(row.get("pg_id"))))
    created = _whole(row.get("time_created_ns"))
    ended = (state == "completed" and not _aborted(row, created)) or row.get("retired") is True
    is_open = not (ended or (last is not None and sequence <= last))
    return RecordedCall(
        group=_group(row),
        sequence=sequence,
        operation=_operation(row.get("profiling_name")),
        state="scheduled" if is_open and state == "completed" else str(state),
        is_open=is_open,
        sizes_in=_sizes(row.get("input_sizes")),
        sizes_out=_sizes(row.get("output_sizes")),
        dtypes=tuple(
            one_line(d[:24]) for d in _list(row.get("input_dtypes")) if isinstance(d, str)
        ),
        created=created / 1e9 if created else None,
        timeout_ms=_whole(row.get("timeout_ms")),
        call_site=_site(row.get("frames"))
        or (C_CALL if traced and row.get("frames") == [] else ""),
        is_p2p=p2p,
    )


def _aborted(row: Mapping[Any, Any], created: int | None) -> bool:
    """Whether it ended with its communicator: the abort after a timeout completes what waits, and
    the watchdog then never retires it (ProcessGroupNCCL.cpp, ``abortComms``)."""
    end, limit = _whole(row.get("time_discovered_completed_ns")), _whole(row.get("timeout_ms"))
    if row.get("retired") is not False or not (created and end and limit):
        return False
    return end - created >= limit * 1_000_000


def _group(row: Mapping[Any, Any]) -> str:
    """The group's name, the same on all its ranks."""
    named = row.get("process_group")
    if isinstance(named, (list, tuple)) and named and isinstance(named[0], str):
        return one_line(named[0][:80])
    return str(_whole(row.get("pg_id")) or 0)


def _operation(name: Any) -> str:
    """ "all_reduce" of "nccl:all_reduce"."""
    return one_line(name.rpartition(":")[2][:60]) if isinstance(name, str) else ""


def _site(frames: Any) -> str:
    """The innermost frame that is not of an installed package."""
    for frame in islice(frames if isinstance(frames, list) else (), 400):
        if not isinstance(frame, dict):
            continue
        file, line = frame.get("filename"), _whole(frame.get("line"))
        if isinstance(file, str) and file and line and not _LIBRARY.search(file):
            return f"{one_line(file[:300])}:{line}"
    return ""


def _sizes(value: Any) -> tuple[tuple[int, ...], ...]:
    """Shapes, one a tensor; a flat list of numbers is one shape."""
    rows = _list(value)[:MAX_TENSORS]
    if rows and all(_whole(n) is not None for n in rows):
        rows = [rows]
    shapes = []
    for row in rows:
        shape = tuple(_whole(n) for n in _list(row)[:16])
        shapes.append(tuple(n for n in shape if n is not None))
    return tuple(shapes)


def _ranks(value: Any) -> tuple[int, ...]:
    """ "[0, 1, 2]", as text or as a list."""
    if isinstance(value, str):
        return tuple(int(n) for n in re.findall(r"\d{1,6}", value[: 8 * MAX_RANKS])[:MAX_RANKS])
    ranks = (_whole(n) for n in _list(value)[:MAX_RANKS])
    return tuple(n for n in ranks if n is not None)


def _mapping(value: Any) -> Mapping[Any, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []


def _whole(value: Any) -> int | None:
    """A count below 2^62, also as JSON's text; None for anything else."""
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,18}", value):
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and -1 <= value < 1 << 62:
        return value
    return None
