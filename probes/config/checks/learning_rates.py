"""When a peak learning rate is unusual for the size and kind of training, and how that is said."""

from __future__ import annotations

from medic.i18n import Text
from medic.learning_rates import (
    Range,
    adam_like,
    adapts,
    anew,
    flavored,
    kind_of,
    parameters,
    prefers,
    prompts,
    supervised,
    usual,
)
from medic.run_config import NOBODYS, RunConfig
from medic.text.patterns import regex

from .numbers import sized

__all__ = [
    "FAR_ABOVE",
    "Range",
    "adam_like",
    "far_above",
    "far_below",
    "kind_of",
    "parameters",
    "placeholders",
    "prompts",
    "spread",
    "survivable",
    "usual",
]

# Times all that is published: known to be wrong, as far as the training is known; of LoRA of whatever
# size, since small models take a few times what large ones do.
GRAVE, GRAVE_LORA = 10.0, 30.0
# A rate is called unusual only this far above, or below, everything published for the size.
FAR_ABOVE = 5.0
# No further than the 3.2 of SGD at 8,192 images (arXiv 1706.02677) where nothing says what is trained.
_FAR_ABOVE_SGD = 600.0
_OF_LANGUAGE = ("sequence_length", "vocab_size", "hidden_size", "num_layers")
# Below it less where more is known: that weights are new, or learn from preferences; that they are
# pretrained and learn the next token, of which the lowest rates are known well.
_FAR_BELOW, _FAR_BELOW_KNOWN, _FAR_BELOW_NEXT = 20.0, 5.0, 2.5
# Five times the usual spread of a transformer's weights: one step of Adam overwrites them.
_SURVIVABLE, _SPREAD = 0.1, 0.02
# Where nothing scales the update or trains something else: ten times the highest rate published for
# the kind and size of training, and at least half of the spread, which two steps overwrite.
_TIMES, _SURVIVABLE_HALF = 10, 0.01
# The same of LoRA's A, which is drawn from +-1/sqrt(inputs) (peft lora/layer.py, kaiming_uniform with
# a = sqrt(5)), where the model is of a size whose layers have 4096 inputs or more.
_SURVIVABLE_LORA, _SPREAD_LORA, _WIDE = 0.045, 0.009, 6.5e9
# Of 2048 inputs it is 0.013.
_SURVIVABLE_NARROW = 0.065
# A pretrained model of this size or more, all of whose weights are trained: four steps overwrite
# them; nothing published fine-tunes one with a tenth of the rate.
_SURVIVABLE_WHOLE, _LARGE = 0.005, 1e9
# Settings of those that train something else, or that scale the update themselves.
_OTHERWISE = regex(
    r"prompt_tun|p_tuning|prefix|pre_seq|freeze|frozen|peft|lora|adapter|trainable|galore|apollo|badam|muon|lomo|lisa|(?:^|_)mup(?:_|$)|width_mult|lr_mult|lr_scale|layer_decay"
)
# Adapters that are no LoRA, or a LoRA whose rates are its own, of peft and LoRA+.
_OTHER_ADAPTERS = regex(
    r"(?:^|[_./-])(?:adalora|vera|ia3|loha|lokr|oft|boft|vblora|randlora|loraplus)(?:$|[_./-])"
)
_OTHER_START = ("init_lora_weights", "pissa_init", "lora_init", "init_weights", "use_dora")
_OFF = (None, False, "", 0, "none")
# Programs around the Trainer that train what their author pleases.
_OWN_SCRIPTS = ("hf-trainer",)
_STATED = Text("{n} parameters", "{n} 参数的模型")
_PRINTED = Text("{n} parameters, as its log says", "{n} 参数的模型（按日志）")
_BY_SHAPE = Text("about {n} parameters by its shape", "按结构约 {n} 参数的模型")
_NAMED_SIZE = regex(r"(?<![\d.])(\d{1,4}(?:\.\d+)?)[bB](?![a-zA-Z])")
# Adam with a rate that is a factor of one which it finds itself, or of a relative step.
_SCALED = ("dadapt", "prodigy", "adafactor", "relative", "mechanic", "came")


def survivable(config: RunConfig) -> float | None:
    """Where a rate of Adam ends all learning; None if the optimizer is not known to be Adam."""
    optimizer = str(config.get("optimizer") or "").lower()
    if not optimizer and config.nobodys:
        return None
    scaled = any(word in optimizer for word in _SCALED)
    if scaled or not adam_like(config):
        return None
    if _whole_and_large(config):
        return _SURVIVABLE_WHOLE
    if _adapter(config):
        return _SURVIVABLE_LORA if _wide_adapter(config) else _SURVIVABLE_NARROW
    if kind_of(config) == "lora" or adapts(config) or _otherwise(config):
        return _SURVIVABLE
    return max(_TIMES * usual(config).high, _SURVIVABLE_HALF)


