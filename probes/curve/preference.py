"""The curves of preference training (DPO and its kin): whether the policy leaves its reference."""

from __future__ import annotations

import math
from collections.abc import Iterator

from medic.facts import Curve
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip

from .numbers import median
from .stuck import trend
from .tracks import FEW_POINTS, Track, seen, track_of

STUCK, LOGPS = "preference-loss-stuck", "preference-logps"
# The loss of DPO where chosen and rejected are equally far from the reference: -log sigmoid(0).
START = math.log(2)
NEAR = 0.005
# Reward margins are beta * a difference of log-probabilities: 0.01 is 0.1 nat at beta 0.1.
SMALL, MOVED = 0.01, 0.05
LONG = 100  # points: fewer may be of the warmup
TREND = 2.0
_NEEDS = Text("reward margins of a preference run by step", "偏好训练逐步的 rewards/margins")


def run(look: Look) -> Iterator[Finding | Skip]:
    curve = look.fact(Curve)
    margin = track_of(curve, "reward_margin", FEW_POINTS)
    if margin is None:
        yield Skip(_NEEDS, check=STUCK)
        return
    if not any(margin.values) and _at_start(curve, margin.values):
        yield seen(look, STUCK, margin)
        yield from _logps(look, curve)
    elif _hardly_moves(curve, margin):
        yield seen(look, STUCK, margin)
    elif abs(margin.last) > MOVED:
        yield Finding(STUCK, "absent")


def _at_start(curve: Curve, values: list[float]) -> bool:
    """Whether the loss is that of a policy which is its reference; it may not be logged."""
    loss = track_of(curve, "loss", FEW_POINTS)
    return loss is None or all(abs(v - START) < NEAR for v in loss.values[-len(values) // 2 :])


def _hardly_moves(curve: Curve, margin: Track) -> bool:
    """Margins of noise only, long after the warmup; without a learning rate nobody can say."""
    rate = track_of(curve, "learning_rate", LONG)
    if rate is None or len(margin.values) < LONG or not rate.values[-1] < max(rate.values):
        return False
    late = [abs(v) for v in margin.values[len(margin.values) // 2 :]]
    small = median(late) < SMALL and abs(trend(margin.values)) < TREND
    return small and _at_start(curve, margin.values)


def _logps(look: Look, curve: Curve) -> Iterator[Finding]:
    """What the answers' log-probabilities are where the policy equals its reference."""
    tracks = [track_of(curve, n, FEW_POINTS) for n in ("chosen_logps", "rejected_logps")]
    known = [t for t in tracks if t is not None]
    if not known:
        return
    nothing = not any(any(t.values) for t in known)
    yield seen(look, LOGPS, known[0], "exactly-zero" if nothing else "unmoved")


PROBE = Probe(
    name="curve-preference",
    title=Text("preference margins", "偏好训练的 margin"),
    tells=(STUCK, LOGPS),
    needs=(Curve,),
    reliability="heuristic",
    seconds=0.02,
    run=run,
)
