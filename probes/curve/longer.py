"""Whether a run became slower because its sequences became longer, or its batch grew."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from medic.facts import Curve, Series

from .numbers import median

LONGER = 1.2  # a smaller rise of the length costs no quarter of the speed
NEAR = 20  # the length rises within a twentieth of the points around the fall
POINTS = 10  # on each side beyond it

Falls = Callable[[int, int], bool]


def explains(
    curve: Curve, speed: Series, steps: Sequence[int], at: int, slower: float, falls: Falls
) -> bool:
    """Whether the speed of a run falls because a step does more work.

    ``steps`` are those of the speed, ``at`` is the one of the fall to 1/``slower`` of itself, or the
    last where it falls over the whole run; ``falls``: whether it falls within some of them (from, to).
    Where the rows log the length of sequences, a fall as deep as its rise allows is explained. Where a
    longer sequence or a larger batch is announced between them, what a step did before is not known:
    each stretch between is a speed of its own, and explained is what falls within none.
    """
    near = max(1, len(steps) // NEAR)
    lengths, announced = curve.series.get("sequence_length"), [curve.series.get("batch_announced")]
    if lengths is None or lengths.steps[0] > steps[0] + (steps[-1] - steps[0]) // NEAR:
        announced.append(lengths)
    elif _as_deep(lengths, speed, steps, at, slower):
        return True
    cuts = sorted({bisect_right(steps, one) for series in announced for one in _rises(series)})
    parts = list(pairwise([-near, *(n for n in cuts if n < len(steps)), len(steps) + near]))
    return len(parts) > 1 and not any(falls(a + near, max(a + near, b - near)) for a, b in parts)


def _rises(series: Series | None) -> Iterator[int]:
    """The steps behind which it is more than before."""
    if series is not None:
        known = pairwise((0.0, *series.values))
        yield from (at for at, (a, b) in zip(series.steps, known, strict=True) if b > a)


def _as_deep(lengths: Series, speed: Series, steps: Sequence[int], at: int, slower: float) -> bool:
    """Whether the lengths rise where the speed falls, and enough. Attention's share of a token's work
    grows with the length, so that a token costs at most in proportion to it, and a sequence as its
    square: a deeper fall has another reason."""
    place, near = steps.index(at), max(1, len(steps) // NEAR)
    whole = at == steps[-1]
    early = steps[:POINTS] if whole else steps[: max(1, place - near)][-POINTS:]
    late = steps[-POINTS:] if whole else (steps[place + near :] or steps[-1:])[:POINTS]
    before, after = _lengths(lengths, early), _lengths(lengths, late)
    if not before or not after or min(after) < LONGER * max(before):
        return False  # lengths that differ by batch are no rise
    power = 1 if speed.name == "tokens_per_s" else 2
    return slower <= (median(after) / median(before)) ** power


def per_sample(curve: Curve, steps: Sequence[int], speed: Sequence[float]) -> list[float]:
    """Steps a second as batches of the first size a second, where the rows print a batch that
    changes: twice the batch takes twice the time."""
    batches = curve.series.get("batch_size")
    if batches is None or len({v for v in batches.values if v > 0}) < 2:
        return list(speed)
    known = [(s, v) for s, v in zip(batches.steps, batches.values, strict=True) if v > 0]
    at = [step for step, _ in known]
    sizes = [known[max(bisect_right(at, step) - 1, 0)][1] for step in steps]
    return [v * size / known[0][1] for v, size in zip(speed, sizes, strict=True)]


def _lengths(lengths: Series, steps: Sequence[int]) -> list[float]:
    """The lengths of some steps: of each the one that was logged last, as some log it only where it
    changes."""
    places = [bisect_right(lengths.steps, step) for step in steps]
    return [lengths.values[n - 1] for n in places if n and lengths.values[n - 1] > 0]
