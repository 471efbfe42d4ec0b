"""Where LoRA adapters lie, and whose modules they are."""

from __future__ import annotations

from medic.memory import details
from medic.memory.reading import Reader, Views
from medic.memory.shape import MAPS

_USUAL = ("q", "v")  # the maps that LoRA's authors took


def adapted_maps(read: Reader) -> Views[tuple[str, ...]]:
    """The linear maps that adapters lie on."""
    words = details.adapter_targets(read.config)
    if {"true", "all", "all-linear", "all_linear"} & set(words.split()):
        return MAPS, MAPS, MAPS
    named = tuple(name for name in MAPS if f"{name}_proj" in words)
    if not named and words and not any(w in words for w in ("mlp", "gate", "dense", "fc", "*")):
        return _USUAL, _USUAL, _USUAL
    if named and set(words.split()) <= {f"{name}_proj" for name in named}:
        return named, named, named
    if not words:
        read.assumed["LoRA targets"] = "all linear maps"
    return named or _USUAL, MAPS, MAPS


def own_adapters(read: Reader) -> Views[bool]:
    """Whether adapters are modules of the trainer's own (torchtune ``modules/peft/lora.py``, litgpt
    ``lora.py``) and not peft's; where no trainer is known they may be."""
    config = read.config
    stated = config.setting("own_adapters")
    own = read.own_modules or (stated is not None and stated.value is True)
    return own or not config.framework or config.nobodys, own, own
