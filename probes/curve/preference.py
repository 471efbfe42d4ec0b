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
AT_ZERO, CHOSEN = "preference-loss-at-zero", "chosen-likelihood-falls"
# The loss of DPO where chosen and rejected are equally far from the reference: -log sigmoid(0).
START = math.log(2)
NEAR = 0.005
# Reward margins are beta * a difference of log-probabilities: 0.01 is 0.1 nat at beta 0.1.
SMALL, MOVED = 0.01, 0.05
LONG = 100  # points: fewer may be of the warmup
TREND = 2.0
# Beyond a margin of 10 the loss of a pair is below 5e-5: -log sigmoid(10).
WIDE, NOTHING, ALL = 10.0, 0.01, 0.99  # margin; loss and accuracy at the end
# Rewards are beta * the log-probability's change: Zephyr's DPO (beta 0.1) ends near -4.5 and is
# sound; at -10 the chosen answers have e^-100 of their probability.
LOWER, LOST, FALLS = -1.0, -10.0, 3.0
HALF, CHANCE, LOOSE = 0.5, 0.03, 0.03  # accuracy of guesses; nats from their loss
_NEEDS = Text("reward margins of a preference run by step", "偏好训练逐步的 rewards/margins")


def run(look: Look) -> Iterator[Finding | Skip]:
    curve = look.fact(Curve)
    margin = track_of(curve, "reward_margin", FEW_POINTS)
    if margin is None:
        yield Skip(_NEEDS, check=STUCK)
        return
    easy = list(_nothing_left(look, curve, margin))
    yield from easy or _chosen(look, curve, margin)
    if not any(margin.values) and _at_start(curve, margin.values):
        yield seen(look, STUCK, margin)
        yield from _logps(look, curve)
    elif _hardly_moves(curve, margin) or _guesses(curve):
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


def _guesses(curve: Curve) -> bool:
    """Half of the pairs right in either half of a long run, with the loss of guesses."""
    right, loss = (track_of(curve, name, LONG) for name in ("pair_accuracy", "loss"))
    rate = track_of(curve, "learning_rate", LONG)
    if right is None or loss is None or rate is None or not rate.values[-1] < max(rate.values):
        return False
    middle = len(right.values) // 2
    halves = (right.values[:middle], right.values[middle:])
    level = median(loss.values[len(loss.values) // 2 :])
    return all(abs(median(h) - HALF) <= CHANCE for h in halves) and abs(level - START) < LOOSE


def _nothing_left(look: Look, curve: Curve, margin: Track) -> Iterator[Finding]:
    """Every pair told apart with a loss of 0: nothing is left to learn."""
    loss, right = (track_of(curve, name, FEW_POINTS) for name in ("loss", "pair_accuracy"))
    if loss is None or margin.last <= WIDE or loss.last >= NOTHING:
        return
    if right is None or right.last >= ALL:
        yield seen(look, AT_ZERO, margin)
        yield seen(look, LOGPS, margin, "all-told-apart")


def _chosen(look: Look, curve: Curve, margin: Track) -> Iterator[Finding]:
    """Chosen answers that get less likely, too, while the margin grows: common, and worth a line;
    a fault where hardly anything of their likelihood is left."""
    chosen, rejected = (
        track_of(curve, name, FEW_POINTS) for name in ("chosen_reward", "rejected_reward")
    )
    if chosen is None or rejected is None or margin.last <= margin.first:
        return
    if chosen.last < LOWER and rejected.last < chosen.last and trend(chosen.values) < -FALLS:
        yield seen(look, LOGPS, chosen, "chosen-falls")
        if chosen.last < LOST:
            yield seen(look, CHOSEN, chosen)


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
    tells=(STUCK, LOGPS, AT_ZERO, CHOSEN),
    needs=(Curve,),
    reliability="heuristic",
    seconds=0.02,
    run=run,
)
