"""Which of the changes that save memory a framework has a setting for.

Sources: Megatron-LM ``core/transformer/linear_cross_entropy.py`` (only ``--cross-entropy-fusion-impl
linear``, of late and in an experimental kernel, makes no whole logits) and
``core/optimizer/optimizer_config.py`` (narrow moments are its precision-aware optimizer's, no 8-bit
one; its FSDP shards weights too, in checkpoints of its own); nanotron ``config/config.py`` (SGD and
AdamW, ``recompute_layer``, no offload) and ``helpers.py`` (any ZeRO stage above 0 is one optimizer);
GPT-NeoX ``training.py`` (``use_bnb_optimizer``); torchtitan ``components/optimizer.py`` and
``components/loss.py`` (a loss in chunks is a class of its configs in Python, no key of a file); OLMo
``config.py`` (AdamW and Lion); nanoGPT ``train.py`` and ``model.py``; NeMo ``core/optim/optimizers.py``
and ``megatron_trainer_builder.py`` (weights offloaded by its FSDP only); OpenRLHF
``utils/deepspeed/deepspeed.py`` (FusedAdam, or DeepSpeed's on the host); fairseq ``optim`` and
``dataclass/constants.py`` (``ddp_backend fully_sharded``).
"""

from __future__ import annotations

from collections.abc import Iterator

from medic.memory import details
from medic.run_config import RunConfig, Scalar

# Models of their own whose loss is computed on whole logits.
_WHOLE_LOGITS = ("megatron", "megatron-swift", "slime", "nemo", "nemo2", "nemo-rl", "gpt-neox",
                 "nanotron", "olmo", "torchtitan", "nanogpt", "fairseq")  # fmt: skip
_WITHOUT_8_BIT = ("torchtitan", "megatron", "megatron-swift", "slime", "nemo", "nemo2", "nemo-rl",
                  "nanotron", "olmo", "nanogpt", "openrlhf", "fairseq")  # fmt: skip
# States are sharded by a distributed optimizer, weights are not unless by an engine of another kind.
_FIRST_STAGE = ("megatron", "megatron-swift", "slime", "nemo", "nemo2", "nanotron")
_WITHOUT_OFFLOAD = ("nanotron", "nemo")


def has_fused_loss(config: RunConfig) -> bool:
    """Whether a loss in chunks, which never makes all logits, can be switched on."""
    return config.framework not in _WHOLE_LOGITS


def has_8_bit(config: RunConfig) -> bool:
    """Whether 8-bit optimizer states can be chosen."""
    return config.framework not in _WITHOUT_8_BIT


def has_recompute(config: RunConfig) -> bool:
    """Whether activations can be recomputed."""
    return config.framework != "nanogpt"


def has_offload(config: RunConfig) -> bool:
    """Whether optimizer states can lie in host memory."""
    return config.framework not in _WITHOUT_OFFLOAD


def sharding(config: RunConfig) -> Iterator[dict[str, Scalar]]:
    """The most that states can be sharded; under a pipeline ZeRO takes stage 1 at most."""
    stage = config.integer("zero_stage") or 0
    piped = (config.integer("pipeline_parallel_size") or 1) > 1
    if config.framework in _FIRST_STAGE:
        if not stage:
            yield {"zero_stage": 1}
    elif details.deepspeed(config):
        yield {"zero_stage": max(stage, 1) if piped else 3}
    elif config.framework != "nanogpt" and not piped:
        yield {"fsdp": True}
