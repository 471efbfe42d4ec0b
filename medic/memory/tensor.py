"""What tensor parallelism splits beside the matrices, by framework: the residual stream over the sequence
(Korthikanti et al. 2022, section 4.2.2) and the logits over the vocabulary.

Sources: torchtitan ``models/llama3/infra/parallelize.py`` (``apply_tp``: embedding and norms are sharded over the
sequence; logits over the vocabulary unless ``disable_loss_parallel``; the gathered inputs of the maps are what
autograd keeps); nanotron ``parallel/tensor_parallel`` (``tp_mode``; ``sharded_cross_entropy``); verl
``models/mcore/config_converter.py`` (of its Megatron actor always; the loss is Megatron's). Megatron-LM, NeMo and
GPT-NeoX split the stream where ``sequence_parallel`` is set, transformers' ``tp_plan`` neither (measured).
"""

from __future__ import annotations

from medic.memory import details
from medic.memory.reading import Reader, Views


def splits_stream(read: Reader) -> Views[bool]:
    """Whether the residual stream lies split over tensor parallel ranks: low, likely and high. Of a
    framework that is not known it may be."""
    config = read.config
    stated = details.flag(config, "sequence_parallel")
    if stated is not None:
        return stated, stated, stated
    if config.framework == "nanotron":
        always = details.word(config, "tensor_mode") == "reduce_scatter"
    else:
        always = config.framework == "torchtitan" or _megatron_actor(read)
    return always or _may_be(read), always, always


def splits_logits(read: Reader) -> Views[bool]:
    """Whether logits and loss are split over the vocabulary, where no engine of Megatron's does it."""
    config = read.config
    if config.framework == "torchtitan":
        split = details.flag(config, "whole_logits") is not True
        return split, split, split
    always = read.megatron or _megatron_actor(read)
    return always or _may_be(read), always, always


def _megatron_actor(read: Reader) -> bool:
    return details.megatron_actor(read.config)


def _may_be(read: Reader) -> bool:
    """A loop of one's own, on torch's parallel styles, may split all of it."""
    return not (read.megatron or read.eager)
