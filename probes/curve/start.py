"""The level of the first losses, and losses that are exactly zero."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from medic.facts import Curve, Series
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

from .loss import LATE_START, UNTRAINED_LOSS
from .numbers import clean, median, value_at
from .plan import plan_of, source_at
from .rewarded import is_policy, is_rewarded

LEVEL, HIGH = "start-level", "initial-loss-too-high"
UNTRAINED = "above-random-untrained"
ZERO, GRADIENT = "loss-is-zero", "zero-loss-gradient"
FIRST = 3
NEAR = 0.7  # nats from ln(vocabulary): that of weights that know nothing
MIN_VOCABULARY = 50  # of single characters; fewer are classes
FAR = 1.5  # times ln(vocabulary)
# A language model that was trained on any text starts another one below 5 nats: the loss of a first
# step of 8 and more is that of weights that know nothing of these tokens.
UNKNOWING = 8.0
LARGEST = 262_144  # entries of the largest vocabularies in use (Gemma 3)
MANY = 16  # tokens of a sequence: of fewer a sum is no large loss
SUMMED = 0.15  # nats from ln(vocabulary): small random weights add less than 0.1
STAYS = 0.5  # of the first loss: new tokens alone are learned sooner
MIN_LOSSES = 20
# Parts that start untrained in a model that is trained: their loss may be that of a guess.
_NEW_PARTS = ("new_special_tokens", "add_tokens", "resize_vocab", "additional_special", "audio", "speech",
              "tts", "projector", "vision", "from_scratch", "random_init", "classification", "from_config")  # fmt: skip
MIN_ZEROS = 3
ZERO_SHARE = 0.1
ROUNDED = 0.05
SUDDEN = 0.5  # a loss that is followed by 0: rounding makes none of it
_NEEDS = Text("the loss of the first steps and the vocabulary size", "最初几步的 loss 与词表大小")
# Keys that name weights to start from.
_TRAINED = ("model_name_or_path", "base_model", "pretrained_model_name_or_path", "model_id",
            "base_checkpoint", "init_checkpoint", "pretrained_checkpoint", "pretrained_path",
            "pretrained_weights", "base_weights", "finetune_from")  # fmt: skip
_CLASS = ("architectures", "model_type")
# Tasks made by a rule can be foretold without a miss.
_TOYS = regex(
    r"(?i)(?:^|[\W_\d])(?:toy|copy(?:ing)?|sort(?:ing)?|revers(?:e|al|ing)|parity|addition|arithmetic|"
    r"modular|algorithmic|synthetic|induction|dyck|associative|grokking)(?:$|[\W_\d])"
)
_NAMES = ("task", "data", "dataset", "data_dir", "data_path", "train_file", "train_data", "train",
          "name", "run_name", "experiment", "exp_name", "problem", "project")  # fmt: skip


def run(look: Look) -> Iterator[Any]:
    curve = look.fact(Curve)
    loss = curve.series.get("loss")
    config = config_of(look)
    if loss is None:
        yield Skip(_NEEDS, check=LEVEL)
        return
    if is_rewarded(curve, config):
        yield Skip(_NEEDS, check=LEVEL)
    else:
        yield from level(look, curve, loss, config)
    yield from _zeros(look, curve, loss, config)


def level(look: Look, curve: Curve, loss: Series, config: RunConfig) -> Iterator[Finding | Skip]:
    steps, values, _ = clean(loss)
    vocabulary = config.integer("vocab_size")
    late = not steps or steps[0] > max(10, LATE_START * plan_of(look, curve).length)
    if (
        vocabulary is None
        and not late
        and not config.get("resume_from")
        and _knows_nothing(values, config)
    ):
        value = {"step": steps[0], "loss": values[0]}
        source = source_at(look, loss, loss.steps.index(steps[0]))
        yield Finding(LEVEL, "near-random", value=value, source=source)
        yield Finding(HIGH, value=value, source=source)
        return
    if late or vocabulary is None or vocabulary < MIN_VOCABULARY or config.get("resume_from"):
        yield Skip(_NEEDS, check=LEVEL)
        return
    # The first step's loss is of weights that no update has touched; later ones may have blown up.
    first = values[0] if steps[0] <= 1 else min(values[:FIRST])
    random = math.log(vocabulary)
    value = {"step": steps[0], "loss": first, "random": random, "vocabulary": vocabulary}
    source = source_at(look, loss, loss.steps.index(steps[0]))
    trained = is_trained(config)
    outcome = _outcome(look, first, random, trained=trained)
    if outcome == "above-random" and not trained and first > FAR * random and _is_built(config):
        outcome = UNTRAINED
    if outcome == UNTRAINED and summed_over(config, first, random) is not None:
        outcome = "above-random"
    if outcome is None and _knows_nothing(values, config):
        outcome = "near-random"
    if outcome is None:
        yield Skip(Text("whether the run starts from trained weights", "是否从训练过的权重开始"),
                   check=LEVEL)  # fmt: skip
        return
    exact = outcome == UNTRAINED and steps[0] <= 1  # no update has touched these weights
    yield Finding(LEVEL, outcome, value=value, source=source, exact=exact)
    high = outcome in ("above-random", UNTRAINED, "near-random")
    yield Finding(HIGH, "present" if high else "absent", value=value, source=source)


def summed_over(config: RunConfig, loss: float, random: float) -> int | None:
    """The count of tokens over which the loss of weights that know nothing is a sum: those of a
    micro batch, of a sequence, or of a batch, with the last of each sequence or without it."""
    length, micro = config.integer("sequence_length"), config.integer("micro_batch_size")
    if not length or length < MANY:
        return None
    sizes = {1, micro or 1, config.integer("global_batch_size") or 1}
    counts = sorted(size * n for size in sizes for n in (length, length - 1))
    nearest = min(counts, key=lambda n: abs(loss / n - random))
    return nearest if abs(loss / nearest - random) <= SUMMED else None


def is_trained(config: RunConfig) -> bool:
    """Whether the configuration names weights to start from."""
    named = any(s.path and s.path[-1] in _TRAINED for s in config.settings)
    return named or config.get("base_model") is not None


def is_toy(config: RunConfig) -> bool:
    """Whether what is learned is named as a task that a rule makes."""
    named = (s for s in config.settings if s.path and s.path[-1] in _NAMES)
    return any(_TOYS.search(str(s.value)) for s in named)


def starts_new(config: RunConfig) -> bool:
    """Whether the settings of the run shape its model, and name no weights to start from."""
    return _is_built(config) and not is_trained(config) and not config.get("resume_from")


def _knows_nothing(values: list[float], config: RunConfig) -> bool:
    """Whether trained weights begin, and stay, where a language model is that knows nothing of its
    text, of whatever vocabulary."""
    first, end = median(values[:FIRST]), median(values[-max(FIRST, len(values) // 5) :])
    vocabulary = config.integer("vocab_size")
    most = math.log(vocabulary or LARGEST) + NEAR
    if not is_trained(config) or not UNKNOWING <= first <= most or end < STAYS * first:
        return False
    if len(values) < MIN_LOSSES:
        return False
    accumulated = config.integer("gradient_accumulation_steps") or 1
    if accumulated > 1 and first / accumulated < UNTRAINED_LOSS:
        return False  # losses that are summed over micro batches
    said = " ".join(f"{'.'.join(s.path)} {s.value}" for s in config.settings).lower()
    return not any(word in said for word in _NEW_PARTS)


def _is_built(config: RunConfig) -> bool:
    """Whether the run's own settings shape the model, and no config.json of a model folder. That one
    says what class it is of; settings of a run may have its keys beside their own."""
    origin = config.origin("hidden_size")
    if origin is None or origin.span is None:
        return False
    file = origin.span.file
    classes = (s for s in config.settings if s.path and s.path[-1] in _CLASS)
    return origin.framework != "hf-model" or not any(
        s.origin.span is not None and s.origin.span.file == file for s in classes
    )


def _outcome(look: Look, first: float, random: float, *, trained: bool) -> str | None:
    if first > random + look.threshold("above-random"):
        return "above-random"
    near = abs(first - random) < NEAR
    if trained:
        return "near-random" if near else "as-expected" if first < 3.0 else None
    return "as-expected" if near else None


def _zeros(look: Look, curve: Curve, loss: Series, config: RunConfig) -> Iterator[Finding | Skip]:
    policy = is_policy(curve, config)  # whose rounded losses are zero by design
    zeros = [n for n, v in enumerate(loss.values) if v == 0.0]
    # A loss that comes down to zero is rounded to it.
    rounded = bool(zeros) and zeros[0] > 0 and loss.values[zeros[0] - 1] < ROUNDED
    share = len(zeros) / max(1, len(loss.values))
    many = (share >= ZERO_SHARE and not rounded) or _is_sudden(loss)
    norm = curve.series.get("grad_norm")
    norms = [v for n in zeros if (v := value_at(norm, loss.steps[n])) is not None]
    hidden = sum(not math.isfinite(v) for v in norms) > len(norms) / 2
    if (policy and not hidden) or not many or len(zeros) < MIN_ZEROS:
        yield Finding(ZERO, "absent")
        return
    first = zeros[0]
    value = {"step": loss.steps[first], "count": len(zeros), "of": len(loss.values)}
    source = source_at(look, loss, first)
    yield Finding(ZERO, value=value, source=source)
    if not norms:
        yield Skip(Text("the gradient norm of the steps with a loss of 0", "loss 为 0 各步的梯度范数"),
                   check=GRADIENT)  # fmt: skip
    elif hidden:
        yield Finding(GRADIENT, "gradient-nan", value=value, source=source)
    elif sum(v == 0.0 for v in norms) > len(norms) / 2:
        yield Finding(GRADIENT, "gradient-zero", value=value, source=source)
    elif sum(v == 1.0 for v in norms) > len(norms) / 2:
        yield Finding(GRADIENT, "gradient-constant", value=value, source=source)


def _is_sudden(loss: Series) -> bool:
    """Whether a loss far from zero is followed by one that is exactly zero."""
    finite = [v for v in loss.values if math.isfinite(v)]
    return any(a >= SUDDEN and b == 0.0 for a, b in pairwise(finite))


PROBE = Probe(
    name="curve-start",
    title=Text("the first losses", "起始 loss"),
    tells=(LEVEL, HIGH, ZERO, GRADIENT),
    needs=(Curve,),
    wants=(RunConfig,),
    reliability="heuristic",
    seconds=0.05,
    run=run,
)