def grave(config: RunConfig, rate: float, high: float) -> bool:
    """Whether a rate is ten times ``high``, all that is published, where what is trained leaves no other
    range: new weights of a known size; of a large pretrained model all weights, or LoRA."""
    if rate < GRAVE * high:
        return False
    kind, size = kind_of(config), parameters(config) or named_size(config) or 0
    if kind == "lora":
        large = size >= _LARGE or rate >= GRAVE_LORA * high
        return large and not _other_adapter(config)
    if prefers(config) and size >= _LARGE:
        return not _otherwise(config)
    known = config.framework not in (*NOBODYS, *_OWN_SCRIPTS)
    return kind == "pretraining" or (known and _whole_and_large(config))


def _other_adapter(config: RunConfig) -> bool:
    """Whether a setting that is on names one, by its key or by its value."""
    given = (one for one in config.settings if one.value not in _OFF)
    words = (word for one in given for word in (*one.path, one.value))
    return any(_OTHER_ADAPTERS.search(str(word).lower()) for word in words)


def far_above(config: RunConfig) -> float:
    """How many times everything published is called unusual. A file of one's own may train a small
    model by LoRA, which takes more, or images by SGD."""
    if not config.nobodys or parameters(config) is not None or config.get("base_model") is not None:
        return FAR_ABOVE
    if kind_of(config) == "lora":
        return GRAVE_LORA
    language = any(config.get(name) for name in _OF_LANGUAGE)
    return FAR_ABOVE if language or config.get("optimizer") else _FAR_ABOVE_SGD


def far_below(config: RunConfig) -> float:
    """The part of the lowest usual rate that no run has, for what is known of this one."""
    if supervised(config) or config.framework == "olmo":
        return _FAR_BELOW_NEXT
    known = kind_of(config) == "pretraining" or prefers(config) or anew(config)
    return _FAR_BELOW_KNOWN if known else _FAR_BELOW


def spread(config: RunConfig) -> float:
    """Of the weights that are trained, as ``survivable`` supposes it."""
    return _SPREAD_LORA if _wide_adapter(config) else _SPREAD


def _whole_and_large(config: RunConfig) -> bool:
    """Whether every weight of a large pretrained model is trained, by its name and its settings."""
    if kind_of(config) != "fine-tuning" or adapts(config) or (named_size(config) or 0) < _LARGE:
        return False
    return not _otherwise(config)


def _otherwise(config: RunConfig) -> bool:
    """Whether a setting that is on says so."""
    given = (one for one in config.settings if one.value not in _OFF)
    return any(_OTHERWISE.search(str(step).lower()) for one in given for step in one.path)


def _adapter(config: RunConfig) -> bool:
    """LoRA, with A and B as peft starts them."""
    usual_start = all(config.setting(name) is None for name in _OTHER_START)
    return kind_of(config) == "lora" and usual_start


def _wide_adapter(config: RunConfig) -> bool:
    return _adapter(config) and (named_size(config) or 0) >= _WIDE


def named_size(config: RunConfig) -> float | None:
    """Parameters as the name of the base model says them, 8e9 of Llama-3-8B, 30e9 of 30B-A3B, or
    torchtitan's flavor."""
    name = str(config.get("base_model") or "").rstrip("/").rpartition("/")[2]
    found = _NAMED_SIZE.search(name)
    return float(found[1]) * 1e9 if found else flavored(config)


def placeholders(config: RunConfig, found: Range) -> dict[str, object]:
    size = parameters(config)
    shown = Text("a model of a size that is not stated", "规模未写明的模型")
    if size:
        stated = config.number("parameters") is not None
        origin = config.origin("parameters")
        told = _PRINTED if origin is not None and origin.source == "printed" else _STATED
        shown = told if stated else _BY_SHAPE  # which is right to about 20%
        shown = shown.fill(n=sized(size) if stated else sized(float(f"{size:.2g}")))
    elif named := named_size(config):
        shown = Text("a model of {n}, by its name", "名称为 {n} 的模型").fill(n=sized(named))
    return {
        "learning_rate": config.number("learning_rate"),
        "low": found.low,
        "high": found.high,
        "parameters": shown,
    }
