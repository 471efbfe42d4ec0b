"""Which checkpoint a question is about: the one resumed from, named in the log, or given alone."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import TypeVar

from medic.facts import CheckpointIndex, Launches, LogHits
from medic.probe import Look
from medic.run_config import RunConfig
from medic.text.patterns import regex

T = TypeVar("T")
_RESUME = regex(r"resume|restore|(?:load|from)[-_]?(?:ckpt|checkpoint)", re.IGNORECASE)
# A folder of this kind of name is one checkpoint; "out" or "checkpoints" may hold many.
_ONE_CHECKPOINT = regex(r"\d|^(?:last|latest|best|final)\b", re.IGNORECASE)


def known(look: Look, kind: type[T]) -> T | None:
    """A fact if some probe made it."""
    return look.fact(kind) if look.has(kind) else None


def is_named(path: str, wanted: str) -> bool:
    """Whether a path as a config or a log writes it means this file, by its last part."""
    base = PurePosixPath(wanted.strip().replace("\\", "/").rstrip("/")).name
    parts = PurePosixPath(path.replace("\\", "/")).parts
    if not base or not parts:
        return False
    if base == parts[-1] and _of_others(wanted, parts):
        return False
    return base == parts[-1] or bool(_ONE_CHECKPOINT.search(base) and base in parts[-3:-1])


def _of_others(wanted: str, parts: Sequence[str]) -> bool:
    """Whether the folders of two files of one name are those of two checkpoints."""
    folder = PurePosixPath(wanted.strip().replace("\\", "/")).parent.name
    both = len(parts) > 1 and _ONE_CHECKPOINT.search(folder) and _ONE_CHECKPOINT.search(parts[-2])
    return bool(both) and folder != parts[-2]


def resume_paths(look: Look) -> tuple[str, ...]:
    """What the run resumes from: as configured, and as arguments of its command say."""
    config = known(look, RunConfig)
    wanted = [config.get("resume_from")] if config else []
    launches = known(look, Launches)
    for launch in launches.launches if launches else ():
        wanted += _arguments([w.value or "" for w in launch.arguments])
    return tuple(w for w in wanted if isinstance(w, str) and w)


def _arguments(words: Sequence[str]) -> Iterator[str]:
    """Values of options like ``--resume PATH`` or ``--load-checkpoint=PATH``."""
    for word, after in itertools.zip_longest(words, words[1:], fillvalue=""):
        option, sign, value = word.partition("=")
        if option.startswith("-") and _RESUME.search(option):
            yield value if sign else after


def is_resumed(look: Look, path: str) -> bool:
    """Whether the run resumes from this file."""
    return any(is_named(path, wanted) for wanted in resume_paths(look))


def resumed(look: Look, indexes: Sequence[CheckpointIndex]) -> CheckpointIndex | None:
    """The checkpoint that the run resumes from, if it is among those read."""
    return next((i for i in indexes if is_resumed(look, i.file)), None)


def without_logs(look: Look) -> bool:
    """Checkpoints given for themselves, not as a part of a run."""
    return not look.has(LogHits) and not look.files("log")


def trained(look: Look) -> bool:
    """Whether the run got as far as training, so that its load did not fail."""
    logs = known(look, LogHits)
    return logs is not None and (logs.ended == "well" or bool(logs.steps))
