"""What checks of shapes, parallel sizes and schedules share."""

from __future__ import annotations

from collections.abc import Mapping

from medic.i18n import Text
from medic.run_config import RunConfig, Setting

# Frameworks whose model code is Megatron Core.
MEGATRON_CORE = frozenset(("megatron", "nemo"))
# Trainers that are, or build on, the one of transformers.
HF_TRAINERS = frozenset(("hf-trainer", "trl", "axolotl", "llama-factory", "ms-swift"))
# The size of one head, where it is not hidden size / heads.
_HEAD_SIZES = (
    "head_dim", "kv_channels", "d_kv", "head_size", "dim_per_head", "qk_head_dim",
    "qk_nope_head_dim", "v_head_dim",
)  # fmt: skip
# Groups of a file that configure an inference engine, whose sizes are its own.
_ENGINE = frozenset(("rollout", "vllm", "sglang", "inference", "generation", "engine", "sampling"))
PARALLEL = ("tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size")


def counted(config: RunConfig, name: str) -> int | None:
    """A positive whole number that the field is known to be."""
    value = config.integer(name)
    return value if value is not None and value > 0 else None


def size(config: RunConfig, name: str) -> int:
    """A parallel size of the training; one where nothing states it."""
    origin = config.origin(name)
    if origin is not None and _ENGINE.intersection(origin.path):
        return 1
    return counted(config, name) or 1


def beside(config: RunConfig, *names: str) -> bool:
    """Whether the fields stand side by side: a multimodal model has several of each."""
    origins = [config.origin(name) for name in names]
    spans = [o.span for o in origins if o is not None and o.span is not None]
    groups = {o.path[:-1] for o in origins if o is not None}
    return len(spans) == len(names) and len(groups) == 1 and len({s.file for s in spans}) == 1


def reads(config: RunConfig, frameworks: frozenset[str]) -> bool:
    """Whether one of the frameworks of the launch is among ``frameworks``."""
    return bool(frameworks.intersection((config.framework, *config.frameworks)))


def key_number(config: RunConfig, *names: str) -> float | None:
    """The number that the first of the keys that is written has; flags give floats."""
    setting = next((s for s in map(config.setting, names) if s is not None), None)
    if setting is None or isinstance(setting.value, (bool, str)):
        return None
    return setting.value


def on(setting: Setting | None) -> bool:
    """Whether a switch is written and on."""
    return setting is not None and str(setting.value).lower() in ("true", "1")


def written(config: RunConfig, *names: str) -> bool:
    """Whether one of the keys is written with a value."""
    found = (config.setting(name) for name in names)
    return any(s is not None and s.value not in (None, False) for s in found)


def fits_world(config: RunConfig) -> bool:
    """Whether the parallel sizes divide the world size, where it is known. If they do not, what
    else they do not divide is no second fault.
    """
    world, product = counted(config, "world_size"), 1
    for name in PARALLEL:
        product *= size(config, name)
    return world is None or world % product == 0


def heads_fit(config: RunConfig) -> bool:
    """Whether the heads divide the hidden size, or have a size of their own."""
    hidden, heads = counted(config, "hidden_size"), counted(config, "num_heads")
    fits = hidden is None or heads is None or hidden % heads == 0
    return fits or written(config, *_HEAD_SIZES) or not beside(config, "hidden_size", "num_heads")


def groups_fit(config: RunConfig) -> bool:
    """Whether the key/value heads divide the heads."""
    heads, kv = counted(config, "num_heads"), counted(config, "num_kv_heads")
    if heads is None or kv is None or heads % kv == 0 or not grouped(config):
        return True
    return not beside(config, "num_heads", "num_kv_heads")


def grouped(config: RunConfig) -> bool:
    """Megatron-LM reads the number of query groups only with --group-query-attention."""
    return config.framework != "megatron" or on(config.setting("group_query_attention"))


def label(config: RunConfig, name: str) -> str:
    """The key as the user wrote it, else the canonical name."""
    origin = config.origin(name)
    return origin.key if origin is not None and origin.key else name


def _named(number: str) -> str:
    """What stands before a number; a product is told from its last factor."""
    return f"{number} =" if " x " in number else number


def indivisible(number: str, have: int, divisor: str, by: int) -> Mapping[str, Text]:
    """The placeholder ``what`` of "A (6) is not divisible by B (4)"."""
    values = {"number": number, "have": have, "divisor": _named(divisor), "by": by}
    words = Text(
        "{number} {have} is not divisible by {divisor} {by}",
        "{number} {have} 不能被 {divisor} {by} 整除",
    )
    return {"what": words.fill(values)}


def unequal(one: str, have: int, other: str, product: int) -> Mapping[str, Text]:
    """The placeholder ``what`` of "A (16) is not B (8)"."""
    values = {"one": one, "have": have, "other": _named(other), "product": product}
    return {
        "what": Text(
            "{one} {have} is not {other} {product}", "{one} {have} 不等于 {other} {product}"
        ).fill(values)
    }
