"""Held-out samples that are foretold worse than by a guess while training learns in its first pass.

Samples that are seen for the first time are held-out samples themselves: nothing is learned by heart
in the first epoch. Where the evaluation at its end is worse than a guess, and stays so, it is not the
same task to the model: its inputs are prepared in another way, or its classes are numbered otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from medic.facts import Curve, Series
from medic.probe import Finding, Look, config_of

from .numbers import clean
from .plan import source_at
from .smoothing import classes_of

CHECK, NEVER = "validation-gap", "validation-never-falls"
LEARNED = 0.8  # of a guess
BEGAN = 0.5  # nats from a guess: what random weights add
EVALS = 3  # one may be of batch statistics that are not settled yet


def worse_than_guess(
    look: Look, held: Series, pairs: Sequence[tuple[int, float, float]]
) -> Iterator[Finding]:
    """``pairs``: step, held-out loss and the training loss around it, in nats."""
    curve, classes = look.fact(Curve), classes_of(config_of(look))
    if classes is None or len(pairs) < EVALS or not in_first_epoch(curve, pairs[0][0]):
        return
    guess = math.log(classes)
    began = max(clean(curve.series["loss"])[1][:3])
    learned = all(train < LEARNED * guess for _, _, train in pairs)
    if abs(began - guess) > BEGAN or not learned or min(v for _, v, _ in pairs) < guess:
        return
    (step, first, train_first), (_, last, train_last) = pairs[0], pairs[-1]
    value = {"step": step, "first": first, "last": last, "guess": guess, "classes": classes}
    value |= {"lowest": min(v for _, v, _ in pairs)}
    value |= {"train_first": train_first, "train_last": train_last}
    source = source_at(look, held, held.steps.index(step))
    yield Finding(CHECK, "worse-than-a-guess", value=value, source=source)
    yield Finding(NEVER, value=value, source=source)


def in_first_epoch(curve: Curve, step: int) -> bool:
    """Whether no sample came twice before a step, as rows tell that have their place in the epoch."""
    places = curve.series.get("epoch_at")
    if places is None:
        return False
    before = [v for s, v in zip(places.steps, places.values, strict=True) if s <= step]
    return len(before) > 1 and before == sorted(set(before))
