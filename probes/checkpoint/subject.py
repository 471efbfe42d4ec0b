"""Which checkpoint a question is about: the one resumed from, named in the log, or given alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any, TypeVar

from medic.facts import CheckpointIndex, LogHits
from medic.probe import Look
from medic.run_config import RunConfig

T = TypeVar("T")
# A folder of this kind of name is one checkpoint; "out" or "checkpoints" may hold many.
_ONE_CHECKPOINT = re.compile(r"\d|^(?:last|latest|best|final)\b", re.IGNORECASE)


def known(look: Look, kind: type[T]) -> T | None:
    """A fact if some probe made it."""
    return look.fact(kind) if look.has(kind) else None


def is_named(path: str, wanted: object) -> bool:
    """Whether a path as a config or a log writes it means this file, by its last part."""
    if not isinstance(wanted, str):
        return False
    base = PurePosixPath(wanted.strip().replace("\\", "/").rstrip("/")).name
    parts = PurePosixPath(path.replace("\\", "/")).parts
    if not base or not parts:
        return False
    return base == parts[-1] or bool(_ONE_CHECKPOINT.search(base) and base in parts[-3:-1])


def resume_path(look: Look) -> Any:
    config = known(look, RunConfig)
    return config.get("resume_from") if config else None


def resumed(look: Look, indexes: Sequence[CheckpointIndex]) -> CheckpointIndex | None:
    """The checkpoint that the run resumes from, if it is among those read."""
    wanted = resume_path(look)
    return next((i for i in indexes if is_named(i.file, wanted)), None)


def without_logs(look: Look) -> bool:
    """Checkpoints given for themselves, not as a part of a run."""
    return not look.has(LogHits) and not look.files("log")


def trained(look: Look) -> bool:
    """Whether the run got as far as training, so that its load did not fail."""
    logs = known(look, LogHits)
    return logs is not None and (logs.ended == "well" or bool(logs.steps))
