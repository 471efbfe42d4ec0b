"""Training and validation name the same data."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig, Scalar, Setting
from medic.text.patterns import regex

from ...sides import HELD_OUT, TRAINING

if TYPE_CHECKING:
    from re import Pattern

NAME = "validation-overlaps-training"
NEEDS: tuple[str, ...] = ()
# Samples: by the word of the key, or by the ending of the file.
_DATA = regex(r"(?<![a-z])data(?:set|path|file|source)?s?(?![a-z])|corpus|corpora|blend")
_SAMPLES = regex(
    r"\.(?:jsonl?|ndjson|parquet|arrow|csv|tsv|txt|tar|bin|npy|npz|h5|hdf5|mmap)(?:\.(?:gz|zst|xz))?$"
)
_OTHER = regex(
    r"(?<![a-z])(?:logs?|logging|logger|cached?|outputs?|out|save|saved|scripts?|tokenizers?|models?"
    r"|configs?|checkpoints?|ckpts?|results?|metrics?|reports?|predictions?|templates?)(?![a-z])"
    r"|(?:dir|directory|dirs|root|folder)(?![a-z])"  # both sides may lie in one, under two names
)
# One file or folder; the name of a data set, on a hub "owner/name", stands for all its splits.
_PLACE = regex(r"[/\\]|" + _SAMPLES.pattern)
_HUB = regex(r"^\w[\w-]*/[\w.-]+$")
_OPEN = regex(r"[$%<]|\{(?!\d)|(?<!\w)path/to(?!\w)|^/dev/")  # filled in elsewhere
# What may tell the sides apart within one place.
_SPLIT = regex(
    r"(?<![a-z])(?:splits?|subsets?|names?|folds?|parts?|ratio|percent|percentage|fraction|range"
    r"|start|end|filter|slice)(?![a-z])"
)

# A class of the user's that reads samples: its path, MyReader or package.module.MyReader; what
# stands there as text, a model's name or a word, reads nothing. Those of HF turn samples to tensors.
_READER = regex(r"(?:^|_)(?:processor|reader|builder)$")
_TENSORS = regex(r"(?:^|_)(?:image|video|vision|audio|speech|feature|text|logits?)_processor$")
_CLASS = regex(r"^(?:[A-Za-z_]\w*\.)*[A-Z]\w*$")
_CLASS_OF = frozenset(("_target_", "class_path"))  # of Hydra and of Lightning's command line


def check(config: RunConfig) -> LintResult:
    trains = {key: s for s in config.settings if (key := _key(s, TRAINING))}
    held = [(key, s) for s in config.settings if (key := _key(s, HELD_OUT))]
    pairs = [(trains[key], other) for key, other in held if key in trains]
    pairs += [(plain, other) for _, other in held if (plain := _without_side(config, other))]
    same = [(training, other) for training, other in pairs if _place(training) == _place(other)]
    for training, other in same:
        if _picked(config, training):
            continue
        if _splits(config, training, TRAINING) == _splits(config, other, HELD_OUT):
            return Fires(other.path[-1], {"path": str(other.value), "training": training.path[-1]})
    return Passes() if pairs and not same else NotChecked(("train_file", "validation_file"))


def _key(setting: Setting, side: Pattern[str]) -> str:
    """The key path without its side, "" for a setting that names no samples of that side. Keys of
    one pair differ in this part alone: train_file and validation_file, data.train and data.val."""
    value, path = setting.value, ".".join(setting.path)
    if not isinstance(value, str) or not side.search(path) or _OTHER.search(path):
        return ""
    place, samples = value.strip().lower(), _SAMPLES.search(value.strip().lower())
    if not _PLACE.search(place) or _OPEN.search(place) or (_HUB.search(place) and not samples):
        return ""
    return side.sub("*", path) if samples or _DATA.search(path) else ""


def _without_side(config: RunConfig, other: Setting) -> Setting | None:
    """The data that names no side where that of the held-out side does: data_path beside
    valid_data_path is what is trained on, unless a split beside them parts it."""
    path = ".".join(other.path)
    beside = (s.path[-1] for s in config.settings if s.path[:-1] == other.path[:-1])
    if not (side := HELD_OUT.search(path)) or any("split" in name for name in beside):
        return None
    bare = (path[: side.start()] + path[side.end() :].lstrip("_")).rstrip("_")
    found = (s for s in config.settings if ".".join(s.path) == bare and isinstance(s.value, str))
    return next(found, None) if bare else None


def _splits(config: RunConfig, setting: Setting, side: Pattern[str]) -> Mapping[str, Scalar]:
    """What settings beside or above this one say of the part that its side takes; one that is of no
    side makes the two differ."""
    found: dict[str, Scalar] = {}
    parent = setting.path[:-1]
    for other in config.settings:
        above, path = other.path[:-1], ".".join(other.path)
        if above != parent[: len(above)] or not _SPLIT.search(other.path[-1]):
            continue
        if side.search(path):
            found[side.sub("*", path)] = other.value
        elif above and above == parent and "split" in other.path[-1]:
            found[side.pattern] = other.value
    return found


def _picked(config: RunConfig, setting: Setting) -> bool:
    """Whether a class beside the paths reads the file: it may take another part for each side."""
    return any(_reads(s, setting.path[:-1]) for s in config.settings)


def _reads(setting: Setting, parent: tuple[str, ...]) -> bool:
    """Whether a setting names a class that reads samples, in the block ``parent``."""
    path = setting.path[:-1] if setting.path[-1] in _CLASS_OF else setting.path
    if path[:-1] != parent or not path or not _READER.search(path[-1]) or _TENSORS.search(path[-1]):
        return False
    return isinstance(setting.value, str) and _CLASS.search(setting.value) is not None


def _place(setting: Setting) -> str:
    return posixpath.normpath(str(setting.value).strip())
