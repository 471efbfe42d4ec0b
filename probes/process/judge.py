"""Who waits for whom, from the stacks of all ranks of a job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from medic.facts import Helper, RankStack, Spot, Stacks
from medic.i18n import Text, joined
from medic.records import dataclass

from .document import idles_at_full_use
from .places import waits

TOLD = 16
# A worker that did nothing: less than this share of a CPU while it was watched this long.
IDLE_SHARE, IDLE_SECONDS = 0.02, 4.0
# What a rank does that the others wait for -> outcome of the check busy-rank.
BUSY = {
    "loader": "reads-data",
    "compiling": "compiles",
    "network": "waits-for-network",
    "leaving": "left-the-loop",
    "saving": "serial-work",
    "loading": "serial-work",
    "evaluating": "serial-work",
    "preparing": "prepares-data",
}
# … and of the check stall-point.
STALLS = {"saving": "saving", "evaluating": "evaluation", "preparing": "data-preparation"}

ACTS_ZH = {
    "collective": "集合通信",
    "p2p": "点对点通信",
    "device": "等待 GPU",
    "backward": "反向传播",
    "loader": "数据加载",
    "preparing": "数据准备",
    "saving": "保存",
    "loading": "加载权重",
    "compiling": "编译",
    "importing": "导入模块",
    "evaluating": "评估",
    "optimizer": "优化器",
    "network": "网络",
    "leaving": "退出",
    "lock": "锁",
    "own-code": "自身代码",
    "unknown": "未知",
}
_SPOT = Text("{act}{what}{where}{section}", "{act}{what}{where}{section}")
_AT, _SECTION = Text(" at {site}", "，位于 {site}"), Text(" ({name})", "（{name}）")
_ROW, _GONE = (
    Text("{name}: {told}", "{name}：{told}"),
    Text("{name}: no process", "{name}：进程不存在"),
)
_NO_STACK = Text("its stack was not read", "未读到调用栈")
_WORKERS = Text("workers {ids}: {told}", "worker {ids}：{told}")
_MORE = Text("and {n} more", "另有 {n} 个")


@dataclass(frozen=True)
class Judged:
    """``ranks``: an outcome of collective-ranks, "" if the stacks do not tell. ``hangs``: nothing
    moved. ``apart``: the ranks that the others wait for, dead ones included as numbers in
    ``gone``. ``open``: what would tell more: "recorder" or "other-nodes"."""

    hangs: bool = False
    ranks: str = ""
    waiting: tuple[RankStack, ...] = ()
    apart: tuple[RankStack, ...] = ()
    gone: tuple[str, ...] = ()
    open: str = ""


def judge(stacks: Stacks) -> Judged:
    """Nothing is told of a job in which a rank that waited at one look did not at another."""
    alive = [r for r in stacks.ranks if r.spots and not is_gone(r)]
    gone = tuple(r.label for r in stacks.ranks if is_gone(r))
    gone += tuple(f"local rank {n}" for n in stacks.missing)
    waiting = tuple(r for r in alive if _waits_on(r))
    if held := tuple(r for r in stacks.ranks if is_stopped(r)):
        return Judged(True, waiting=tuple(r for r in waiting if r not in held), apart=held)
    if gone and not alive and len(stacks.ranks) > sum(map(is_gone, stacks.ranks)):
        # No stacks could be taken: that a rank ended while others live shows in /proc alone.
        return Judged(True, "silent-rank-died", gone=gone)
    apart = tuple(r for r in alive if not any(waits(s) for s in r.spots))
    moves = len(waiting) + len(apart) < len(alive)
    if moves or not all(waits_for_others(r, stacks) for r in waiting):
        return Judged()
    if waiting and gone:
        return Judged(True, "silent-rank-died", waiting, apart, gone)
    if waiting and apart:
        return Judged(True, "silent-rank-alive", waiting, apart)
    if waiting:
        return _all_wait(stacks, waiting)
    return Judged(hangs=stacks.seconds >= IDLE_SECONDS and _stands(apart), apart=apart)


def is_gone(rank: RankStack) -> bool:
    """Ended: a zombie, or no process any more."""
    return rank.states[-1:] in ("Z", "X")


def is_stopped(rank: RankStack) -> bool:
    """A signal (Ctrl+Z, SIGSTOP) held it at every look; a debugger's hold has the letter t."""
    return bool(rank.states) and set(rank.states) == {"T"}


def _waits_on(rank: RankStack) -> bool:
    """It waits at every look and never moved between them; one dump can only show that it waits."""
    return all(waits(s) for s in rank.spots) and rank.still is not False


def waits_for_others(rank: RankStack, stacks: Stacks) -> bool:
    """A collective does. A rank that waits for its GPU, or in the backward pass, may just compute:
    its GPU tells, else the CPU time that it used; of a saved dump nothing does, and it counts."""
    if rank.spot.act in ("collective", "p2p"):
        return True
    own = [g for g in stacks.gpus if rank.pid in g.pids and g.utilisation and g.power]
    if own:
        return all(idles_at_full_use(g) for g in own)
    return rank.cpu_seconds is None or rank.cpu_seconds <= IDLE_SHARE * stacks.seconds


