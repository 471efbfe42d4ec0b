"""Which of the given files are one checkpoint, and which of them to read first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from medic.facts import GivenFile
from medic.records import dataclass
from medic.text.patterns import regex

from .shards import SHARD

Kind = Literal["file", "index", "shards", "distributed"]

_END = r"[\w-]*\.(?:pt|pth|bin|pkl|ckpt|safetensors)$"
# Files and folders beside the weights that hold another state: what a resume can restore.
BESIDE = {
    "optimizer": regex(rf"^optim{_END}|^optimizer_\d+$|_optim_states\.pt$", re.IGNORECASE),
    "scheduler": regex(rf"^(?:lr_)?scheduler{_END}", re.IGNORECASE),
    "rng": regex(rf"^(?:rng_state|random_state){_END}", re.IGNORECASE),
    "step": regex(rf"^trainer_state\.json$|^(?:trainer|recipe)_state{_END}", re.IGNORECASE),
}
_NO_MODEL = regex(r"^training_args|^scaler|^sampler|^custom_checkpoint|^tokenizer", re.IGNORECASE)
_RANK = regex(r"mp_rank_\d+(?:_\d+){0,2}|zero_pp_rank_\d+|(?<![a-z])rank[_-]?\d+", re.IGNORECASE)


@dataclass(frozen=True)
class Unit:
    """One checkpoint: ``path`` is what is read first, ``files`` all that belong to it."""

    kind: Kind
    path: str
    name: str
    modified: float
    files: tuple[str, ...]

    @property
    def folder(self) -> str:
        return str(Path(self.path).parent)


def holds_a_model(name: str) -> bool:
    base = Path(name).name
    return not _NO_MODEL.search(base) and not any(p.search(base) for p in BESIDE.values())


def gather(files: Iterable[GivenFile]) -> list[Unit]:
    """The checkpoints among the files, newest first; shards are joined, other states left out."""
    units: dict[tuple[str, str], list[GivenFile]] = {}
    for file in files:
        if not holds_a_model(file.name):
            continue
        units.setdefault(_key(file), []).append(file)
    found = [_unit(kind_key, members) for kind_key, members in units.items()]
    return sorted(found, key=lambda u: (-u.modified, u.name))


def _key(file: GivenFile) -> tuple[str, str]:
    path = Path(file.path)
    if path.name == ".metadata" or path.suffix == ".distcp":
        return ("distributed", str(path.parent))
    shard = SHARD.match(path.name)
    if shard is None:
        return ("index" if path.name.endswith(".index.json") else "file", file.path)
    index = path.parent / f"{shard['stem']}.{shard['end']}.index.json"
    if index.is_file():
        return ("index", str(index))
    return ("shards", str(path.parent / shard["stem"]))


def _unit(key: tuple[str, str], members: Sequence[GivenFile]) -> Unit:
    kind, where = key
    first = min(members, key=lambda f: f.name)
    name = first.name
    if kind == "index":
        name = str(Path(first.name).parent / Path(where).name)
    elif kind == "distributed":
        name = str(Path(first.name).parent)
    path = first.path if kind == "shards" else where
    newest = max(f.modified for f in members)
    files = tuple(sorted(f.path for f in members))
    kinds: dict[str, Kind] = {"index": "index", "shards": "shards", "distributed": "distributed"}
    return Unit(kinds.get(kind, "file"), path, name, newest, files)


def are_parts_of_one(a: str, b: str) -> bool:
    """Whether two paths are those of the parts that two ranks saved of one model."""
    return a != b and _RANK.sub("#", a) == _RANK.sub("#", b)
