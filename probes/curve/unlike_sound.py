"""What no sound curve shows, whatever its cause: then no run is called healthy, and it is told.

A mean over tokens of a model that learns from random weights starts at the height of a guess and does
not lie far above it; what is evaluated falls as training does; and what was learned is not lost again
and again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from medic.facts import Curve, PrintedStart, Series
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of
from medic.run_config import RunConfig

from .gap import FALL, LEARNED, LIKE_TRAINING
from .jumps import MAD_TO_SIGMA, NOISE
from .loss import UNTRAINED_LOSS
from .numbers import clean, median, spread
from .plan import source_at
from .rewarded import is_rewarded

CHECK = "unlike-a-sound-run"
POINTS, EVALS = 10, 3
ABOVE = 2.0  # times the highest loss that the run began with
# A leap takes back a third of all that was learned, and half of it is still lost two rows later.
LOST, STAYS, LEAPS = 1 / 3, 0.5, 2
FEW, BATCH = 10, "global_batch_size"  # updates; a fine-tuning makes a thousand and more
SHOWS = {
    "evaluated-far-above-a-guess": "evaluation-disagrees",
    "evaluated-as-at-the-start": "validation-never-falls",
}
_NEEDS = Text("a loss over more steps", "更多步的 loss")


def run(look: Look) -> Iterator[Any]:
    curve = look.fact(Curve)
    if (few := _few_updates(look)) is not None:
        yield few
        return
    train = curve.series.get("loss")
    steps, losses, _ = clean(train) if train is not None else ([], [], [])
    if train is None or len(losses) < POINTS or is_rewarded(curve, config_of(look)):
        yield Skip(_NEEDS, check=CHECK)
        return
    held = curve.series.get("eval_loss")
    found = _of_evaluations(look, losses, held) if held is not None else None
    found = found or _leaps(look, train, steps, losses) or Finding(CHECK, "none")
    yield found
    if found.outcome in SHOWS:
        yield Finding(SHOWS[found.outcome], value=found.value, source=found.source)


def _few_updates(look: Look) -> Finding | None:
    """A handful of updates that nobody asked for: they follow from what is accumulated for each."""
    config = config_of(look)
    seen = look.fact(PrintedStart).values if look.has(PrintedStart) else {}
    (steps, source), (batch, _) = (seen.get(n, (None, None)) for n in ("total_steps", BATCH))
    summed = config.integer("gradient_accumulation_steps") or 1
    if source is None or not isinstance(steps, int) or not 0 < steps <= FEW or summed < 2:
        return None
    if config.stated("total_steps") or batch is None:
        return None  # a trial whose steps are counted is meant
    value = {"updates": steps, "summed": summed, "batch": batch}
    return Finding(CHECK, "few-updates", value, source)


def _of_evaluations(look: Look, losses: Sequence[float], held: Series) -> Finding | None:
    steps, values, _ = clean(held)
    begin, last = max(losses[:3]), median(losses[-3:])
    if not values:
        return None
    source = source_at(look, held, held.steps.index(steps[-1]))
    value: dict[str, Any] = {"first": values[0], "last": values[-1], "begin": begin, "train": last}
    value |= {"train_first": begin, "train_last": last, "lowest": min(values)}
    if begin > UNTRAINED_LOSS and min(values) > ABOVE * begin:
        value |= {"times": f"{values[-1] / last:.1f}"}
        return Finding(CHECK, "evaluated-far-above-a-guess", value, source)
    stays = len(values) >= EVALS and min(values) > (1 - FALL) * values[0]
    new = begin > UNTRAINED_LOSS and values[0] > LIKE_TRAINING * begin
    if stays and new and last < LEARNED * begin:
        return Finding(CHECK, "evaluated-as-at-the-start", value, source)
    return None


def _leaps(
    look: Look, train: Series, steps: Sequence[int], losses: Sequence[float]
) -> Finding | None:
    """The loss leaps up again and again, and stays up for a while: it forgets, or the data changes."""
    begin = max(losses[:3])
    least = NOISE * MAD_TO_SIGMA * spread([b - a for a, b in pairwise(losses)])
    at: list[int] = []
    for n in range(3, len(losses) - 2):
        before = median(losses[n - 3 : n])
        rise, learned = losses[n] - before, begin - before
        if learned <= 0 or rise < max(LOST * max(learned, 1.0), least):
            continue
        if all(later > before + STAYS * rise for later in losses[n + 1 : n + 3]):
            at.append(n)
    apart = [n for n, last in zip(at, [-POINTS, *at], strict=False) if n - last > 2]
    if len(apart) < LEAPS:
        return None
    n = apart[0]
    source = source_at(look, train, train.steps.index(steps[n]))
    value = {"times": len(apart), "step": steps[n], "before": losses[n - 1], "after": losses[n]}
    return Finding(CHECK, "leaps-again-and-again", value, source)


PROBE = Probe(
    name="curve-unlike-sound",
    title=Text("what no sound curve shows", "正常曲线不会有的形态"),
    tells=(CHECK, *SHOWS.values()),
    needs=(Curve,),
    wants=(RunConfig, PrintedStart),
    reliability="heuristic",
    seconds=0.05,
    run=run,
)
