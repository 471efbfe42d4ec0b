"""Which of the changes that save memory a framework has a setting for.

Sources: Megatron-LM ``training/arguments.py`` (``--cross-entropy-loss-fusion`` leaves the logits whole,
``--use-distributed-optimizer`` is stage 1) and ``core/optimizer``; nanotron ``config/config.py`` (ZeRO 0
or 1, ``recompute_layer``); NeMo ``core/optim``; GPT-NeoX ``neox_arguments``; torchtitan
``components/optimizer.py``; OLMo ``config.py``; nanoGPT ``train.py`` and ``model.py``.
"""

from __future__ import annotations

from collections.abc import Iterator

from medic.memory import details
from medic.run_config import RunConfig, Scalar

# Models of their own whose loss is computed on whole logits.
_WHOLE_LOGITS = ("megatron", "megatron-swift", "slime", "nemo", "nemo2", "nemo-rl", "gpt-neox",
                 "nanotron", "olmo", "torchtitan", "nanogpt", "fairseq")  # fmt: skip
_WITHOUT_8_BIT = ("torchtitan", "megatron", "megatron-swift", "slime", "nemo", "nemo2", "nemo-rl",
                  "nanotron", "olmo", "nanogpt")  # fmt: skip
# States are sharded by a distributed optimizer, weights are not.
_FIRST_STAGE = ("megatron", "megatron-swift", "slime", "nemo", "nemo2", "nanotron")
_WITHOUT_SHARDING = ("nanogpt", "fairseq")


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
    return config.framework != "nanotron"


def sharding(config: RunConfig) -> Iterator[dict[str, Scalar]]:
    """The most that states can be sharded; under a pipeline ZeRO takes stage 1 at most."""
    stage = config.integer("zero_stage") or 0
    piped = (config.integer("pipeline_parallel_size") or 1) > 1
    if config.framework in _FIRST_STAGE:
        if not stage:
            yield {"zero_stage": 1}
    elif details.deepspeed(config):
        yield {"zero_stage": max(stage, 1) if piped else 3}
    elif config.framework not in _WITHOUT_SHARDING and not piped:
        yield {"fsdp": True}
