"""Heads, widths, layers and experts that the parallel sizes do not divide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import (
    MEGATRON_CORE,
    counted,
    fits_world,
    grouped,
    groups_fit,
    heads_fit,
    indivisible,
    key_number,
    label,
    reads,
    size,
    written,
)

NAME = "model-not-divisible-by-parallel-size"
NEEDS: tuple[str, ...] = ()

_SHAPE = ("num_heads", "num_kv_heads", "num_layers", "ffn_size", "num_experts")
# They split the columns of a linear layer evenly and refuse a rest.
_EVEN_WIDTH = MEGATRON_CORE | {"nanotron"}
# A tensor size above the key/value heads is refused; Megatron Core copies them if it divides.
_ENOUGH_KV = frozenset(("nanotron", "gpt-neox", "torchtune"))
_UNEVEN_STAGES = (
    "decoder_first_pipeline_num_layers", "decoder_last_pipeline_num_layers",
    "num_layers_in_first_pipeline_stage", "num_layers_in_last_pipeline_stage",
    "pipeline_model_parallel_layout", "account_for_embedding_in_pipeline_split",
    "account_for_loss_in_pipeline_split", "standalone_embedding_stage",
    "encoder_num_layers", "decoder_num_layers", "pipeline_model_parallel_split_rank",
)  # fmt: skip
_EACH = "num_layers_per_virtual_pipeline_stage"
_VIRTUAL = ("virtual_pipeline_model_parallel_size", "num_virtual_stages_per_pipeline_rank")


def check(config: RunConfig) -> LintResult | Sequence[Fires]:
    """Megatron-LM transformer_config.py and arguments.py, nanotron config.py and llama.py, gpt-neox
    arguments.py, torchtune _distributed.py: each asserts it as the model is built.
    """
    if not any(counted(config, name) for name in _SHAPE):
        return NotChecked(_SHAPE[:3])
    if not fits_world(config):
        return Passes()  # told by its own check
    found = [*_tensor(config), *_stages(config), *_experts(config)]
    return found or Passes()


def _tensor(config: RunConfig) -> Iterator[Fires]:
    tensor = size(config, "tensor_parallel_size")
    heads, kv = counted(config, "num_heads"), counted(config, "num_kv_heads")
    if not heads_fit(config) or not groups_fit(config):
        heads = kv = None  # told by their own checks
    if heads is not None and heads % tensor:
        yield _fires(config, "num_heads", heads, "tensor_parallel_size", tensor)
    elif kv is not None and grouped(config) and not _groups_fit(config, kv, tensor):
        yield _fires(config, "num_kv_heads", kv, "tensor_parallel_size", tensor)
    width = counted(config, "ffn_size")
    if width is not None and width % tensor and reads(config, _EVEN_WIDTH):
        yield _fires(config, "ffn_size", width, "tensor_parallel_size", tensor)


def _groups_fit(config: RunConfig, kv: int, tensor: int) -> bool:
    return kv % tensor == 0 or (tensor % kv == 0 and not reads(config, _ENOUGH_KV))


def _stages(config: RunConfig) -> Iterator[Fires]:
    """DeepSpeed's pipeline, nanotron and torchtitan balance uneven stages themselves."""
    layers, stages = counted(config, "num_layers"), size(config, "pipeline_parallel_size")
    even = reads(config, MEGATRON_CORE) and not reads(config, frozenset(("deepspeed",)))
    if layers is None or stages == 1 or not even or written(config, "deepspeed", *_UNEVEN_STAGES):
        return
    origin = config.origin("num_layers")
    if origin is not None and {"encoder", "decoder"}.intersection(origin.path):
        return
    if layers % stages:
        yield _fires(config, "num_layers", layers, "pipeline_parallel_size", stages)
    else:
        yield from _virtual(config, layers, stages)


def _virtual(config: RunConfig, layers: int, stages: int) -> Iterator[Fires]:
    """The layers of a stage, in chunks whose number or whose layers are given."""
    pipeline = label(config, "pipeline_parallel_size")
    name = next((one for one in _VIRTUAL if key_number(config, one)), "")
    chunks = max(1, int(key_number(config, name) or 1)) if name else 1
    if layers % (stages * chunks):
        divisor = f"{pipeline} x {name}"
        yield Fires(name, indivisible("num_layers", layers, divisor, stages * chunks))
    each = int(key_number(config, _EACH) or 0)
    if each > 0 and (layers // stages) % each:
        number = f"num_layers / {pipeline} ="
        yield Fires(_EACH, indivisible(number, layers // stages, _EACH, each))


def _experts(config: RunConfig) -> Iterator[Fires]:
    experts, ranks = counted(config, "num_experts"), size(config, "expert_parallel_size")
    if experts is not None and experts > 1 and experts % ranks:
        yield _fires(config, "num_experts", experts, "expert_parallel_size", ranks)


def _fires(config: RunConfig, number: str, have: int, divisor: str, by: int) -> Fires:
    """Points at the parallel size where it is written: it is what a launch changes."""
    at = divisor if config.stated(divisor) else number
    return Fires(at, indivisible(label(config, number), have, label(config, divisor), by))
