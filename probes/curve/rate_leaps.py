"""What a learning rate does that is set anew: the one rule of it, for all that look at a restart.

One interval of no schedule that decays or is constant changes a rate so much. What speaks of a
restart besides (a line that says so, steps that go back, a peak that is reached again) decides how
much of the rule is asked for; that stands where it is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from medic.i18n import Text

# Of a rate that no setting was held against: what the log shows, of values of these names.
LEAPS = Text(
    "the learning rate goes from {before} to {after} at step {step}",
    "学习率在第 {step} 步从 {before} 变为 {after}",
)
RISES = Text(
    "the learning rate rises again, from {floor} at step {turn} to {after} at step {step}",
    "学习率再次上升：第 {turn} 步为 {floor}，第 {step} 步为 {after}",
)
UP = 1.5  # times the rate before
LOST, AGAIN = 0.3, 1.5  # of the rate before; times the first rate after it: as a warmup rises


def no_longer_rises(rates: Sequence[float]) -> bool:
    """Whether none is above the one before it: a warmup that goes on is no restart."""
    return all(b <= a for a, b in pairwise(rates))


def is_up(last: float, now: float) -> bool:
    """Whether a rate is far higher at once."""
    return now > UP * last


def is_lost(last: float, after: Sequence[float], back: float = 0.0) -> bool:
    """Whether a rate is far lower at once and is warmed up anew: a steep decay falls, too, and does
    not rise. ``back``: of the last rate, what it has to come back to."""
    now, top = after[0], max(after)
    return now < LOST * last and top > max(AGAIN * now, back * last)
