"""What a checkpoint holds, read without loading it."""

from __future__ import annotations

from collections.abc import Mapping

from medic.facts.files import Source
from medic.i18n import Text
from medic.records import dataclass, field


@dataclass(frozen=True)
class TensorInfo:
    name: str
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class CheckpointIndex:
    """Names, shapes and dtypes of a checkpoint, read without loading it.

    ``group`` is the path to the model state inside the file ("model", "state_dict", "").
    """

    file: str
    format: str
    tensors: Mapping[str, TensorInfo]
    group: str = ""
    top_level: tuple[str, ...] = ()
    states: Mapping[str, bool] = field(default_factory=dict)  # optimizer, scheduler, rng, step
    missing_shards: tuple[str, ...] = ()
    globals_listed: tuple[str, ...] = ()  # what unpickling would call; never called
    step: int | None = None
    ranks: int | None = None  # how many ranks wrote it, where each wrote a part
    part: Text | None = None  # why the file is not the whole model: one rank's part, or empty
    hollow: bool = False  # names and shapes only: the weights lie in other files (ZeRO-3)


@dataclass(frozen=True)
class Checkpoints:
    indexes: tuple[CheckpointIndex, ...] = ()
    not_read: tuple[tuple[str, Text], ...] = ()


@dataclass(frozen=True)
class StateDictError:
    """What a failed load_state_dict listed."""

    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    mismatched: tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...]
    source: Source
    truncated: bool = False


@dataclass(frozen=True)
class SkippedKeys:
    """What a load that was told not to be strict left out, as the log prints it.

    ``more``: missing names that the log counts and does not write out.
    """

    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    source: Source
    more: int = 0
