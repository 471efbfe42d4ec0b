"""How Megatron Core spreads experts: over a grid of their own, expert tensor x expert x pipeline, which has
to divide the ranks.

Sources: Megatron-LM ``training/arguments.py`` (``--expert-tensor-parallel-size`` is the tensor size by default),
``core/parallel_state.py`` (the grid; what is left of the ranks are replicas of the experts) and
``core/transformer/moe/moe_layer.py`` (tensor parallel training needs sequence parallelism); ms-swift
``megatron/arguments/megatron_base_args.py`` (the expert tensor size is 1 by default).
"""

from __future__ import annotations

from medic.memory import details
from medic.run_config import RunConfig

_GRID = ("megatron", "megatron-swift", "slime", "nemo", "nemo2")


def tensor_size(config: RunConfig, tensor: int) -> int:
    """Ranks that share each expert where ``tensor`` ranks share a layer."""
    if config.framework not in _GRID:
        return tensor
    usual = 1 if config.framework == "megatron-swift" else tensor
    return details.count(config, "expert_tensor") or usual


def grid_divides(config: RunConfig, tensor: int, pipeline: int, ranks: int) -> bool:
    """Whether so many ranks hold the experts whole."""
    spread = config.integer("expert_parallel_size") or 1
    if config.framework not in _GRID or spread == 1:
        return True
    return ranks % (tensor_size(config, tensor) * spread * pipeline) == 0


def splits_stream(config: RunConfig, tensor: int) -> bool:
    """Whether experts make sequence parallelism a must."""
    mixture = (config.integer("num_experts") or 1) > 1
    return config.framework in _GRID and mixture and tensor > 1
