"""What Megatron's own settings say of states and loss, which are no canonical fields.

Sources: Megatron-LM ``training/arguments.py`` (gradients are added up in fp32 unless
``--main-grads-dtype`` tells another), ``core/optimizer/optimizer_config.py`` (dtypes of moments and
gradients under ``--use-precision-aware-optimizer``, fp32 by default) and
``core/transformer/linear_cross_entropy.py`` (``--cross-entropy-fusion-impl linear`` takes the head's
product into the loss; the other kernels are handed whole logits).
"""

from __future__ import annotations

from medic.memory import details
from medic.memory.states import Optimizer
from medic.records import replace
from medic.run_config import RunConfig, Scalar

_BYTES = {"fp32": 4, "fp16": 2, "bf16": 2, "fp8": 1}
# Megatron FSDP's strategies below the one that shards weights too, as ZeRO stages.
_STAGES = {"no_shard": 0, "optim": 1, "optim_grads": 2}


def with_lean_moments(config: RunConfig, optimizer: Optimizer) -> Optimizer:
    """The optimizer with moments of the widths that its precision-aware form is told."""
    if details.flag(config, "lean_states") is not True or not optimizer.moments:
        return optimizer
    widths = [_BYTES.get(details.word(config, f"{n}_moment"), 4) for n in ("first", "second")]
    return replace(optimizer, moment_bytes=sum(widths) / 2)


def gradient_bytes(config: RunConfig) -> int:
    """Bytes of a gradient that is added up; 0 where no dtype of them is told."""
    if details.flag(config, "lean_states") is not True:
        return 0
    return _BYTES.get(details.word(config, "main_gradients"), 0)


def stage_below(config: RunConfig) -> int | None:
    """The ZeRO stage of Megatron FSDP where its strategy leaves weights whole, else None. Megatron-LM's own
    default shards nothing (``distributed_data_parallel_config.py``); ms-swift's and verl's shard all."""
    own = config.framework == "megatron" and details.flag(config, "megatron_fsdp") is True
    told = details.word(config, "megatron_sharding") or ("no_shard" if own else "")
    return _STAGES.get(told)


def sharded_states(config: RunConfig) -> dict[str, Scalar]:
    """What NeMo 1's optimizer says of the states: Apex's (``contrib/optimizers/distributed_fused_adam.py``) and
    Megatron Core's shard them over data parallel ranks, by their names in ``model.optim``."""
    named = str(config.get("optimizer") or "").lower()
    spread = named in ("distributed_fused_adam", "mcore_distributed_optim")
    return {"zero_stage": 1} if spread else {}


def makes_no_logits(config: RunConfig) -> bool:
    """Whether the loss takes in the product of the head."""
    on = details.flag(config, "loss_fusion") is True
    return on and details.word(config, "loss_kernel") == "linear"


def chunks(config: RunConfig, pipeline: int) -> int:
    """Model chunks of a pipeline stage."""
    stated = details.count(config, "virtual_size")
    layers, each = config.integer("num_layers"), details.count(config, "virtual_layers")
    if not stated and layers and each and pipeline > 1:
        stated = layers // pipeline // each
    return max(1, stated)


def in_fp8(config: RunConfig) -> bool:
    """Whether Transformer Engine computes in fp8, beside any precision of the weights."""
    told = details.detail(config, "fp8_format")
    return told is True or (isinstance(told, str) and told.lower() not in ("", "none", "false"))


def recomputed(config: RunConfig, pipeline: int) -> float:
    """Share of a stage's layers that Megatron's ``block`` method recomputes."""
    layers = config.integer("num_layers")
    some = details.count(config, "recompute_layers")
    if details.word(config, "recompute_method") != "block" or not layers or not some:
        return 1.0
    return min(1.0, some / max(1, layers // pipeline))
