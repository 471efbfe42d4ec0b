"""Held-out losses that are not the mean of the trained weights: a sum over batches, or the loss of an
average of weights that has hardly left the start."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from medic.facts import Curve, Series, Source
from medic.probe import Finding, Look, config_of, source_of
from medic.run_config import RunConfig, Setting

from .numbers import clean
from .plan import source_at
from .smoothing import classes_of

CHECK, NEVER, FACTOR = "validation-gap", "validation-never-falls", "number-off-by-a-factor"
EVALS, STUCK_EVALS = 2, 3
# A held-out loss is a little above that of training, which falls within the stretch it is taken of.
NEAR = (0.85, 1.4)
FEWEST = 4  # batches: held-out text of another kind costs twice as much, not four times
BATCHES = ("eval_iters", "eval_batches", "val_batches", "limit_val_batches", "eval_max_batches",
           "max_eval_batches", "num_eval_batches", "val_iters", "valid_batches", "eval_micro_batches")  # fmt: skip
AVERAGES = ("ema_decay", "ema_rate", "ema_momentum", "ema_beta", "model_ema_decay")
HELD = 0.5  # of the average is still the weights of the start
ABOVE, LEARNED = 0.1, 0.8  # nats below a guess, and what training has come down to of it


def held_level(
    look: Look, held: Series, pairs: Sequence[tuple[int, float, float]]
) -> Iterator[Finding]:
    """``pairs``: step, held-out loss and the training loss around it, in nats."""
    config = config_of(look)
    if len(pairs) < EVALS:
        return
    if (batches := _summed_over(config, pairs)) is not None:
        yield from _of_sum(look, held, pairs, batches)
        return
    guess = _stuck_at(look, config, pairs)
    if guess is None:
        return
    (step, first, train_first), (_, last, train_last) = pairs[0], pairs[-1]
    value = {"step": step, "first": first, "last": last, "guess": guess}
    value |= {"lowest": min(v for _, v, _ in pairs)}
    value |= {"train_first": train_first, "train_last": train_last}
    source = _at(look, held, pairs[-1][0])
    average = _average(config, pairs[-1][0])
    if average is None:
        yield Finding(CHECK, "validation-never-learned", value=value, source=source)
    else:
        more = {"decay": average.value, "steps": pairs[-1][0]}
        more["share"] = 100 * float(str(average.value)) ** pairs[-1][0]
        place = source_of(average.origin, f"{average.path[-1]}: {average.value}")
        yield Finding(CHECK, "average-at-start", value | more, source, (place,), exact=True)
    yield Finding(NEVER, value=value, source=source)


def _at(look: Look, held: Series, step: int) -> Source:
    return source_at(look, held, held.steps.index(step))


def _summed_over(
    config: RunConfig, pairs: Sequence[tuple[int, float, float]]
) -> tuple[Setting, int] | None:
    """The stated number of held-out batches by which every held-out loss is too large."""
    for setting in config.settings:
        count = setting.value
        if not setting.path or setting.path[-1] not in BATCHES:
            continue
        if not isinstance(count, (int, float)) or count != int(count):
            continue
        shares = [v / (t * count) for _, v, t in pairs if t > 0]
        if count >= FEWEST and shares and all(NEAR[0] < share < NEAR[1] for share in shares):
            return setting, int(count)
    return None


def _of_sum(
    look: Look,
    held: Series,
    pairs: Sequence[tuple[int, float, float]],
    batches: tuple[Setting, int],
) -> Iterator[Finding]:
    setting, count = batches
    step, last, train = pairs[-1]
    value: dict[str, object] = {"last": last, "train_last": train, "step": step}
    value |= {"batches": count}
    value |= {"key": setting.path[-1], "mean": last / count}
    source = _at(look, held, step)
    place = source_of(setting.origin, f"{setting.path[-1]}: {count}")
    yield Finding(CHECK, "validation-summed", value, source, (place,), exact=True)
    yield Finding(FACTOR, value=value, source=source)


def _stuck_at(
    look: Look, config: RunConfig, pairs: Sequence[tuple[int, float, float]]
) -> float | None:
    """The loss of a guess, where a run that began there has learned in training and not at all on
    held-out text."""
    classes = classes_of(config)
    if classes is None or len(pairs) < STUCK_EVALS:
        return None
    guess = math.log(classes)
    began = max(clean(look.fact(Curve).series["loss"])[1][:3])
    if began < guess - ABOVE or pairs[-1][2] > LEARNED * guess:
        return None
    # Above the guess it may be learned by heart, and is judged by its course.
    near = all(guess - ABOVE < v < guess + ABOVE for _, v, _ in pairs)
    return guess if near else None


def _average(config: RunConfig, steps: int) -> Setting | None:
    """The decay of an average of weights most of which are those of the start after ``steps``."""
    for setting in config.settings:
        value = setting.value
        if not setting.path or setting.path[-1] not in AVERAGES or not isinstance(value, float):
            continue
        if 0 < value < 1 and value**steps > HELD:
            return setting
    return None
