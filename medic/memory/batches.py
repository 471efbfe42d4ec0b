"""Smaller micro batches that keep the global batch."""

from __future__ import annotations

from collections.abc import Iterator

from medic.memory import details
from medic.memory.inverse import MOST, changed
from medic.memory.reading import DERIVED
from medic.run_config import RunConfig, Scalar


def smaller_micro_batches(config: RunConfig) -> Iterator[dict[str, Scalar]]:
    """Those that the sequences of a rank divide into; a global batch that is written down, and that
    the rest contradicts, tells them."""
    if not details.accumulates(config):
        return
    micro = config.integer("micro_batch_size") or 1
    total = micro * (config.integer("gradient_accumulation_steps") or 1)
    ranks, whole = config.integer("data_parallel_size"), config.integer("global_batch_size")
    if ranks and whole and config.stated("global_batch_size") and whole % ranks == 0:
        total = whole // ranks
    for smaller in range(min(micro - 1, MOST["micro_batch_size"]), 0, -1):
        more, left = divmod(total, smaller)
        own = {} if config.framework in DERIVED else {"gradient_accumulation_steps": more}
        if not left:
            yield {"micro_batch_size": smaller, **own}


def whole_steps(config: RunConfig) -> RunConfig:
    """With the whole micro batches that a global batch which does not divide has room for, where no
    accumulation is stated."""
    micro, ranks, whole = (
        config.integer(name) or 0
        for name in ("micro_batch_size", "data_parallel_size", "global_batch_size")
    )
    if config.integer("gradient_accumulation_steps") or not micro * ranks * whole:
        return config
    return changed(config, {"gradient_accumulation_steps": max(1, whole // (micro * ranks))})
