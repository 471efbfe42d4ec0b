"""Whether a loss is what it should be, times the accumulation steps: arithmetic."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from medic.facts import Curve, Series
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig

from . import start
from .numbers import clean, median
from .plan import source_at

FACTOR, REDUCTION = "accumulation-factor", "loss-reduction"
EXACT = 0.05  # of the accumulation steps: the noise of the first losses
BESIDE, FLAT = 3, 1.1  # training losses before an evaluation, and the largest of them by the least
# Nats: a guess among 256 Ki words has 12.5. A mean over tokens above that, beside a low validation
# loss, is no mean.
BEYOND_GUESS = 12.5
# Without stated steps: how near a whole number, and up to which that is no chance.
NEAR_WHOLE, MOST = 0.15, 64


def run(look: Look) -> Iterator[Finding]:
    curve, config = look.fact(Curve), config_of(look)
    loss, steps = curve.series.get("loss"), config.integer("gradient_accumulation_steps")
    if loss is None:
        return
    summed = list(_of_tokens(look, curve, loss, config))
    if summed:
        yield from summed
        return
    stated = config.stated("gradient_accumulation_steps")
    if steps is not None and stated:
        found = list(_of_guess(look, curve, loss, config, steps))
        if found:
            yield from found
            return
    held = curve.series.get("eval_loss")
    if held is not None:
        yield from _of_validation(look, loss, held, steps if stated else None)


def _of_tokens(look: Look, curve: Curve, loss: Series, config: RunConfig) -> Iterator[Finding]:
    """A first loss above a guess that is the guess times the tokens of a micro batch."""
    for told in start.level(look, curve, loss, config):
        if not isinstance(told, Finding) or not told.outcome.startswith("above-random"):
            continue
        first, random = told.value["loss"], told.value["random"]
        tokens = start.summed_over(config, first, random)
        if tokens is not None and first > start.FAR * random:
            value = {**told.value, "tokens": tokens, "mean": first / tokens}
            yield Finding(REDUCTION, "sum-over-tokens", value=value, source=told.source)


def _of_guess(
    look: Look, curve: Curve, loss: Series, config: RunConfig, steps: int
) -> Iterator[Finding]:
    """A first loss above a guess that is the guess times the steps."""
    for told in start.level(look, curve, loss, config):
        if not isinstance(told, Finding) or not told.outcome.startswith("above-random"):
            continue
        factor = told.value["loss"] / told.value["random"]
        if steps == 1:
            yield Finding(FACTOR, "same", value=told.value, source=told.source)
        elif abs(factor - steps) < EXACT * steps:
            value = {**told.value, "factor": round(factor, 2)}
            yield Finding(FACTOR, "exact-multiple", value=value, source=told.source)


def _of_validation(look: Look, loss: Series, held: Series, steps: int | None) -> Iterator[Finding]:
    """A training loss that is the validation loss, which nothing is accumulated for, times the
    steps. Where they are not stated: times a whole number, and above any guess."""
    at, losses, _ = clean(loss)
    ratios, trained, where = [], [], 0
    for step, low in zip(*clean(held)[:2], strict=True):
        end = bisect_right(at, step)
        beside = losses[max(0, end - BESIDE) : end]
        if len(beside) == BESIDE and low > 0 and 0 < min(beside) > max(beside) / FLAT:
            ratios.append(median(beside) / low)
            trained.append(median(beside))
            where = step
    if not ratios:
        return
    factor, train = median(ratios), median(trained)
    whole = steps if steps is not None else round(factor)
    if steps is None:
        near = abs(factor - whole) < min(EXACT * whole, NEAR_WHOLE)
        near = near and whole <= MOST and train > BEYOND_GUESS
    else:
        near = abs(factor - whole) < EXACT * whole
    if whole >= 2 and near:
        value = {"step": where, "loss": train, "eval": train / factor, "factor": round(factor, 2)}
        source = source_at(look, held, held.steps.index(where))
        yield Finding(FACTOR, "exact-multiple", value=value, source=source)


PROBE = Probe(
    name="curve-accumulated",
    title=Text("the factor of an accumulated loss", "累积 loss 的倍数"),
    tells=(FACTOR, REDUCTION),
    needs=(Curve,),
    wants=(RunConfig,),
    seconds=0.02,
    run=run,
)