def _all_wait(stacks: Stacks, waiting: tuple[RankStack, ...]) -> Judged:
    """All wait, at one place or at several. A stack does not tell a call's sequence number."""
    if len(waiting) < 2 and stacks.world_size is None:
        return Judged(waiting=waiting)
    if not is_whole(stacks):
        return Judged(True, waiting=waiting, open="other-nodes")
    if {r.spot.act for r in waiting} == {"collective"} and _apart(waiting):
        return Judged(True, "places-differ", waiting)
    return Judged(True, waiting=waiting, open="recorder")


def is_whole(stacks: Stacks) -> bool:
    """Whether every rank of the job is in view."""
    if stacks.world_size is not None:
        return len(stacks.ranks) >= stacks.world_size
    known = sorted(r.rank for r in stacks.ranks if r.rank is not None)
    return len(known) == len(stacks.ranks) > 1 and known == list(range(len(known)))


def _apart(waiting: Sequence[RankStack]) -> bool:
    """A minority stands elsewhere. With equal parts of more than two ranks, groups of a layout
    (tensor, data parallel) may wait for each other behind one broken link."""
    places = Counter((r.spot.what, r.spot.site) for r in waiting)
    if len(places) < 2 or any(not r.spot.site for r in waiting):
        return False
    fewest = min(places.values())
    return len(waiting) == 2 or 2 * fewest < len(waiting)


def _stands(ranks: Sequence[RankStack]) -> bool:
    """Every rank was seen more than once, at the very same place, without using its CPU."""
    return bool(ranks) and all(
        r.still is True and (r.cpu_seconds is None or r.cpu_seconds < 0.05) for r in ranks
    )


# --- what the odd rank does -------------------------------------------------------------------


def outcomes(judged: Judged, stacks: Stacks) -> tuple[str, str]:
    """(outcome of busy-rank, outcome of stall-point), "" where the stacks tell none."""
    if not judged.apart:
        sections = {r.spot.section for r in judged.waiting}
        section = sections.pop() if len(sections) == 1 else ""
        return "", STALLS.get(section, "")
    if all(is_stopped(r) for r in judged.apart):
        return "stopped", ""
    acts = {r.spot.act for r in judged.apart}
    act = acts.pop() if len(acts) == 1 else ""
    stall = STALLS.get(act, "")
    if any(sleeps_on_storage(r) for r in judged.apart):
        return "waits-for-storage", stall
    if act == "loader" and any(workers_blocked(r, stacks.seconds) for r in judged.apart):
        return "workers-blocked", ""
    return BUSY.get(act, "own-code" if act in ("own-code", "lock", "optimizer") else ""), stall


def sleeps_on_storage(rank: RankStack) -> bool:
    """It or one of its workers was in state D at most looks."""
    return any(
        len(states) > 1 and 3 * states.count("D") >= 2 * len(states)
        for states in (rank.states, *(h.states for h in rank.helpers))
    )


def workers_blocked(rank: RankStack, seconds: float) -> bool:
    """All its workers that were looked at sleep on a lock or an empty queue, and used no CPU."""
    seen = [h for h in rank.helpers if h.spot is not None]
    spent = [h.cpu_seconds for h in rank.helpers if h.cpu_seconds is not None]
    idle = bool(spent) and max(spent) <= IDLE_SHARE * seconds and seconds >= IDLE_SECONDS
    return bool(seen) and idle and all(_sleeps_on_lock(h) for h in seen)


def _sleeps_on_lock(worker: Helper) -> bool:
    """In Python's own lock or queue, or in the kernel's futex below a call into C."""
    python = worker.spot is not None and worker.spot.act == "lock"
    return python or worker.waits_in.startswith("futex")


# --- in words ---------------------------------------------------------------------------------


def line_of(spot: Spot) -> str:
    """ "collective all_reduce @ train.py:57 (saving)": names only, the same in both languages."""
    what = f" {spot.what}" if spot.what and spot.what != spot.act else ""
    where = f" @ {spot.site}" if spot.site else ""
    section = f" ({spot.section})" if spot.section and spot.section != spot.act else ""
    return spot.act + what + where + section


def words(spot: Spot) -> Text:
    """ "collective all_reduce at train.py:57 (saving)"."""
    what = f" {spot.what}" if spot.what and spot.what != spot.act else ""
    where = _AT.fill(site=spot.site) if spot.site else ""
    apart = spot.section and spot.section != spot.act
    section = _SECTION.fill(name=_named(spot.section)) if apart else ""
    return _SPOT.fill(act=_named(spot.act), what=what, where=where, section=section)


def _named(act: str) -> Text:
    return Text(act, ACTS_ZH.get(act, act))


def row_of(rank: RankStack) -> Text:
    return _ROW.fill(name=rank.label, told=words(rank.spot) if rank.spots else _NO_STACK)


def gone_row(name: str) -> Text:
    return _GONE.fill(name=name)


def workers_told(rank: RankStack) -> Text:
    """ "workers 3, 4: own-code read_remote at data.py:24"; empty without workers."""
    by_words: dict[Text, list[str]] = {}
    for helper in rank.helpers:
        if helper.spot is not None:
            by_words.setdefault(words(helper.spot), []).append(str(helper.pid))
    return joined(_WORKERS.fill(ids=ids[:8], told=told) for told, ids in by_words.items())


def told(judged: Judged) -> Text:
    """Each rank and where it stands, the odd ones first."""
    rows = [gone_row(name) for name in judged.gone]
    rows += [row_of(r) for r in (*judged.apart, *judged.waiting)]
    more = [_MORE.fill(n=len(rows) - TOLD)] if len(rows) > TOLD else []
    return joined([*rows[:TOLD], *more])
