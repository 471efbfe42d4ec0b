"""Looking at a live job from outside: which processes, what is run, and where the look is kept."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from medic.config import state_dir
from medic.errors import UsageError
from medic.i18n import Text, plain
from medic.records import dataclass

SAMPLES, SECONDS = 5, 8.0  # looks at each process, from the first to the last
MAX_RANKS = 64  # of one node


@dataclass(frozen=True)
class Plan:
    """The ranks that will be looked at, and whether py-spy is there for their stacks.

    ``processes`` are the probe's own records: pid, rank, command. ``left_out`` counts the ranks
    beyond MAX_RANKS: they are not looked at.
    """

    processes: tuple[Any, ...]
    py_spy: str
    left_out: int = 0


def plan_of(pids: Sequence[int]) -> Plan:
    """The ranks of the jobs that these processes belong to; without ids, of the only job here.

    Raises UsageError where a process is gone, none is found, or several jobs run here.
    """
    find = import_module("medic.probes.process.find")
    every = find.processes()
    for pid in pids:
        if pid not in every:
            raise UsageError(f"no process {pid} here", f"本机没有进程 {pid}")
    if not pids:
        pids = _only_job(find.heads(every))
    ranks = find.ranks_of(pids, every)
    spy = import_module("medic.probes.process.spy").find_py_spy()
    return Plan(tuple(ranks[:MAX_RANKS]), spy or "", max(0, len(ranks) - MAX_RANKS))


def _only_job(heads: Sequence[Any]) -> list[int]:
    jobs: dict[tuple[str, ...], list[Any]] = {}
    for process in heads:
        jobs.setdefault(process.job, []).append(process)
    if not jobs:
        raise UsageError(
            "no process here has a rank (RANK, SLURM_PROCID, …) in its environment that can be "
            "read; give the id of one: medic attach PID",
            "本机没有可读到 rank（RANK、SLURM_PROCID 等环境变量）的进程；请给出其中一个的进程号："
            "medic attach PID",
        )
    if len(jobs) > 1:
        told = "; ".join(f"{rows[0].pid}: {rows[0].command[:60]}" for rows in jobs.values())
        raise UsageError(
            f"{len(jobs)} jobs run here; give a process of one of them: {told}",
            f"本机有 {len(jobs)} 个任务在运行；请给出其中一个的进程号：{told}",
        )
    return [process.pid for rows in jobs.values() for process in rows]


def consent_text(plan: Plan, samples: int, seconds: float) -> Text:
    """What will be done, for the user to agree to."""
    ids = ", ".join(str(p.pid) for p in plan.processes[:16])
    more = f" … ({len(plan.processes)})" if len(plan.processes) > 16 else ""
    spy = Text(
        "{spy} dump --json --pid PID, {samples} times in {seconds} s: each reads the memory of the "
        "process, which stands still for some milliseconds",
        "{spy} dump --json --pid PID，{seconds} 秒内 {samples} 次：读取进程内存，进程每次暂停几毫秒",
    ).fill(spy=plan.py_spy, samples=samples, seconds=f"{seconds:g}")
    missing = import_module("medic.probes.process.spy").MISSING
    return Text(
        "Read-only look, number of processes: {n} ({ids}){left}\n"
        "  - {spy}\n"
        "  - /proc/PID (state, memory, threads, children), NVML (use, power, clocks)\n"
        "  - the log files that its output goes to, and the flight recorder's dumps\n"
        "  - where the job itself runs probing: SELECTs on its stack and torch tables\n"
        "Nothing is run in the processes; no collective, no device synchronisation, no signal "
        "of medic's own.",
        "只读查看 {n} 个进程：{ids}{left}\n"
        "  - {spy}\n"
        "  - /proc/PID（状态、内存、线程、子进程）、NVML（利用率、功耗、频率）\n"
        "  - 其输出所写入的日志文件，以及 flight recorder 转储\n"
        "  - 若任务自身启用了 probing：对其堆栈表与 torch 表执行 SELECT\n"
        "不在进程中执行任何代码；不发起集合通信，不做设备同步，medic 自己不发送信号。",
    ).fill(
        n=len(plan.processes),
        ids=ids + more,
        left=plain("\n  ! {words}").fill(words=_left_out(plan)) if plan.left_out else "",
        spy=spy if plan.py_spy else missing,
    )


def _left_out(plan: Plan) -> Text:
    return Text(
        "{n} more rank(s) here are not looked at: at most {most} are",
        "另有 {n} 个 rank 未查看：最多查看 {most} 个",
    ).fill(n=plan.left_out, most=MAX_RANKS)


def take(
    plan: Plan, *, samples: int, seconds: float, say: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """The document of the look: plain values, as saved."""
    gather = import_module("medic.probes.process.gather").gather
    found: dict[str, Any] = gather(plan.processes, samples=samples, seconds=seconds, say=say)
    if plan.left_out:
        words = _left_out(plan)
        found["not_done"] = [*found["not_done"], [words.en, words.zh]]
        found["local_world"] = None  # those left out are no missing processes
    return found


def require_free(output: str) -> None:
    """Raises UsageError where the look could not be kept: before anything is looked at."""
    if not output:
        return
    path = Path(output)
    folder = path.parent
    if path.exists() or path.is_symlink():
        raise UsageError("it is there already", "该文件已存在", at=output)
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise UsageError("no folder that can be written to", "目录不存在或不可写", at=str(folder))


def save(document: Mapping[str, Any], output: str = "") -> Path:
    """Writes the document, one rank a line, mode 0600; by default into the state folder.

    Raises UsageError where it cannot be written, or ``output`` exists.
    """
    name = time.strftime("%Y%m%d-%H%M%S", time.localtime(document.get("time")))
    path = Path(output) if output else state_dir("attach") / f"{name}-{os.getpid()}.json"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(as_text(document))
    except OSError as problem:
        words = problem.strerror or "cannot be written"
        raise UsageError(words, words, at=str(path)) from None
    return path


def files_of(document: Mapping[str, Any]) -> list[str]:
    """Logs and dumps of the ranks that are there and not empty."""
    named = [f for rank in document.get("ranks", ()) for f in rank.get("files", ())]
    return [f for f in dict.fromkeys(named) if _has_content(f)][:MAX_RANKS]


def _has_content(path: str) -> bool:
    try:
        return Path(path).stat().st_size > 0
    except OSError:
        return False


def as_text(document: Mapping[str, Any]) -> str:
    """JSON with every rank on a line of its own, so that a finding has a line to point at."""
    rest = {k: v for k, v in document.items() if k != "ranks"}
    ranks = ",\n".join(json.dumps(rank) for rank in document.get("ranks", ()))
    return f'{json.dumps(rest)[:-1]},\n"ranks": [\n{ranks}\n]}}\n'
