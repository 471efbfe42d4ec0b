"""Whether what a run is to go on from is a checkpoint of the kind that its framework reads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from medic.i18n import Text
from medic.text.patterns import regex

from .config.checks.models import HF_TRAINERS

_STATE = "trainer_state.json"
_NAMED = regex(
    r"(?:^|/)(?:(?:checkpoint|step|iter|epoch)[-_=]?\d+|[\w.=-]+\.(?:pt|pth|ckpt|bin|tar|safetensors))/?$"
)
_CHECKPOINT = regex(r"^checkpoint-(\d+)$")
MAX_ENTRIES = 5_000
_EMPTY = Text("is an empty file", "是空文件")
_FILE = Text(
    "is a file; the trainer resumes from a folder (checkpoint-500)",
    "是一个文件；trainer 只能从文件夹（checkpoint-500）恢复",
)
_SEVERAL = Text(
    "holds checkpoints and is none itself; the last one is {name}",
    "里面是若干检查点，本身不是检查点；最后一个是 {name}",
)
_WEIGHTS = Text(
    "has no trainer_state.json: the weights are loaded and the run starts again at step 0",
    "没有 trainer_state.json：只会加载权重，训练从第 0 步重新开始",
)


def names_one(path: str) -> bool:
    """Whether a relative path can only be a checkpoint: by its ending, or the step in its name."""
    return _NAMED.search(path) is not None


def unfit(path: str, frameworks: Sequence[str]) -> Text | None:
    """What is wrong with a checkpoint that is there; None where nothing is, or it is not there."""
    full = Path(path).expanduser()
    try:
        if full.is_file():
            if full.stat().st_size == 0:
                return _EMPTY
            return _FILE if HF_TRAINERS.intersection(frameworks) else None
        if not full.is_dir() or not HF_TRAINERS.intersection(frameworks):
            return None
        if (full / _STATE).exists():
            return None
        return _in_folder(full)
    except OSError:
        return None


def _in_folder(folder: Path) -> Text | None:
    with os.scandir(folder) as entries:
        names = [entry.name for entry, _ in zip(entries, range(MAX_ENTRIES), strict=False)]
    steps = [int(found[1]) for name in names if (found := _CHECKPOINT.match(name))]
    if steps:
        return _SEVERAL.fill(name=f"checkpoint-{max(steps)}")
    return _WEIGHTS
