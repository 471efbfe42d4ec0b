"""Other states that lie as files beside the weights (Hugging Face, Accelerate, DeepSpeed)."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path

from medic.errors import Unreadable
from medic.probe import Look
from medic.text.patterns import regex

from .source import open_file, read_all
from .units import BESIDE

MAX_ENTRIES = 2_000
MAX_TRAINER_STATE = 32 * 1024 * 1024
_STEP = regex(r"(?:global[_-]?step|step|iter(?:ation)?|checkpoint|ckpt)[-_=]?0*(\d{1,9})(?!\d)")


def states_beside(folder: str) -> dict[str, bool]:
    """Which states have a file in the folder, or in DeepSpeed's ``global_stepN`` below it."""
    names = _names(folder)
    for name in tuple(names):
        if name.startswith("global_step"):
            names += _names(str(Path(folder) / name))
    return {state: any(p.search(n) for n in names) for state, p in BESIDE.items()}


def _names(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [e.name for e in itertools.islice(entries, MAX_ENTRIES)]
    except OSError:
        return []


def step_beside(look: Look, folder: str) -> int | None:
    """``global_step`` of a Hugging Face ``trainer_state.json`` beside the weights."""
    path = Path(folder) / "trainer_state.json"
    if not path.is_file():
        return None
    try:
        with open_file(look, str(path)) as file:
            step = json.loads(read_all(file, MAX_TRAINER_STATE)).get("global_step")
    except (Unreadable, ValueError, AttributeError, RecursionError):
        return None
    return step if isinstance(step, int) and not isinstance(step, bool) else None


def step_of_name(path: str) -> int | None:
    """The step that a file or its folder states in its name."""
    for part in (Path(path).name, Path(path).parent.name):
        found = _STEP.search(part.lower())
        if found:
            return int(found[1])
    return None
