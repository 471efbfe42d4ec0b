"""Whether the ranks of a data parallel run see the same gradients, by the norms that each logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from medic.errors import Unreadable
from medic.facts import Curve, Series
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig

from ..programs import FILES, program_bytes
from .plan import source_at

CHECK, SYMPTOM = "replica-gradients", "gradients-differ-between-ranks"
# Averaged gradients are the same to the last bits on all ranks; logs round them.
SAME, STEPS, SHARE = 1e-3, 5, 0.8
# Where each rank holds a part of the model, its own norm is a part, too.
_PARTS = (
    "tensor_parallel_size",
    "pipeline_parallel_size",
    "context_parallel_size",
    "expert_parallel_size",
)


_SPLITTING = ("fsdp", "zero", "shard", "deepspeed", "parallel", "megatron", "mesh", "expert")
# It shards the parameters unless its configuration says otherwise.
_SHARDS_UNASKED = frozenset({"torchtitan"})
_SHARDS = (b"fully_shard(", b"FullyShardedDataParallel", b"FSDP(", b"deepspeed.initialize(")


def run(look: Look) -> Iterator[Any]:
    norms = {
        rank: series["grad_norm"]
        for rank, series in look.fact(Curve).by_rank.items()
        if "grad_norm" in series
    }
    if len(norms) < 2 or _sharded(config_of(look)):
        return
    found = apart(norms)
    if found is None:
        return
    common, different, widest = found
    if different < SHARE * common:
        yield Finding(CHECK, "alike")
        return
    step, ranks = widest
    values = {r: dict(zip(norms[r].steps, norms[r].values, strict=True))[step] for r in ranks}
    told = "; ".join(f"rank {r}: {v:.4g}" for r, v in values.items())
    index = norms[ranks[0]].steps.index(step)
    source = source_at(look, norms[ranks[0]], index)
    value = {"step": step, "told": told, "steps": different}
    if not _averaged(look):
        yield Finding(CHECK, "differ", value=value, source=source)
        return
    yield Finding(CHECK, "differ-in-replicas", value=value, source=source)
    yield Finding(SYMPTOM, source=source)


def _sharded(config: RunConfig) -> bool:
    whole = any((config.integer(name) or 1) > 1 for name in _PARTS)
    return whole or bool(config.get("fsdp")) or (config.integer("zero_stage") or 0) >= 2


def _averaged(look: Look) -> bool:
    """Whether the norm that is logged must be one of averaged gradients: the configuration of the
    training clips it, so it was taken behind the reduction, and nothing that was read splits the
    model. A norm that a loop takes by itself may be of its own micro batch or its own shard."""
    return (config_of(look).number("gradient_clip") or 0) > 0 and is_whole(look)


def is_whole(look: Look) -> bool:
    """Whether nothing that was read splits the model: each rank holds all of it."""
    config = config_of(look)
    if _sharded(config) or config.framework in _SHARDS_UNASKED:
        return False
    words = [".".join(s.path).lower() for s in config.settings]
    if any(part in word for word in words for part in _SPLITTING):
        return False
    return not any(_splits(look, file.path) for file in look.files("python")[:FILES])


def _splits(look: Look, path: str) -> bool:
    """Whether a program shards the model, or cannot be read."""
    try:
        text = program_bytes(look, path)
    except Unreadable:
        return True
    return any(word in text for word in _SHARDS)


def apart(
    norms: Mapping[int, Series], same: float = SAME
) -> tuple[int, int, tuple[int, tuple[int, int]]] | None:
    """(steps that all ranks logged, those at which two differ by more than the share ``same``, where
    most and by which ranks)."""
    by_rank = {r: dict(zip(s.steps, s.values, strict=True)) for r, s in norms.items()}
    common = sorted(set.intersection(*(set(values) for values in by_rank.values())))
    different, widest = 0, (-1.0, 0, (0, 0))
    for step in common:
        low = min(by_rank, key=lambda r: by_rank[r][step])
        high = max(by_rank, key=lambda r: by_rank[r][step])
        small, large = by_rank[low][step], by_rank[high][step]
        if not 0 <= small <= large < float("inf") or not large:
            return None
        gap = (large - small) / large
        different += gap > same + _rounding(small, large)
        widest = max(widest, (gap, step, (low, high)))
    return (len(common), different, widest[1:]) if len(common) >= STEPS else None


def _rounding(*values: float) -> float:
    """What the decimals that were logged can hide of a value, as a share of it."""
    decimals = max(len(f"{v:.12g}".partition(".")[2]) for v in values)
    return 10.0**-decimals / max(values)


PROBE = Probe(
    name="replica-gradients",
    title=Text("gradients of the replicas", "各副本的梯度"),
    tells=(CHECK, SYMPTOM),
    run=run,
    needs=(Curve,),
    wants=(RunConfig,),
    seconds=0.01,
    limit_seconds=5.0,
)
