"""What torchtitan's own settings say of a pipeline's micro batches and of what layers keep.

Sources: ``torchtitan/distributed/pipeline_parallel.py`` (a rank's batch passes in micro batches of
``pipeline_parallel_microbatch_size``, 1 by default; schedules of several stages a rank have 2, or as many as
``pipeline_parallel_layers_per_stage`` leaves) and ``torchtitan/distributed/activation_checkpoint.py``
(``mode`` is selective by default; ``selective_ac_option``, "2" by default: every so many-th layer is recomputed;
"op": all but attention's result and every second matrix product, in later releases those of a list).
"""

from __future__ import annotations

from medic.memory import details, recomputing
from medic.memory.shape import Shape
from medic.run_config import RunConfig
from medic.text.patterns import regex

NAME = "torchtitan"
# Of torch's schedules (torch/distributed/pipelining/schedules.py) those of one stage a rank.
_SINGLE = ("1f1b", "gpipe")
_EVERY = 2
SECOND = "every second layer"  # what is recomputed by default, in words
_COUNT = regex(r"[0-9]{1,6}")


def passes(config: RunConfig) -> tuple[int, int] | None:
    """Under a pipeline: the sequences of a micro batch, and how many of them make a step."""
    batch = config.integer("micro_batch_size") or 0
    if config.framework != NAME or (config.integer("pipeline_parallel_size") or 1) == 1:
        return None
    micro = details.count(config, "pipeline_micro", 1)
    if micro < 1 or not batch or batch % micro:
        return None
    return micro, batch // micro * (config.integer("gradient_accumulation_steps") or 1)


def chunks(config: RunConfig, pipeline: int) -> int:
    """Stages of one rank."""
    schedule = details.word(config, "pipeline_schedule") or _SINGLE[0]
    if config.framework != NAME or pipeline == 1 or schedule in _SINGLE:
        return 1
    layers, each = config.integer("num_layers"), details.count(config, "stage_layers")
    return max(2, -(-(layers + 2) // each) // pipeline) if layers and each else 2


def states_mode(config: RunConfig) -> bool:
    """Whether the config says what is recomputed."""
    said = config.get("activation_checkpointing") is not None
    return said or details.detail(config, "recompute") is not None


def by_default(config: RunConfig) -> bool:
    """Whether its own default says what is recomputed, as the config does not."""
    origin = config.origin("activation_checkpointing")
    return config.framework == NAME and origin is not None and origin.source == "default"


def selective(config: RunConfig) -> str:
    """``op``, or every how many-th layer is recomputed; "" where it is all or nothing."""
    stated = config.framework == NAME and details.word(config, "recompute") == "selective"
    if not (stated or by_default(config)) or recomputing.by_hand(config):
        return ""
    option = details.detail(config, "recompute_option")
    return str(_EVERY if option is None else option).lower()


def recomputed(config: RunConfig) -> float:
    """The share of the layers that are recomputed, where some are."""
    option = selective(config)
    return 1 / max(1, int(option)) if _COUNT.fullmatch(option) else 1.0


def saved_bytes(shape: Shape, tensor: int, view: int) -> float:
    """Bytes a token that a layer keeps beside its input where operators are chosen: nothing at least,
    likely attention's result and every second product, at most all products."""
    q, kv, ffn, h = shape.q, shape.kv, shape.ffn, shape.hidden
    attention = 2 * q + 4 * shape.heads
    split = (0, q + kv + ffn, q + 2 * kv + (shape.maps - 1) * ffn)[view]
    whole = (0, h, 2 * h)[view]
    return (2 * split + (attention if view else 0)) / tensor + 2 * whole
