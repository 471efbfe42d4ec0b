"""What a process that runs ``probing`` answers over its own socket: stack and tables, read-only.

Protocol of probing 0.2 (probing-cli, src/cli/ctrl.rs): HTTP over the abstract Unix socket
``@probing-PID``; ``POST /query`` takes a SQL text. Only SELECTs of this module are sent; its eval
endpoint, which runs code in the process, is never used.
"""

from __future__ import annotations

import json
import socket
from typing import Any

from medic.i18n import Text
from medic.records import dataclass
from medic.text.safetext import one_line

from .find import PROC

TIMEOUT, MAX_ANSWER, MAX_ROWS = 5.0, 4 * 1024 * 1024, 200
STACK = "SELECT func, file, lineno, depth FROM python.backtrace WHERE frame_type = 'Python' ORDER BY depth LIMIT 200"
COLUMNS = (
    "SELECT column_name FROM information_schema.columns "
    "WHERE table_schema = 'python' AND table_name = 'torch_trace'"
)
# The handbook's two questions about a running job: slow modules, and memory from step to step.
SLOW_MODULES = (
    "SELECT module, stage, COUNT(*) AS count, AVG(duration) AS avg_time, SUM(duration) AS total_time "
    "FROM python.torch_trace WHERE {step} > (SELECT MAX({step}) - 5 FROM python.torch_trace) "
    "GROUP BY module, stage ORDER BY total_time DESC LIMIT 10"
)
MEMORY = (
    "SELECT {step} AS step, MAX(allocated) AS peak_memory, MAX(allocated) - MIN(allocated) AS "
    "memory_range FROM python.torch_trace WHERE {step} > (SELECT MAX({step}) - 20 FROM "
    "python.torch_trace) GROUP BY {step} ORDER BY {step}"
)
Rows = list[dict[str, str]]


@dataclass(frozen=True)
class Answer:
    """Rows by table name; ``problem`` says why something is missing."""

    tables: dict[str, Rows]
    problem: Text | None = None


def listens(pid: int) -> bool:
    """Whether the process has the socket, told by /proc/net/unix."""
    try:
        text = (PROC / "net" / "unix").read_text("utf-8", "replace")
    except OSError:
        return False
    return any(line.endswith(f"@probing-{pid}") for line in text.splitlines())


def ask(pid: int) -> Answer:
    """The stack and, where torch is traced, the two tables. Never raises for the far side."""
    tables: dict[str, Rows] = {}
    try:
        tables["backtrace"] = _query(pid, STACK)
        step = _step_column(pid)
        if step:
            tables["slow-modules"] = _query(pid, SLOW_MODULES.replace("{step}", step))
            tables["memory"] = _query(pid, MEMORY.replace("{step}", step))
    except (OSError, ValueError, RecursionError) as problem:
        words = one_line(str(problem) or type(problem).__name__, 160)
        return Answer(tables, Text(f"probing: {words}", f"probing：{words}"))
    return Answer(tables)


def _step_column(pid: int) -> str:
    """ "step", or "local_step" of later releases; "" where torch is not traced."""
    names = {row.get("column_name") for row in _query(pid, COLUMNS, quiet=True)}
    return next((n for n in ("step", "local_step") if n in names), "")


def _query(pid: int, sql: str, *, quiet: bool = False) -> Rows:
    """Rows of a SELECT. Raises OSError, and ValueError for what it does not understand."""
    message = {
        "version": {"major": 0, "minor": 1, "patch": 0}, "timestamp": 0,
        "payload": {"expr": sql, "opts": None},
    }  # fmt: skip
    payload = json.loads(_post(pid, json.dumps(message).encode())).get("payload")
    if isinstance(payload, dict) and "DataFrame" in payload:
        return _rows(payload["DataFrame"])
    if quiet or not isinstance(payload, dict):
        return []
    error = payload.get("Error")
    raise ValueError(error.get("message") if isinstance(error, dict) else "no rows")


def _post(pid: int, body: bytes) -> str:
    head = (
        "POST /query HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(TIMEOUT)
        client.connect(f"\0probing-{pid}")
        client.sendall(head.encode() + body)
        answer = bytearray()
        while len(answer) < MAX_ANSWER and (piece := client.recv(65_536)):
            answer += piece
    status, _, text = answer.decode("utf-8", "replace").partition("\r\n\r\n")
    if " 200 " not in status.split("\r\n", 1)[0]:
        raise ValueError(text[:200] or status[:80])
    return text


def _rows(frame: Any) -> Rows:
    names, cols = frame.get("names"), frame.get("cols")
    if not isinstance(names, list) or not isinstance(cols, list):
        raise ValueError("no table")
    columns: list[Any] = [next(iter(c.values()), []) if isinstance(c, dict) else [] for c in cols]
    return [
        {one_line(str(n), 60): one_line(str(v), 200) for n, v in zip(names, row, strict=False)}
        for row in list(zip(*columns, strict=False))[:MAX_ROWS]
    ]
