"""Whether a layer's feed-forward part has a gate, and so three matrices and not two.

Sources: Megatron-LM ``training/arguments.py`` (none without ``--swiglu``); GPT-NeoX
``neox_arguments/neox_args.py`` (``activation`` gelu; ``mlp_type`` llama has one) and ``model/transformer.py``;
NeMo 1 ``modules/common/megatron/mlp.py`` (``activation``: the words with ``glu`` have a gate, gelu, relu and
squared-relu none); Megatron-LM ``--swiglu``; nanotron ``models/llama.py``, ``models/qwen.py``
(``gate_up_proj``) and ``models/starcoder2.py`` (none); OLMo ``activation_type`` (swiglu by default).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from medic.memory import details
from medic.memory.shape import Shape
from medic.run_config import MORE, RunConfig

if TYPE_CHECKING:
    from medic.memory.reading import Reader

# Frameworks whose word for the activation says whether there is a gate.
_SAY = ("nemo", "olmo")
# Frameworks without a gate where no flag of a whole command asks for one.
_PLAIN = ("megatron", "slime")
# nanotron's classes of models, by the setting that chooses them.
_NANOTRON = {"is_llama_config": True, "is_qwen2_config": True, "is_starcoder2_config": False}


def stated_gate(config: RunConfig) -> bool | None:
    """Whether a setting says that there is a gate, or none; None where nothing says so."""
    if config.framework == "nanotron":
        chosen = (gate for name, gate in _NANOTRON.items() if _is_on(config, name))
        return next(chosen, None)
    word = details.word(config, "activation")
    if config.framework == "gpt-neox":
        words = [config.setting(name) for name in ("activation", "mlp_type")]
        return any(s is not None and ("glu" in str(s.value) or s.value == "llama") for s in words)
    if config.framework == "olmo":
        word = word or "swiglu"
    if "glu" in word or _is_on(config, "swiglu"):
        return True
    if config.framework in _PLAIN and _is_whole(config):
        return False
    return False if word and config.framework in _SAY else None


def _is_whole(config: RunConfig) -> bool:
    """Whether a command states the run, and no flag of it is hidden."""
    flags = any(s.origin.syntax == "shell" for s in config.settings)
    return flags and config.setting(MORE) is None


def _is_on(config: RunConfig, name: str) -> bool:
    stated = config.setting(name)
    return stated is not None and stated.value is True


def is_gated(
    read: Reader,
    shape: Callable[[bool, bool], Shape],
    ffn: int,
    stated: int | None,
    hidden: int,
) -> tuple[bool, bool, bool]:
    """Whether the feed-forward part has a gate. Its activation tells, or the number
    of parameters, if either is known: low, likely and high."""
    told = stated_gate(read.config)
    if told is not None:
        return told, told, told
    total = read.config.integer("parameters")
    if total is not None:
        fits = {
            gated: min(abs(shape(tied, gated).parameters - total) for tied in (True, False))
            for gated in (True, False)
        }
        gate = fits[True] <= fits[False]
        return gate, gate, gate
    if stated is None:
        return False, False, False
    # Without a gate the usual width is 4 * hidden; no plain model has another one.
    unsure = ffn == 4 * hidden and not (read.family or read.eager)
    if unsure:
        read.assumed["feed-forward gate"] = "on"
    return not unsure, True, True
