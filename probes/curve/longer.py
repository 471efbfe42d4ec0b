"""Whether a run became slower because its sequences became longer, or its batch grew."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice, pairwise

from medic.errors import Unreadable
from medic.facts import Curve, Series
from medic.probe import Look
from medic.text.patterns import regex

from .numbers import median

MAX_LINES = 200_000
# A line that is no row and says that from here on a step does more.
_ANNOUNCED = regex(
    r"(?i)\b(?:seq(?:uence)?[ _-]?len(?:gth)?|context[ _-]?(?:length|window)|(?:global |micro )?batch[ _-]?size"
    r"|\w*accumulation(?:[ _]steps)?)\b[^\n\d]{0,40}(?:\d+\s*)?(?:is now|now|->|\u2192|\bto)\s*[:=]?\s*(?P<to>\d+)"
    r"|(?:序列长度|上下文长度|批大小|累积步数)[^\n\d]{0,20}(?:\d+\s*)?(?:改为|变为|增至|->|\u2192|到)\s*(?P<zu>\d+)"
)

LONGER = 1.2  # a smaller rise of the length costs no quarter of the speed
NEAR = 20  # the length rises within a twentieth of the points around the fall
POINTS = 10  # on each side beyond it


def explains(curve: Curve, speed: Series, steps: Sequence[int], at: int, slower: float) -> bool:
    """Whether the logged sequence length rises where the speed falls to 1/``slower`` of itself.

    ``steps`` are those of the speed, ``at`` is the one of the fall, or the last where it falls over
    the whole run. Attention's share of a token's work grows with the length, so that a token costs at
    most in proportion to it, and a sequence as its square: a deeper fall has another reason.
    """
    lengths = curve.series.get("sequence_length")
    if lengths is None:
        return False
    place, near = steps.index(at), max(1, len(steps) // NEAR)
    whole = at == steps[-1]
    if lengths.steps[0] > steps[0] + (steps[-1] - steps[0]) // NEAR:
        # Announced when it changed: what it was before, and its share, is not known.
        around = range(steps[max(0, place - near)], steps[min(place + near, len(steps) - 1)] + 1)
        return whole or any(step in around for step in lengths.steps)
    early = steps[:POINTS] if whole else steps[: max(1, place - near)][-POINTS:]
    late = steps[-POINTS:] if whole else (steps[place + near :] or steps[-1:])[:POINTS]
    before, after = _lengths(lengths, early), _lengths(lengths, late)
    if not before or not after or min(after) < LONGER * max(before):
        return False  # lengths that differ by batch are no rise
    power = 1 if speed.name == "tokens_per_s" else 2
    return slower <= (median(after) / median(before)) ** power


def stretches(look: Look, series: Series, steps: Sequence[int]) -> list[tuple[int, int]]:
    """The stretches (first, behind the last index of ``steps``) between lines of the log that
    announce a longer sequence or a larger batch: each is a speed of its own. One where no line does."""
    if not any(log.name == series.file for log in look.files("log")):
        return [(0, len(steps))]
    lines = sorted(_announced(look, series))
    at = dict(zip(series.steps, series.lines, strict=True))
    places = [next((n for n, s in enumerate(steps) if at[s] > line), len(steps)) for line in lines]
    cuts = sorted({0, *places, len(steps)})
    return list(pairwise(cuts))


def _announced(look: Look, series: Series) -> set[int]:
    """Numbers of the lines that announce a step that does more than before."""
    path = next(log.path for log in look.files("log") if log.name == series.file)
    rows, found, last = set(series.lines), set[int](), 0
    with suppress(Unreadable):
        for number, text in islice(look.lines(path), MAX_LINES):
            told = None if number in rows else _ANNOUNCED.search(text[:400])
            if told is not None:
                size = int(told["to"] or told["zu"])
                found |= {number} if size > last else set()
                last = size
    return found


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
