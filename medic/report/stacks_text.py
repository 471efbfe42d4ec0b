"""Where each rank of a job stands, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Frame, GpuUse, RankStack, Stacks
from medic.facts.memory import GIB
from medic.i18n import Text
from medic.report.blocks import Blocks
from medic.report.console import Console
from medic.text.safetext import one_line

MAX_ROWS, FRAMES = 64, 6
WAITING = frozenset({"collective", "p2p", "device", "backward"})
ACTS = {
    "collective": Text("waits in a collective", "在集合通信中等待"),
    "p2p": Text("waits for a pipeline neighbour", "在等流水线相邻级"),
    "device": Text("waits for its GPU", "在等自己的 GPU"),
    "backward": Text("in the backward pass", "在反向传播"),
    "loader": Text("in the data loader", "在取数据"),
    "preparing": Text("prepares data", "在准备数据"),
    "saving": Text("saves", "在保存"),
    "loading": Text("loads weights", "在加载权重"),
    "compiling": Text("compiles", "在编译"),
    "importing": Text("imports modules", "在导入模块"),
    "evaluating": Text("evaluates", "在评估"),
    "optimizer": Text("in the optimizer step", "在优化器更新"),
    "network": Text("waits for the network", "在等网络"),
    "leaving": Text("is ending", "正在退出"),
    "lock": Text("waits for a lock or another thread", "在等锁或其他线程"),
    "own-code": Text("in its own code", "在自己的代码中"),
    "unknown": Text("not seen", "未看到"),
}

_STOPPED = Text("is stopped (state T: Ctrl+Z or SIGSTOP)", "已被暂停（T 状态：Ctrl+Z 或 SIGSTOP）")
_ENDED = Text("has ended (no process, or a zombie)", "已结束（进程不存在或为僵尸进程）")


def full(console: Console, stacks: Stacks) -> None:
    """The ranks, the odd one first, then GPUs and what could not be done."""
    blocks = Blocks(console)
    blocks.heading(Text("Where each rank stands", "各 rank 停在哪里"))
    odd = _odd(stacks.ranks)
    ranks = sorted(stacks.ranks, key=lambda r: (r.pid not in odd, r.rank or 0, r.pid))
    for rank in ranks[:MAX_ROWS]:
        first = "  * " if rank.pid in odd else "    "
        blocks.paragraph(_row(rank), indent="    ", first=first)
        for line in _details(rank, with_frames=rank.pid in odd or len(stacks.ranks) <= 2):
            console.out("        " + one_line(line, blocks.width - 8))
    for number in stacks.missing:
        missing = Text("local rank {n}: no process", "local rank {n}：没有进程").fill(n=number)
        blocks.paragraph(missing, indent="    ", first="  * ")
    for gpu in stacks.gpus:
        blocks.paragraph(_gpu(gpu), indent="    ", first="    ")
    for line in stacks.not_done:
        blocks.paragraph(line, indent="    ", first="  ! ")
    _tables(blocks, stacks)


def _odd(ranks: Sequence[RankStack]) -> set[int]:
    """Ids of the ranks that stand apart: those that do not wait while others do, else those that
    are fewer than half at their place."""
    if held := {r.pid for r in ranks if _held(r)}:
        return held
    free = {r.pid for r in ranks if r.spot.act not in WAITING}
    if 0 < len(free) < len(ranks):
        return free
    places = [(r.spot.what, r.spot.site) for r in ranks]
    return {
        r.pid
        for r, place in zip(ranks, places, strict=True)
        if 2 * places.count(place) < len(ranks)
    }


def _row(rank: RankStack) -> str:
    spot = rank.spot
    what = f" {spot.what}" if spot.what and spot.what != spot.act else ""
    where = f" @ {spot.site}" if spot.site else ""
    section = (
        f" ({ACTS[spot.section]})" if spot.section in ACTS and spot.section != spot.act else ""
    )
    if state := _held(rank):
        return f"{rank.label} (pid {rank.pid}): {state}{where}"
    words = rank.problem if not rank.spots and rank.problem else f"{ACTS[spot.act]}{what}{section}"
    return f"{rank.label} (pid {rank.pid}): {words}{where}{_motion(rank)}"


def _held(rank: RankStack) -> str:
    """What /proc tells of a rank that does not run at all."""
    if rank.states and set(rank.states) == {"T"}:
        return str(_STOPPED)
    return str(_ENDED) if rank.states[-1:] in ("Z", "X") else ""


def _motion(rank: RankStack) -> str:
    if rank.still is None:
        return ""
    text = (
        Text("; the same in {n} looks", "；{n} 次查看都相同")
        if rank.still
        else Text("; moved between {n} looks", "；{n} 次查看之间有变化")
    )
    return str(text.fill(n=len(rank.spots)))


def _details(rank: RankStack, *, with_frames: bool) -> Iterator[str]:
    """State, memory, workers; the innermost frames of a rank that matters."""
    if rank.states:
        yield str(
            Text(
                "state {states}{wchan}, {threads} threads, {rss} GiB ({growth}), CPU {cpu} s",
                "状态 {states}{wchan}，{threads} 个线程，{rss} GiB（{growth}），CPU {cpu} 秒",
            ).fill(
                states=rank.states,
                wchan=f" ({rank.waits_in})" if rank.waits_in else "",
                threads=rank.threads,
                rss=f"{rank.rss[-1] / GIB:.2f}" if rank.rss else "?",
                growth=f"{(rank.rss[-1] - rank.rss[0]) / (1 << 20):+.0f} MiB" if rank.rss else "?",
                cpu="?" if rank.cpu_seconds is None else f"{rank.cpu_seconds:.1f}",
            )
        )
    if rank.helpers:
        busy = sum((h.cpu_seconds or 0) > 0.1 for h in rank.helpers)
        stuck = sum("D" in h.states for h in rank.helpers)
        for helper in rank.helpers[:8]:
            if helper.spot is not None:
                spot = helper.spot
                yield f"pid {helper.pid}: {ACTS[spot.act]} {spot.what} @ {spot.site}"
        yield str(
            Text(
                "{n} child processes: {busy} used the CPU, {stuck} seen in state D",
                "{n} 个子进程：{busy} 个占用过 CPU，{stuck} 个出现过 D 状态",
            ).fill(n=len(rank.helpers), busy=busy, stuck=stuck)
        )
    if rank.gil_holder:
        text = Text(
            "thread {name} held the GIL at every look", "每次查看时 GIL 都在线程 {name} 手中"
        )
        yield str(text.fill(name=rank.gil_holder))
    if with_frames:
        yield from (_frame(f) for f in rank.frames[:FRAMES])


def _frame(frame: Frame) -> str:
    """The function and its file, from its package on."""
    file = frame.file.rpartition("-packages/")[2]
    if "/lib/python3" in file:
        file = file.rpartition("/lib/python3")[2].partition("/")[2]
    return f"{frame.function} ({file}:{frame.line})"


def _gpu(gpu: GpuUse) -> str:
    limit = f"/{gpu.power_limit:.0f}" if gpu.power_limit else ""
    most = f"/{gpu.clock_max:.0f}" if gpu.clock_max else ""
    slow = f", {', '.join(gpu.throttle)}" if gpu.throttle else ""
    return (
        f"GPU {gpu.index} {gpu.name}: {_span(gpu.utilisation)}%, {_span(gpu.power)}{limit} W, "
        f"{_span(gpu.clock)}{most} MHz{slow}"
    )


def _span(values: Sequence[float]) -> str:
    if not values:
        return "?"
    low, high = min(values), max(values)
    return f"{low:.0f}" if f"{low:.0f}" == f"{high:.0f}" else f"{low:.0f}-{high:.0f}"


def _tables(blocks: Blocks, stacks: Stacks) -> None:
    """What probing answered: the first rows of each table."""
    for label, tables in stacks.tables.items():
        for name, rows in tables.items():
            if rows:
                blocks.paragraph(f"{label}, probing {name}:", indent="    ")
            for row in rows[:5]:
                blocks.console.out(
                    "      "
                    + one_line(", ".join(f"{k}={v}" for k, v in row.items()), blocks.width - 6)
                )
