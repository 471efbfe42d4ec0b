"""Whether a trainer holds weights in another type than they are loaded in."""

from __future__ import annotations

from medic.memory import details
from medic.run_config import RunConfig


def upcasts(config: RunConfig) -> bool:
    """Whether trained weights are made fp32 whatever they are loaded in: by accelerate under FSDP with
    mixed precision (``accelerator.py``, ``prepare_model``; ``fsdp_utils.py``, ``fsdp2_prepare_model``)."""
    held = config.origin("parameter_dtype")
    by_hand = held is not None and held.source == "given"
    through = config.framework in ("hf-trainer", "trl", "accelerate", "axolotl", "llama-factory")
    if by_hand or not through or config.get("fsdp") is not True:
        return False
    adapters = config.integer("lora_rank") or details.has_adapters(config)
    return details.casts(config) and not adapters
