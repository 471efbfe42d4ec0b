"""What a folder of saved states holds, by the names in it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from medic.text.patterns import regex

MAX_NAMES = 20_000
_OF_TRAINER = regex(r"checkpoint-(\d+)")


def names_in(folder: Path) -> list[str]:
    """Raises OSError."""
    with os.scandir(folder) as entries:
        return [entry.name for entry, _ in zip(entries, range(MAX_NAMES), strict=False)]


def last_checkpoint(names: Iterable[str]) -> str:
    """transformers trainer_utils.py get_last_checkpoint: the greatest ``checkpoint-N``; "" of none."""
    numbers = [int(one[1]) for name in names if (one := _OF_TRAINER.fullmatch(name))]
    return f"checkpoint-{max(numbers)}" if numbers else ""
