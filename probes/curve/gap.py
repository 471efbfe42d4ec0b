"""The validation loss beside the training loss."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from medic.facts import Curve, LogHits, Series, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of
from medic.run_config import RunConfig

from . import first_pass
from .held_level import FACTOR, held_level
from .jumps import MAD_TO_SIGMA
from .loss import UNTRAINED_LOSS
from .numbers import clean, median, spread
from .plan import source_at
from .rewarded import is_rewarded
from .smoothing import smoothing_of
from .start import is_toy, starts_new

CHECK, SYMPTOM, LOW = "validation-gap", "validation-loss-rises", "loss-suspiciously-low"
NEVER, FLOOR = "validation-never-falls", "loss-floor"
MIN_POINTS = 10
NO_MISS = 0.05  # nats, a perplexity of 1.05
MIN_EVALS, FEW_EVALS = 5, 2
# Nats, a perplexity 1.6 times as large. A few evaluations do not show their own noise, so that far
# more is asked than RISE_NATS; those of the healthy recorded runs (tests/lab) never rise at all.
FAR_UP = 0.5
NEAR = 20  # training points before an evaluation that it is compared with
RISE, RISE_NATS = 0.04, 0.03  # above the lowest one: less is the noise of a small validation set
NOISE, CLIMB = 5.0, 3.0  # of the noise of its changes; a steady climb has little
FALL = 0.02  # of the training loss meanwhile
BETTER, BETTER_NATS = 0.85, 0.15
# Each epoch a lower training loss at once, while held-out text is foretold worse and worse: few
# evaluations show that, too. Nats (a perplexity 1.16 times as large), points, and the share of a stair.
CLIMBS, STAIR_EVALS, STAIR_POINTS, STAIR = 0.15, 3, 5, 0.1
# Three or four evaluations that only rise are told without stairs, too, if the last is far up, in
# nats and as a share: more than a validation set of a hundred examples scatters by (2 to 3%).
FEW_UP, FEW_SHARE = 0.3, 0.1
LIKE_TRAINING, LEARNED, SAME = 0.9, 0.8, 1e-3  # of the loss at the begin
NOTHING_LEFT = 0.15  # nats: no text that was not seen before is so easy to foretell
FAR = 0.6  # dropout and averages over an epoch explain a third, not more
_NEEDS = Text("several validation losses beside the training loss", "训练 loss 与多个验证 loss")


def run(look: Look) -> Iterator[Any]:
    curve = look.fact(Curve)
    train, held = curve.series.get("loss"), curve.series.get("eval_loss")
    if train is not None and held is None and not is_rewarded(curve, config_of(look)):
        yield from _floor(look, train)
    if train is None or held is None:
        yield Skip(_NEEDS, check=CHECK)
        return
    steps, values, _ = clean(held)
    at, losses, _ = clean(train)
    beside = [_level(at, losses, step, since) for since, step in pairwise([0, *steps])]
    pairs = [(s, v, t) for s, v, t in zip(steps, values, beside, strict=True) if t is not None]
    found = list(first_pass.worse_than_guess(look, held, pairs)) or list(
        held_level(look, held, pairs)
    )
    if found:
        yield from found
        return
    if len(pairs) < MIN_EVALS:
        yield from _few(look, held, pairs)
        return
    yield from _judge(look, held, pairs)


def _floor(look: Look, train: Series) -> Iterator[Finding]:
    """Without a validation loss: whether what was learned is too good for text."""
    steps, losses, _ = clean(train)
    if len(losses) < MIN_POINTS or _began(look) < UNTRAINED_LOSS:
        return
    last = median(losses[-3:])
    if last > NO_MISS:
        yield Finding(FLOOR, "usual")
        return
    source = source_at(look, train, train.steps.index(steps[-1]))
    yield _no_miss(_began(look), last, steps[-1], source)
    yield Finding(LOW, source=source)


def _few(
    look: Look, held: Series, pairs: Sequence[tuple[int, float, float]]
) -> Iterator[Finding | Skip]:
    """What a few evaluations are enough for: a model that began without knowledge makes no miss
    any more in training, and on held-out text none either, or more and more."""
    began = _began(look)
    if _climbs_far(pairs) or _climbs_by_stairs(look, pairs):
        yield from _turns_up(look, held, pairs)
        return
    nothing_left = bool(pairs) and max(pairs[-1][1:]) < NOTHING_LEFT
    if len(pairs) < FEW_EVALS or began < UNTRAINED_LOSS:
        yield Skip(_NEEDS, check=CHECK)
        return
    if pairs[-1][2] > NO_MISS and not nothing_left:
        yield Skip(_NEEDS, check=CHECK)
        return
    value = _value(pairs, pairs[-1][1])
    source = source_at(look, held, held.steps.index(pairs[-1][0]))
    if nothing_left:
        yield Finding(LOW, value=value, source=source)
        yield _no_miss(began, value["train_last"], pairs[-1][0], source)
    elif value["last"] > value["lowest"] + FAR_UP:
        yield from _turns_up(look, held, pairs)


def _turns_up(
    look: Look, held: Series, pairs: Sequence[tuple[int, float, float]]
) -> Iterator[Finding]:
    value = _value(pairs, pairs[-1][1])
    source = source_at(look, held, held.steps.index(pairs[-1][0]))
    yield Finding(CHECK, "validation-turns-up", value=value, source=source)
    yield Finding(SYMPTOM, value=value, source=source)


def _climbs_far(pairs: Sequence[tuple[int, float, float]]) -> bool:
    """From its lowest evaluation on validation only rises, and far, while training still falls."""
    lowest = min(range(len(pairs)), key=lambda n: pairs[n][1], default=0)
    rest = pairs[lowest:]
    if len(rest) < STAIR_EVALS or any(b[1] <= a[1] for a, b in pairwise(rest)):
        return False
    low, high = rest[0][1], rest[-1][1]
    falls = all(b[2] < a[2] for a, b in pairwise(rest)) and rest[-1][2] < (1 - FALL) * rest[0][2]
    return falls and low > 0 and high > max(low + FEW_UP, (1 + FEW_SHARE) * low)


def _climbs_by_stairs(look: Look, pairs: Sequence[tuple[int, float, float]]) -> bool:
    """From its lowest evaluation on validation only rises, and behind each of these but the last the
    training loss falls at once, by more than it changes until the next."""
    lowest = min(range(len(pairs)), key=lambda n: pairs[n][1], default=0)
    rest = pairs[lowest:]
    if len(rest) < STAIR_EVALS or any(b[1] <= a[1] for a, b in pairwise(rest)):
        return False
    if rest[-1][1] - rest[0][1] < CLIMBS:
        return False
    steps, losses, _ = clean(look.fact(Curve).series["loss"])
    cuts = [bisect_right(steps, step) for step, _, _ in rest]
    return all(
        _stair(losses[max(0, begin - STAIR_POINTS) : begin], losses[begin:end])
        for begin, end in pairwise(cuts)
    )


def _stair(before: Sequence[float], after: Sequence[float]) -> bool:
    """Whether the loss falls at once from one level to the next."""
    if len(before) < STAIR_POINTS or len(after) < 2 * STAIR_POINTS:
        return False
    first, last = median(after[:STAIR_POINTS]), median(after[-STAIR_POINTS:])
    fall = median(before) - first
    noise = MAD_TO_SIGMA * max(spread(before), spread(after))
    return fall > max(STAIR * median(before), NOISE * noise) and fall > 2 * (first - last)


def _no_miss(first: float, last: float, step: int, source: Source) -> Finding:
    """Too good for any text: training losses (nats) of the begin and of the end, and its step."""
    value = {"first": first, "last": last, "step": step}
    return Finding(FLOOR, "near-zero-from-scratch", value=value, source=source)


def _value(pairs: Sequence[tuple[int, float, float]], last: float) -> dict[str, Any]:
    """The numbers of the evaluation with the lowest loss, the ``last`` one's and the training loss
    beside each."""
    step, lowest, then = min(pairs, key=lambda pair: pair[1])
    return {
        "step": step,
        "lowest": lowest,
        "last": last,
        "train_then": then,
        "train_last": pairs[-1][2],
    }


def _level(steps: Sequence[int], values: Sequence[float], step: int, since: int) -> float | None:
    """The training loss around a step: the median of the points just before it, as far back as
    the evaluation before, but of three at least."""
    end = bisect_right(steps, step)
    begin = min(bisect_right(steps, since), end - 3)
    before = values[max(0, end - NEAR, begin) : end]
    return median(before) if len(before) >= min(3, len(values)) else None


def _judge(
    look: Look, held: Series, pairs: Sequence[tuple[int, float, float]]
) -> Iterator[Finding]:
    steps, values, train = ([p[n] for p in pairs] for n in range(3))
    lowest = min(range(len(values)), key=values.__getitem__)
    end = median(values[-2:])
    value = _value(pairs, values[-1])
    source = source_at(look, held, held.steps.index(steps[lowest]))
    apart = _never_learned(look, values, train)
    if apart is not None:
        value |= {"first": values[0], "train_first": train[0]}
        yield Finding(CHECK, apart, value=value, source=source)
        yield Finding(NEVER, value=value, source=source)
        if _turned(values, train, lowest):
            yield Finding(SYMPTOM, value=value, source=source)
        return
    if _turned(values, train, lowest):
        yield Finding(CHECK, "validation-turns-up", value=value, source=source)
        yield Finding(SYMPTOM, value=value, source=source)
        return
    yield Finding(SYMPTOM, "absent")
    yield Finding(NEVER, "absent")
    own = _unsmoothed(look, train)
    half = list(zip(values, own, strict=True))[len(values) // 2 :]
    better = all(v < min(BETTER * t, t - BETTER_NATS) for v, t in half)
    far = all(v < min(FAR * t, t - BETTER_NATS) for v, t in half) or _nothing_left(look, end)
    last = source_at(look, held, held.steps.index(steps[-1]))
    if train[-1] < NO_MISS and _nothing_left(look, end):
        yield _no_miss(_began(look), train[-1], pairs[-1][0], last)
    outcome = "validation-better" if better else "usual"
    yield Finding(CHECK, outcome, value=value, source=last)
    yield Finding(LOW, "present" if far else "absent", value=value, source=last)


def _nothing_left(look: Look, end: float) -> bool:
    """A model that began without knowledge foretells held-out text nearly without a miss."""
    return end < NOTHING_LEFT and _began(look) > UNTRAINED_LOSS


def _began(look: Look) -> float:
    """The training loss that the run began with, in nats; 0 of a task that can be learned whole.

    Of a model that the settings build the highest of the first losses: where few are logged it has
    learned by the second.
    """
    config = config_of(look)
    first = clean(look.fact(Curve).series["loss"])[1][:3]
    if is_toy(config):
        return 0.0
    return max(first) if starts_new(config) else median(first)


def _unsmoothed(look: Look, train: Sequence[float]) -> list[float]:
    """Training losses without what smoothed labels cost at the least: validation has none of it."""
    found = smoothing_of(config_of(look))
    return [value - found.floor if found is not None else value for value in train]


def _never_learned(look: Look, values: Sequence[float], train: Sequence[float]) -> str | None:
    """Both began where a model begins that knows nothing, and only training learned: what learns
    by heart learns first."""
    # The highest of the first losses: where few are logged the others have learned already.
    begin = max(clean(look.fact(Curve).series["loss"])[1][:3])
    if begin < UNTRAINED_LOSS or values[0] < LIKE_TRAINING * begin:
        return None
    if min(values) < (1 - FALL) * values[0] or train[-1] > LEARNED * begin:
        return None
    same = max(values) - min(values) < SAME * values[0]
    return "validation-constant" if same else "validation-never-learned"


def _turned(values: Sequence[float], train: Sequence[float], lowest: int) -> bool:
    """After its lowest point validation rises, beyond its own noise, while training still falls."""
    after = values[lowest + 1 :]
    if len(after) < 3:
        return False
    changes = [b - a for a, b in pairwise(values)]
    noise = MAD_TO_SIGMA * spread(changes)
    # A steady climb is no noise: its steps are alike.
    climbs = sum(c > 0 for c in changes[lowest:]) >= 0.8 * len(changes[lowest:])
    low, end = values[lowest], median(after[-2:])
    limit = max(low * (1 + RISE), low + RISE_NATS)
    beyond = end > limit and end - low > (CLIMB if climbs else NOISE) * noise
    return beyond and train[-1] < train[lowest] * (1 - FALL)


PROBE = Probe(
    name="curve-validation",
    title=Text("validation beside training loss", "验证与训练 loss 对比"),
    tells=(CHECK, SYMPTOM, LOW, NEVER, FLOOR, FACTOR),
    needs=(Curve,),
    wants=(RunConfig, LogHits),
    reliability="heuristic",
    seconds=0.05,
    run=run,
)
