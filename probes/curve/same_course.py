"""A classifier's loss above that of a guess, on the same course in every epoch, beside code or a
setting that leaves the data in their order: each batch is of few classes, and unlearns the others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from medic.errors import Unreadable
from medic.facts import Curve, Series, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of, source_of
from medic.run_config import RunConfig

from ..programs import FILES, program_text
from .numbers import median
from .plan import source_at
from .smoothing import classes_of
from .unshuffled import unshuffled

CHECK = "data-order"
EPOCHS, PLACES = 3, 4  # by chance four places come in the same order thrice once in 576 times
ALIKE = 0.9  # mean rank correlation of neighbouring epochs
SWING = 1.3  # highest over lowest place: no batch of one mixture is so much harder each time
# Nats above ln(classes): what learns from mixed batches is never so much worse than a guess for long.
WORSE = 0.3


def run(look: Look) -> Iterator[Finding]:
    curve = look.fact(Curve)
    loss, places = curve.series.get("loss"), curve.series.get("epoch_at")
    classes = classes_of(config_of(look))
    if loss is None or places is None or classes is None:
        return
    epochs = _epochs(loss, places)
    if len(epochs) < EPOCHS or not _same(epochs):
        return
    guess = math.log(classes)
    levels = [median([epoch[n] for epoch in epochs]) for n in range(len(epochs[0]))]
    if median(levels) < guess + WORSE or max(levels) < SWING * min(levels):
        return
    order = _order(look)
    if order is None:
        return
    key, source = order
    last = len(loss.steps) - 1
    value = {"key": key, "count": len(epochs), "high": max(levels), "low": min(levels)}
    value |= {"guess": guess, "classes": classes}
    at = source_at(look, loss, last)
    yield Finding(CHECK, "same-course-each-epoch", value, source, more=(at,), exact=True)


def _epochs(loss: Series, places: Series) -> list[list[float]]:
    """The losses of each epoch behind the first at the places that all of them have, in order."""
    at = dict(zip(places.steps, places.values, strict=True))
    found: list[dict[float, float]] = [{}]
    before = -1.0
    for step, value in zip(loss.steps, loss.values, strict=True):
        place = at.get(step)
        if place is None or not math.isfinite(value):
            continue
        if place <= before:
            found.append({})
        found[-1][place] = value
        before = place
    later = found[1:]
    common = sorted(set.intersection(*(set(one) for one in later))) if later else []
    return [[one[place] for place in common] for one in later] if len(common) >= PLACES else []


def _same(epochs: Sequence[Sequence[float]]) -> bool:
    likeness = [_likeness(one, other) for one, other in pairwise(epochs)]
    return sum(likeness) >= ALIKE * len(likeness)


def _likeness(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's rank correlation."""
    first, second = _ranks(one), _ranks(other)
    n = len(first)
    apart = sum((a - b) ** 2 for a, b in zip(first, second, strict=True))
    return 1 - 6 * apart / (n * (n * n - 1))


def _ranks(values: Sequence[float]) -> list[int]:
    order = sorted(range(len(values)), key=values.__getitem__)
    return [order.index(n) for n in range(len(values))]


def _order(look: Look) -> tuple[Text | str, Source] | None:
    """What leaves the training data in their order, and where: a setting, or a loader of the code."""
    setting = next((s for s in config_of(look).settings if unshuffled(s)), None)
    if setting is not None:
        key = f"{'.'.join(setting.path)}: {str(setting.value).lower()}"
        return key, source_of(setting.origin, key)
    if not look.files("python"):
        return None
    import ast

    from ..training.code import Code
    from ..training.samplers import in_order

    for given in look.files("python")[:FILES]:
        try:
            text = program_text(look, given.path)
            found = in_order(Code(ast.parse(text), text)) if "DataLoader" in text else None
        except (Unreadable, SyntaxError, ValueError, RecursionError):
            continue
        if found is not None:
            line = text.split("\n")[found.lineno - 1].strip()
            return "shuffle=False", Source(given.name, found.lineno, text=line)
    return None


PROBE = Probe(
    name="curve-same-course",
    title=Text("the loss of each epoch beside the last", "各 epoch 的 loss 走势对比"),
    tells=(CHECK,),
    needs=(Curve,),
    wants=(RunConfig,),
    reliability="heuristic",
    run=run,
    seconds=0.02,
    limit_seconds=5.0,
)
