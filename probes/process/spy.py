"""py-spy as an external program: it reads a process's memory and runs nothing in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from medic.i18n import Text
from medic.records import dataclass

TIMEOUT = 20.0  # seconds; a dump takes some 0.1 s, that of a process in state D never ends
MAX_OUTPUT = 16 * 1024 * 1024
MISSING = Text(
    "py-spy is not installed: pip install py-spy (or pip install 'llm-medic[attach]')",
    "未安装 py-spy：pip install py-spy（或 pip install 'llm-medic[attach]'）",
)
REFUSED = Text(
    "the system does not let py-spy read this process: run as the same user (or root); in a "
    "container start it with --cap-add SYS_PTRACE; on a host with ptrace_scope 1: "
    "sudo sysctl kernel.yama.ptrace_scope=0",
    "系统不允许 py-spy 读取该进程：请用同一用户（或 root）运行；容器需以 --cap-add SYS_PTRACE "
    "启动；若主机的 ptrace_scope 为 1：sudo sysctl kernel.yama.ptrace_scope=0",
)
GONE = Text("the process has ended", "进程已结束")
SLOW = Text(
    "py-spy did not answer in {seconds} s: the process may be in state D",
    "py-spy 在 {seconds} 秒内没有结果：进程可能处于 D 状态",
)


@dataclass(frozen=True)
class Spied:
    """What py-spy printed, parsed, or why there is nothing."""

    threads: Any = None
    problem: Text | None = None


def find_py_spy() -> str | None:
    """The absolute path of py-spy: on PATH, or beside the Python that runs medic."""
    found = shutil.which("py-spy") or shutil.which("py-spy", path=str(Path(sys.executable).parent))
    return str(Path(found).absolute()) if found else None


def dump(program: str, pid: int, timeout: float = TIMEOUT) -> Spied:
    """One dump of a process's Python threads. The process stands still for milliseconds."""
    command = [program, "dump", "--json", "--full-filenames", "--pid", str(int(pid))]
    environment = {k: v for k, v in os.environ.items() if k not in ("RUST_BACKTRACE", "RUST_LOG")}
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False,
            env=environment,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Spied(problem=SLOW.fill(seconds=f"{timeout:.0f}"))
    except OSError as problem:
        words = problem.strerror or "cannot be started"
        return Spied(problem=Text(f"py-spy: {words}", f"py-spy：{words}"))
    if done.returncode:
        return Spied(problem=_why(pid, done.stderr[:8_192].decode("utf-8", "replace")))
    try:
        return Spied(threads=json.loads(done.stdout[:MAX_OUTPUT]))
    except (ValueError, RecursionError):
        return Spied(problem=Text("py-spy printed no JSON", "py-spy 的输出不是 JSON"))


def _why(pid: int, words: str) -> Text:
    if not Path(f"/proc/{pid}").exists() or "No such process" in words:
        return GONE
    if "ermission denied" in words or "not permitted" in words or "EPERM" in words:
        return REFUSED
    first = next((line for line in words.splitlines() if line.strip()), "")[:200]
    return Text(f"py-spy: {first}", f"py-spy：{first}")
