"""Training and validation name the same data."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig, Setting

NAME = "validation-overlaps-training"
NEEDS: tuple[str, ...] = ()
# Keys of one pair differ in this part alone: train_file and validation_file, data.train, data.val.
_TRAIN = re.compile(r"(?<![a-z])train(?:ing)?(?![a-z])")
_HELD = re.compile(r"(?<![a-z])(?:validation|valid|val|evaluation|eval|test|dev)(?![a-z])")
# One file or folder; the name of a data set stands for all its splits.
_ONE_PLACE = re.compile(r"[/\\]|\.(?:jsonl?|parquet|arrow|txt|csv|tsv|bin|idx|tar|zst|gz)$")
_DATA = re.compile(r"data|file|path|dir|set|corpus|source|train|prefix|blend")


def check(config: RunConfig) -> LintResult:
    trains = {key: s for s in config.settings if (key := _key(s, _TRAIN))}
    held = [(key, s) for s in config.settings if (key := _key(s, _HELD))]
    pairs = [(trains[key], other) for key, other in held if key in trains]
    if not pairs:
        return NotChecked(("train_file", "validation_file"))
    for training, other in pairs:
        if _place(training) == _place(other):
            return Fires(_name(other), {"path": str(other.value), "training": _name(training)})
    return Passes()


def _key(setting: Setting, word: re.Pattern[str]) -> str:
    """The key path without its side, "" for a setting that names no data of that side."""
    value = setting.value
    if not isinstance(value, str) or not _ONE_PLACE.search(value) or "$" in value:
        return ""
    path = ".".join(setting.path)
    if not word.search(path.replace("_", " ")) or not _DATA.search(path):
        return ""
    return " ".join(_sides(path, word))


def _sides(path: str, word: re.Pattern[str]) -> Iterator[str]:
    yield from word.sub("*", path.replace("_", " ")).split()


def _name(setting: Setting) -> str:
    return setting.path[-1]


def _place(setting: Setting) -> str:
    return posixpath.normpath(str(setting.value).strip())
