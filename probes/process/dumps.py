"""Dumps of py-spy, as text and as JSON, as threads. Written from py-spy 0.3 and 0.4's own output."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from medic.errors import Unreadable
from medic.facts import Frame, Thread
from medic.records import dataclass
from medic.text.patterns import regex
from medic.text.safetext import one_line

MAX_BYTES = 32 * 1024 * 1024
MAX_THREADS, MAX_FRAMES = 4_096, 512
_PROCESS = regex(r"^Process (\d{1,10}): (.*)$")
_THREAD = regex(
    r"^Thread (?:0x[0-9A-Fa-f]{1,16}|\d{1,20}) \((active|idle)(\+gil)?\)(?:: \"(.*)\")?\s*$"
)
_FRAME = regex(r"^\s{2,}(?P<function>.{1,400}?) \((?P<file>[^()]{1,1000}):(?P<line>\d{1,9})\)\s*$")


@dataclass(frozen=True)
class Dump:
    """The threads of one process; ``line`` is where it begins in its file."""

    pid: int
    command: str
    threads: tuple[Thread, ...]
    line: int = 1

    @property
    def main(self) -> Thread | None:
        named = [t for t in self.threads if t.name == "MainThread"]
        return next(iter(named or self.threads), None)


def parse(data: bytes) -> tuple[Dump, ...]:
    """The dumps in a file, in its order. Raises Unreadable where there is none."""
    text = data.decode("utf-8", "replace")
    found = _of_json(text) if text.lstrip()[:1] in ("[", "{") else tuple(_of_text(text))
    if not found:
        raise Unreadable("no py-spy dump in it", "其中没有 py-spy 堆栈")
    return found


# --- text -------------------------------------------------------------------------------------


def _of_text(text: str) -> Iterator[Dump]:
    """Each "Process PID: COMMAND" begins a dump."""
    head: tuple[int, str, int] | None = None
    threads: list[tuple[str, bool, bool, list[Frame]]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if found := _PROCESS.match(line):
            if head:
                yield _dump(head, threads)
            head, threads = (int(found[1]), one_line(found[2], 400), number), []
        elif (found := _THREAD.match(line)) and len(threads) < MAX_THREADS:
            threads.append((one_line(found[3] or "", 80), found[1] == "active", bool(found[2]), []))
        elif threads and (found := _FRAME.match(line)) and len(threads[-1][3]) < MAX_FRAMES:
            threads[-1][3].append(_frame(found["function"], found["file"], int(found["line"])))
    if head:
        yield _dump(head, threads)


def _dump(
    head: tuple[int, str, int], threads: Sequence[tuple[str, bool, bool, list[Frame]]]
) -> Dump:
    made = tuple(Thread(name, tuple(frames), on, gil) for name, on, gil, frames in threads)
    return Dump(head[0], head[1], made, head[2])


def _frame(function: str, file: str, line: int, code: str = "") -> Frame:
    return Frame(one_line(file, 400), line, one_line(function, 200), one_line(code, 200))


# --- JSON -------------------------------------------------------------------------------------


def _of_json(text: str) -> tuple[Dump, ...]:
    try:
        root = json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable("no valid JSON: cut off?", "不是有效的 JSON：文件不完整？") from None
    return dumps_of(root)


def dumps_of(root: Any) -> tuple[Dump, ...]:
    """The dumps of ``py-spy dump --json``: a list of threads, each with its pid."""
    by_pid: dict[int, list[dict[str, Any]]] = {}
    for row in root if isinstance(root, list) else ():
        if isinstance(row, dict) and isinstance(row.get("frames"), list):
            by_pid.setdefault(_whole(row.get("pid")), []).append(row)
    found = []
    for pid, rows in by_pid.items():
        threads = tuple(_thread(row) for row in rows[:MAX_THREADS])
        info = rows[0].get("process_info")
        command = info.get("command_line") if isinstance(info, dict) else ""
        found.append(Dump(pid, one_line(str(command or ""), 400), threads))
    return tuple(found)


def _thread(row: dict[str, Any]) -> Thread:
    frames = [f for f in row["frames"][:MAX_FRAMES] if isinstance(f, dict)]
    active = row.get("active")
    return Thread(
        one_line(str(row.get("thread_name") or ""), 80),
        tuple(
            _frame(
                str(f.get("name") or ""),
                str(f.get("filename") or f.get("short_filename") or ""),
                _whole(f.get("line")),
                str(f.get("code") or ""),
            )
            for f in frames
        ),
        active if isinstance(active, bool) else None,
        row.get("owns_gil") is True,
    )


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


# --- whose dump it is -------------------------------------------------------------------------


def role(dump: Dump) -> str:
    """ "worker", "launcher", "helper" or "rank": by the frames of any thread."""
    files = [(f.file, f.function) for t in dump.threads for f in t.frames]
    if any(
        f.endswith("torch/utils/data/_utils/worker.py") and n == "_worker_loop" for f, n in files
    ):
        return "worker"
    launcher = ("torch/distributed/launcher/api.py", "torch/distributed/elastic/agent/server/api.py",
                "deepspeed/launcher/launch.py")  # fmt: skip
    if any(f.endswith(launcher) for f, _ in files):
        return "launcher"
    helpers = ("multiprocessing/resource_tracker.py", "multiprocessing/forkserver.py",
               "torch/_inductor/compile_worker/__main__.py")  # fmt: skip
    if any(f.endswith(helpers) for f, _ in files):
        return "helper"
    return "rank"
