"""Rises of the loss that come with a leap of the gradient norm, time and again."""

from __future__ import annotations

import math
from collections.abc import Sequence

from medic.facts import Curve
from medic.probe import Look

from .jumps import HISTORY, LEAST, MAD_TO_SIGMA, NOISE, Jump
from .numbers import clean, median, spread

# Times the median of the norms before: those of sound recorded runs (tests/lab) scatter by a factor
# of 2 to 5. PaLM (arXiv 2204.02311, 5.1) and OPT (2205.01068, 2.5) tell of such leaps before a spike.
LEAP = 10.0
TIMES = 3  # one or two that come back need nothing
SIDE = 3  # points around the leap within which the loss rises
SETTLED = 20


def with_norms(look: Look, steps: Sequence[int], values: Sequence[float]) -> list[Jump]:
    """The rises beyond the noise of a loss at leaps of the norm, where they recur; else none."""
    series = look.fact(Curve).series.get("grad_norm")
    at, norms, _ = clean(series) if series is not None else ([], [], None)
    if len(norms) < SETTLED or len(values) < SETTLED:
        return []
    index = {step: n for n, step in enumerate(steps)}
    found: list[Jump] = []
    for n in _leaps(norms):
        here = index.get(at[n])
        past = found[-1].index + found[-1].length if found else SETTLED
        jump = _rise(steps, values, here) if here is not None and here >= past else None
        if jump is not None and jump.index >= past:
            found.append(jump)
    return found if len(found) >= TIMES else []


def _leaps(norms: Sequence[float]) -> list[int]:
    """Indices at which a norm is far above all that is usual before it: beyond its noise, too."""
    found: list[int] = []
    for n in range(SETTLED, len(norms)):
        if norms[n] <= LEAP * min(norms[n - SETTLED : n]):
            continue
        before = norms[max(0, n - HISTORY) : n]
        usual = [math.log(v) for v in before if v > 0]
        sigma = MAD_TO_SIGMA * spread(usual)
        far = bool(usual) and math.log(norms[n]) > median(usual) + max(
            math.log(LEAP), NOISE * sigma
        )
        if far:
            found.append(n)
    return found


def _rise(steps: Sequence[int], values: Sequence[float], here: int) -> Jump | None:
    before = values[max(0, here - HISTORY) : here]
    level = median(before[-10:])
    limit = level + max(LEAST, NOISE * MAD_TO_SIGMA * spread(before))
    near = range(max(0, here - SIDE), min(len(values), here + SIDE + 1))
    top = max(near, key=values.__getitem__)
    if values[top] <= limit or level <= 0:
        return None
    first = next(n for n in near if values[n] > limit)
    end = top
    while end + 1 < len(values) and values[end + 1] > limit:
        end += 1
    last = max(0, first - 1)
    return Jump(
        index=first,
        step=steps[first],
        before=level,
        top=values[top],
        length=end - first + 1,
        recovers=end + 1 < len(values),
        after=len(values) - end - 1,
        last=values[last],
        last_step=steps[last],
        top_step=steps[top],
    )
