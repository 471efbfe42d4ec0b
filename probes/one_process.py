"""Whether the run whose log shows an out-of-memory error was one process, where no file says how many
ranks it had.

torch writes the rank before each line of an exception that ends a process of a process group
(torch ``distributed_c10d.py``, ``init_process_group``: the hook for exceptions, since 2.2), and calls the
exception ``torch.OutOfMemoryError`` since 2.5: without a rank before it there was no group.
"""

from __future__ import annotations

from collections.abc import Sequence

from medic.facts import LogHits
from medic.records import replace
from medic.run_config import Origin, RunConfig, Value

from .manner import Manner

_ERROR = "torch.OutOfMemoryError: "
# Trainers that leave an exception to Python, as a loop of one's own does. Those that run on Ray or
# hydra print it themselves.
_TRAIT, _NO_TRAINER = "leaves-exceptions", frozenset(("", "own-loop"))
_RANKS = (
    "world_size", "data_parallel_size", "gpus_per_node", "nodes", "zero_stage", "fsdp",
)  # fmt: skip
_SHARED = ("tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size")
# Only a launcher, or a process of a group, prints these.
_OF_GROUPS = frozenset(("rank-exited", "nccl-error", "collective-timeout"))


def as_one_process(config: RunConfig, logs: LogHits, frameworks: Sequence[Manner]) -> RunConfig:
    """The config with one rank, where the log tells so and no file tells of ranks; else as it is."""
    plain = _NO_TRAINER | {one.name for one in frameworks if _TRAIT in one.traits}
    stated = any(config.get(name) is not None for name in _RANKS)
    if stated or config.framework not in plain or not _alone(config, logs):
        return config
    one = Value(1, Origin("derived"))
    return replace(config, values={**config.values, "world_size": one})


def _alone(config: RunConfig, logs: LogHits) -> bool:
    spread = any((config.integer(name) or 1) > 1 for name in _SHARED)
    if spread or logs.ranks:
        return False
    hits = [hit for hit in logs.hits if not hit.benign]
    grouped = any(h.source.rank is not None or h.symptom in _OF_GROUPS for h in hits)
    return not grouped and any(h.source.text.startswith(_ERROR) for h in hits)
