"""The rows that the curve tells: loss, gradient norm, numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from medic.facts import Source
from medic.i18n import Text
from medic.vitals.scene import MIN_POINTS, Judged, Scene, State, finite, last_of, unseen

# A tenth of a curve at either end, at least so many points: their median is no batch noise.
END_POINTS = 5
FALLS = 0.005  # of the level: less than this over a whole run cannot be told from level
NEWEST = 5  # norms
MULTIPLIED = 2.0  # times its level: no batch is so much harder than the others
NOT_ZERO = 0.5  # a loss that rounding makes no zero
# Of the first norms: what reaches 1e-5 of them learns nothing any more, and no warmup or decay does
# it. Of the calmest tenth, and in that order: norms that double a few times over a run are usual.
GONE, GROWN, PARTS = 1e-5, 20.0, 10
HISTORY = 1_000  # norms whose median is the run's own


def loss(scene: Scene) -> Judged:
    found = scene.bad(
        "loss-nan", "loss-is-zero", "loss-diverges", "loss-plateau", "loss-oscillates"
    )
    if found is not None:
        return "not-ok", *found
    series = scene.curve.series.get("loss")
    points = finite(series)
    if series is None or len(points) < MIN_POINTS:
        return unseen("fewer than 10 logged losses", "loss 记录不足 10 条")
    spike = scene.bad("loss-spike")
    if spike is not None and (_multiplied(scene) or _unrecovered(points)):
        return "not-ok", *spike
    size = max(END_POINTS, len(points) // 10)
    begin, end = median(points[:size]), median(points[-size:])
    words = Text(
        "{a} -> {b} over {n} points (medians of the first and the last {m})",
        "{a} -> {b}，共 {n} 个点（首末各 {m} 个点的中位数）",
    )
    text = words.fill(a=f"{begin:.4g}", b=f"{end:.4g}", n=len(points), m=size)
    state: State = "ok" if end < begin - FALLS * abs(begin) else "not-seen"
    stands = scene.bad("learning-rate-never-rises", "learning-rate-collapsed")
    if state == "not-seen" and stands is not None:
        return "not-ok", *stands
    if state == "not-seen":
        level = Text("level, neither falling nor risen: {t}", "持平，未见下降也未上升：{t}")
        text = level.fill(t=text)
    return state, text, last_of(scene, series)


def _multiplied(scene: Scene) -> bool:
    """A jump to twice its level and more that was not made good at once: what a diagnosis starts
    from is not well, though the loss fell again."""
    found = scene.finding("loss-spike")
    value = found.finding.value if found is not None else {}
    before, top = value.get("from"), value.get("to")
    if not isinstance(before, float) or not isinstance(top, float):
        return False
    return top >= MULTIPLIED * before > 0


def _unrecovered(points: Sequence[float]) -> bool:
    """The newest losses stand above the level of the run before them."""
    half = points[len(points) // 2 :]
    return median(points[-END_POINTS:]) > 1.1 * median(half)


def norm(scene: Scene) -> Judged:
    series = scene.curve.series.get("grad_norm")
    if series is None or len(finite(series)) < 2 * MIN_POINTS:
        return unseen("fewer than 20 logged gradient norms", "梯度范数记录不足 20 条")
    if not math.isfinite(series.values[-1]) and not _is_scaled(scene):
        return (
            "not-ok",
            Text("the last gradient norm is not finite", "最新的梯度范数不是有限值"),
            (last_of(scene, series)),
        )
    points = finite(series)[-HISTORY:]
    usual, now = median(points[:-NEWEST]), median(points[-NEWEST:])
    if usual <= 0 or now <= 0:
        words = Text("median {u}, now {n}: no gradient", "中位数 {u}，当前 {n}：没有梯度")
        return "not-ok", words.fill(u=f"{usual:.3g}", n=f"{now:.3g}"), last_of(scene, series)
    if (slow := _drifted(finite(series), now)) is not None:
        return "not-ok", slow, last_of(scene, series)
    high = now >= scene.threshold("precursor-ratio") * usual
    words = Text("{n}, {r} times its own median {u}", "{n}，为自身中位数 {u} 的 {r} 倍")
    text = words.fill(n=f"{now:.3g}", u=f"{usual:.3g}", r=f"{now / usual:.1f}")
    return ("not-ok" if high else "ok"), text, last_of(scene, series)


def _drifted(points: Sequence[float], now: float) -> Text | None:
    """A norm that left its first level behind little by little, which its newest median hides."""
    size = max(NEWEST, len(points) // PARTS)
    levels = [median(points[n : n + size]) for n in range(0, len(points) - size + 1, size)]
    begin, least = levels[0], min(levels)
    rest = levels[levels.index(least) :]
    grows = len(rest) > 2 and all(a <= b for a, b in pairwise(rest))
    if now <= GONE * begin:
        words = Text("{n}, at the begin {b}: hardly any gradient is left",
                     "{n}，开始时为 {b}：几乎没有梯度了")  # fmt: skip
        return words.fill(n=f"{now:.3g}", b=f"{begin:.3g}")
    if 0 < GROWN * least <= now and grows:
        words = Text("{n}, {r} times its lowest level {b}, and it goes on growing",
                     "{n}，为其最低水平 {b} 的 {r} 倍，且仍在增大")  # fmt: skip
        return words.fill(n=f"{now:.3g}", r=f"{now / least:.0f}", b=f"{least:.3g}")
    return None


def numbers(scene: Scene) -> Judged:
    found = scene.bad("loss-nan", "loss-scale-collapses")
    if found is not None:
        return "not-ok", *found
    watched = [s for n in ("loss", "grad_norm", "eval_loss") if (s := scene.curve.series.get(n))]
    if not watched:
        return unseen("no logged loss and no gradient norm", "没有 loss 与梯度范数记录")
    for series in watched:
        at = next((i for i, v in enumerate(series.values) if not math.isfinite(v)), None)
        if at is not None and not (series.name == "grad_norm" and _is_scaled(scene)):
            words = Text("{m} is {v} at step {s}", "{m} 在第 {s} 步为 {v}")
            text = words.fill(m=series.name, v=series.values[at], s=series.steps[at])
            return "not-ok", text, last_of(scene, series, at)
    if (zero := _zero(scene)) is not None:
        return "not-ok", *zero
    names = ", ".join(s.name for s in watched)
    count = sum(len(s.values) for s in watched)
    words = Text("{c} values of {m}, all finite", "{m} 共 {c} 个值，均为有限值")
    return "ok", words.fill(c=count, m=names), last_of(scene, watched[0])


def _zero(scene: Scene) -> tuple[Text, Source] | None:
    """The first loss that is exactly zero behind one that is far from it."""
    series = scene.curve.series.get("loss")
    finding = scene.finding("loss-is-zero")
    if series is None or finding is None or len(finite(series)) < len(series.values):
        return None
    values = series.values
    at = next((n for n in range(1, len(values)) if values[n] == 0.0 < NOT_ZERO <= values[n - 1]), 0)
    if not at:
        return None
    words = Text(
        "loss is exactly 0 at step {s}, {v} before it: a NaN that is logged as 0, or a batch whose "
        "labels are all masked",
        "loss 在第 {s} 步恰为 0（此前为 {v}）：NaN 被记录成 0，或该批标签全部被屏蔽",
    )
    return words.fill(s=series.steps[at], v=f"{values[at - 1]:.4g}"), last_of(scene, series, at)


def _is_scaled(scene: Scene) -> bool:
    """With a loss scale, an infinite norm only means that this step is skipped."""
    return any(n in scene.curve.series for n in ("loss_scale", "skipped"))
