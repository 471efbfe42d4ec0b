"""Takes the stacks and states of a job's ranks on this node: a document of plain values.

Nothing is run in the processes but what ``probing``, where the job itself started it, answers.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from medic.i18n import Text

from . import in_process, spy
from .find import DUMP_PREFIXES, Process, children_of, processes
from .gpu_use import GpuSampler
from .places import is_library
from .state import state_of

SCHEMA = "medic.attach/1"
MAX_HELPERS, MAX_SOURCE = 64, 4 * 1024 * 1024
MAX_DUMPED = 8  # workers of one rank whose stacks are taken
Say = Callable[[str], None]


def gather(
    ranks: Sequence[Process], *, samples: int, seconds: float, say: Say = lambda _: None
) -> dict[str, Any]:
    """The document: every rank sampled ``samples`` times over ``seconds``."""
    program = spy.find_py_spy()
    every = processes()
    rows = [_row(rank, every) for rank in ranks]
    gpus = GpuSampler()
    start = time.monotonic()
    for number in range(samples):
        due = start + number * seconds / max(1, samples - 1)
        time.sleep(max(0.0, due - time.monotonic()))
        say(f"{number + 1}/{samples}")
        gpus.sample()
        for row in rows:
            _sample(row, program)
    took = time.monotonic() - start
    for row in rows:
        _look_at_workers(row, program)
    for row in rows:
        _ask_probing(row)
        for one in (row, *row["helpers"]):
            _add_source(one)
    gpus.close()
    return {
        "schema": SCHEMA, "time": time.time(), "host": socket.gethostname(), "seconds": took,
        "py_spy": bool(program), "ranks": rows, "gpus": gpus.rows,
        "local_world": max((r.local_world or 0 for r in ranks), default=0) or None,
        "not_done": [] if program else [[spy.MISSING.en, spy.MISSING.zh]],
    }  # fmt: skip


def _row(rank: Process, every: Mapping[int, Process]) -> dict[str, Any]:
    helpers = children_of(rank.pid, every)[:MAX_HELPERS]
    return {
        "pid": rank.pid, "rank": rank.rank, "local_rank": rank.local_rank, "world": rank.world,
        "command": rank.command, "samples": [], "problem": None, "files": _files_of(rank),
        "helpers": [{"pid": h.pid, "command": h.command, "samples": []} for h in helpers],
    }  # fmt: skip


def _sample(row: dict[str, Any], program: str | None) -> None:
    """One look at a rank and its helpers. A dump that failed once is not tried again."""
    state = state_of(row["pid"])
    sample: dict[str, Any] = {"state": _plain(state)}
    if program and state and state.letter not in ("Z", "X") and row["problem"] is None:
        spied = spy.dump(program, row["pid"])
        sample["threads"] = spied.threads
        if spied.problem is not None:
            row["problem"] = [spied.problem.en, spied.problem.zh]
    row["samples"].append(sample)
    for helper in row["helpers"]:
        helper["samples"].append({"state": _plain(state_of(helper["pid"]))})


def _look_at_workers(row: dict[str, Any], program: str | None) -> None:
    """The stacks of a rank's children, once, if the rank stood in the data loader."""
    last = [s for s in row["samples"] if s.get("threads")][-1:]
    files = [str(f.get("filename")) for f in _frames({"samples": last})]
    if program and any(f.endswith("torch/utils/data/dataloader.py") for f in files):
        for helper in row["helpers"][:MAX_DUMPED]:
            helper["samples"][-1]["threads"] = spy.dump(program, helper["pid"]).threads


def _files_of(rank: Process) -> list[str]:
    """Where its output goes, and the flight recorder's dumps that it wrote since it started."""
    found = []
    for number in ("1", "2"):
        with suppress(OSError):
            target = Path(f"/proc/{rank.pid}/fd/{number}").readlink()
            if target.is_absolute() and target.is_file():
                found.append(str(target))
    with suppress(OSError):
        start = Path(f"/proc/{rank.pid}").stat().st_mtime
        for prefix in filter(None, (rank.variables.get(n) for n in DUMP_PREFIXES)):
            dump = Path(f"{prefix}{rank.rank}")
            if dump.is_file() and dump.stat().st_mtime >= start:
                found.append(str(dump))
    return list(dict.fromkeys(found))


def _plain(state: Any) -> dict[str, Any] | None:
    if state is None:
        return None
    return {
        "letter": state.letter, "rss": state.rss, "threads": state.threads, "cpu": state.cpu,
        "waits_in": state.waits_in,
    }  # fmt: skip


def _ask_probing(row: dict[str, Any]) -> None:
    if in_process.listens(row["pid"]):
        answer = in_process.ask(row["pid"])
        problem: Text | None = answer.problem
        row["probing"] = {
            "tables": answer.tables,
            "problem": None if problem is None else [problem.en, problem.zh],
        }


# --- the text of the lines --------------------------------------------------------------------


def _add_source(row: dict[str, Any]) -> None:
    """The text of the user's own lines: a call into C shows only there."""
    read: dict[str, list[str]] = {}
    for frame in _frames(row):
        file, number = frame.get("filename"), frame.get("line")
        if not isinstance(file, str) or not isinstance(number, int) or is_library(file):
            continue
        if file not in read:
            read[file] = _lines(row["pid"], file) if Path(file).is_absolute() else []
        if 0 < number <= len(read[file]):
            frame["code"] = read[file][number - 1].strip()[:200]


def _frames(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for sample in row["samples"]:
        for thread in sample.get("threads") or ():
            frames = thread.get("frames") if isinstance(thread, dict) else None
            for frame in frames if isinstance(frames, list) else ():
                if isinstance(frame, dict):
                    yield frame


def _lines(pid: int, file: str) -> list[str]:
    """A source file as the process sees it (in its own container), else as this shell does."""
    for path in (Path(f"/proc/{pid}/root{file}"), Path(file)):
        with suppress(OSError):
            if path.suffix == ".py" and path.is_file() and path.stat().st_size <= MAX_SOURCE:
                return path.read_text("utf-8", "replace").splitlines()
    return []
