"""The rows that the GPUs tell: whether they work, and what of their memory is in use."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, median

from medic.facts import GpuSeries, GpuState, Source
from medic.facts.memory import gib
from medic.i18n import Text
from medic.session.sentences import finding_text
from medic.vitals.scene import MIN_POINTS, Judged, Scene, State, unseen

SMALL = 0.1  # of the GPU's memory
Sample = tuple[float, float | None, int | None, int | None, int]
HELD = 0.1  # of the most that was in use: with less the run's process is not there (yet, any more)
RECENT = 60  # GPU samples: a minute of nvidia-smi -l 1


def busy(scene: Scene) -> Judged:
    if (found := scene.bad("gpu-starved", "throughput-drops")) is not None:
        return "not-ok", *found
    samples = scene.evidence.fact(GpuSeries)
    bound = scene.finding("step-bound")
    if isinstance(samples, GpuSeries):
        use, filled, line = _busiest(samples)
        if use is not None:
            return _use(scene, use, filled, Source(samples.file, line))
    if bound is not None:
        state: State = "not-ok" if bound.outcome == "loader-bound" else "ok"
        return state, finding_text(scene.index, bound.finding), bound.finding.source
    now = scene.evidence.fact(GpuState)
    if isinstance(now, GpuState) and _is_the_runs(scene, now):
        uses = [
            (g.utilisation, (g.used or 0) / (g.total or 1), g.index)
            for g in now.gpus
            if g.utilisation is not None and g.used
        ]
        if uses:
            use, filled, _ = max(uses)
            return _use(scene, use, filled, Source(now.origin))
    if isinstance(samples, GpuSeries):
        most = max(map(len, of_the_run(samples)), default=0)
        few = Text(
            "{n} GPU samples of the run in {file}; {least} at least tell",
            "{file} 中属于本次运行的 GPU 采样只有 {n} 个，至少需要 {least} 个",
        )
        return "not-seen", few.fill(n=most, file=samples.file, least=MIN_POINTS), Source()
    return unseen(
        "no GPU samples (nvidia-smi --query-gpu=... -l 10) and no data_time",
        "没有 GPU 采样（nvidia-smi --query-gpu=... -l 10），也没有 data_time",
    )


def _is_the_runs(scene: Scene, state: GpuState) -> bool:
    return state.origin != "this-host" or scene.evidence.host_is_the_runs is True


def _use(scene: Scene, use: float, filled: float, source: Source) -> Judged:
    """A tiny model leaves the GPU idle between its launches: a low share alone tells nothing."""
    text = Text("GPU utilisation {u} (busy is not fast)", "GPU 利用率 {u}（忙不等于快）")
    if use >= scene.threshold("starved-utilisation"):
        return "ok", text.fill(u=f"{use:.0f}%"), source
    if filled >= SMALL:
        return "not-ok", text.fill(u=f"{use:.0f}%"), source
    words = Text(
        "GPU utilisation {u} with {m} of its memory in use: a small model, or no work yet",
        "GPU 利用率 {u}，显存只用了 {m}：模型很小，或尚未开始训练",
    )
    return "not-seen", words.fill(u=f"{use:.0f}%", m=f"{filled:.0%}"), source


def _busiest(samples: GpuSeries) -> tuple[float | None, float, int]:
    """Of the busiest GPU: mean utilisation of its newest samples, the share of its memory that is
    in use, and the line of the last sample."""
    best: float | None = None
    filled, line = 0.0, 0
    for rows in of_the_run(samples):
        recent = [r for r in rows[-RECENT:] if r[1] is not None]
        mean = fmean(r[1] or 0.0 for r in recent) if len(recent) >= MIN_POINTS else -1.0
        if mean > (-1.0 if best is None else best):
            used, total = max(r[2] or 0 for r in recent), max(r[3] or 0 for r in recent)
            # Without a total, memory in use is that of a model from 8 GiB on.
            best, filled, line = mean, used / (total or 80 * 2**30), recent[-1][4]
    return best, filled, line


def of_the_run(samples: GpuSeries) -> list[Sequence[Sample]]:
    """The samples of each GPU that the run uses: one beside it that holds next to nothing is idle."""
    peaks = [max((r[2] or 0 for r in rows), default=0) for rows in samples.samples.values()]
    most = max(peaks, default=0)
    every = zip(samples.samples.values(), peaks, strict=True)
    return [while_held(rows) for rows, peak in every if peak >= HELD * most]


def while_held(rows: Sequence[Sample]) -> Sequence[Sample]:
    """The samples from when the run's process holds memory until it has left: a sampler goes on
    before and after it."""
    most = max((r[2] or 0 for r in rows), default=0)
    held = [i for i, r in enumerate(rows) if (r[2] or 0) >= HELD * most]
    return rows[held[0] : held[-1] + 1] if most else rows


def memory(scene: Scene) -> Judged:
    found = scene.finding("memory-over-steps")
    if found is not None:
        state: State = "not-ok" if found.outcome == "grows-every-step" else "ok"
        return state, finding_text(scene.index, found.finding), found.finding.source
    samples = scene.evidence.fact(GpuSeries)
    judged = [_growth(scene, samples.file, r) for r in of_the_run(samples)] if samples else []
    known = [j for j in judged if j is not None]
    if known:
        return next((j for j in known if j[0] == "not-ok"), known[0])
    return unseen(
        "GPU memory over fewer than 40 steps or samples", "显存记录不足 40 步（或 40 个采样）"
    )


def _growth(scene: Scene, file: str, rows: Sequence[Sample]) -> Judged | None:
    """Used bytes of one GPU in ten stretches, the first one (the start) left out."""
    used = [(r[2], r[4]) for r in rows if r[2] is not None]
    size = len(used) // 10
    if size < 4:
        return None
    levels = [median(u for u, _ in used[n * size : (n + 1) * size]) for n in range(1, 10)]
    rises = sum(b > a * 1.001 for a, b in pairwise(levels))
    room = 1 + scene.threshold("growth-share")
    source = Source(file, used[-1][1])
    first, half, last = (gib(n, 2) for n in (levels[0], levels[4], levels[-1]))
    if min(levels) < HELD * max(levels):
        words = Text(
            "{a} -> {b}: let go in between, by a restart or a sleeping engine",
            "{a} -> {b}：中途释放过（重启，或推理引擎休眠）",
        )
        return "not-seen", words.fill(a=half, b=last), source
    if levels[-1] <= levels[4] * room:
        return (
            "ok",
            Text("{a} -> {b} in the second half", "后半程 {a} -> {b}").fill(a=half, b=last),
            source,
        )
    if levels[0] > 0 and rises >= 0.8 * (len(levels) - 1):
        return (
            "not-ok",
            Text("grows: {a} -> {b}", "持续增长：{a} -> {b}").fill(a=first, b=last),
            source,
        )
    words = Text("{a} -> {b}, not steadily: starting up?", "{a} -> {b}，非匀速：是否在启动？")
    return "not-seen", words.fill(a=first, b=last), source
