"""Several trainings in one folder, each with a configuration and logs of its own: the stages of a
model (pretrain.yaml with pretrain.log, sft.yaml with sft.log), the runs of a sweep.

Two that write to one place, or of which one goes on from the other's checkpoint, are starts of one run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from medic.case.configured import Carrier, carriers_of, pairs
from medic.facts import GivenFile
from medic.records import dataclass
from medic.text.namesakes import words_of
from medic.text.patterns import regex

MAX_FILES = 64  # logs, or configurations: more are a collection
_CONFIGURES = ("config", "script")
# Of a curve nobody can say that it is of this training where it may be of another.
_OF_ONE = ("metrics", "gpu-series", "stacks", "flight-recorder")
# Where a run writes, and what it goes on from, by the last parts of the keys of all frameworks.
_OUTPUT = frozenset(
    ["output_dir", "out_dir", "save", "save_dir", "save_path", "save_folder", "checkpoint_dir",
     "checkpoints_path", "default_local_dir", "default_root_dir", "dump_folder", "exp_dir"]
)  # fmt: skip
_RESUMES = frozenset(
    ["resume", "resume_from", "resume_path", "resume_from_path", "resume_from_checkpoint",
     "resume_checkpoint_path", "load", "load_dir", "load_path", "load_folder", "ckpt_path",
     "initial_load_path"]
)  # fmt: skip
_OFF = frozenset(["", "false", "none", "null", "no"])
# Weights alone are taken from what is loaded: the steps begin anew.
_ANEW = frozenset(["finetune", "no_load_optim"])
# What makes two configurations two trainings where no place to write to is stated.
_TELLING = regex(
    r"(?:lr|learning_rate|stage|dataset\w*|data_path|train_(?:file|data|bin)|model\w*path|"
    r"base_model|(?:max|total|num_train|train)_?(?:steps|iters|epochs|samples|tokens))$"
)
_WORD = regex(r"[a-z]+")
# Names that count starts of one run, or its processes, and keys that number these.
_STARTS = regex(r"(?:attempt|try|retry|restart|resumed?|run|job|part|again|node|rank|host)$")
_PROCESS = regex(r"(?:node_?rank|machine_?rank|node_?id)$")
_NUMBER = regex(r"(\d+)")


@dataclass
class Training:
    """``name``: as --run takes it; ``folder``: the one below the root in which all of it lies, or
    ""; ``values``: what its configurations state by the last part of each key."""

    name: str
    logs: Sequence[GivenFile]
    carriers: Sequence[Carrier]
    folder: str
    values: Mapping[str, str]

    def has(self, path: str) -> bool:
        return any(f.path == path for f in self.logs) or any(
            c.path == path and not c.is_command for c in self.carriers
        )

    @property
    def written(self) -> int:
        return int(max(f.modified for f in self.logs))

    @property
    def places(self) -> set[str]:
        """Where it writes, as it is stated."""
        return {_place(v) for k, v in self.values.items() if k in _OUTPUT and v.lower() not in _OFF}


def trainings(root: str, files: Sequence[GivenFile]) -> dict[str, list[GivenFile]]:
    """Name -> files of each training, the last one first; empty where the folder holds only one."""
    logs = [f for f in files if f.kind == "log"]
    given = [f for f in files if f.kind in _CONFIGURES]
    if not (1 < len(logs) <= MAX_FILES and 0 < len(given) <= MAX_FILES):
        return {}
    found = _grouped(root, logs, list(carriers_of(given, [log.path for log in logs])))
    if len(found) < 2 or not all(_apart(a, b) for i, a in enumerate(found) for b in found[:i]):
        return {}
    order = sorted(found, key=lambda t: (t.written, _natural(t.name)), reverse=True)
    order.sort(key=lambda t: sum(_begins_with(t, other) for other in found), reverse=True)
    return {one.name: list(_files_of(one, found, files, root)) for one in order}


def _grouped(root: str, logs: Sequence[GivenFile], carriers: Sequence[Carrier]) -> list[Training]:
    """Logs and what configures them; what configures all of the logs parts none of them."""
    of = pairs(root, logs, carriers)
    groups: list[tuple[set[str], list[Carrier]]] = []
    for carrier in carriers:
        own = {log for log, its in of.items() if carrier in its}
        if not 0 < len(own) < len(of):
            continue
        joined = [g for g in groups if g[0] & own]
        groups = [g for g in groups if not g[0] & own]
        groups.append(
            (own.union(*(g[0] for g in joined)), [carrier, *(c for g in joined for c in g[1])])
        )
    made = [_made(root, [g for g in logs if g.path in own], its) for own, its in groups]
    return made if len({one.name for one in made}) == len(made) else []


def _made(root: str, logs: Sequence[GivenFile], carriers: Sequence[Carrier]) -> Training:
    values = {k: v for c in carriers for k, v in c.values.items()}
    paths = [log.path for log in logs] + [c.path for c in carriers if not c.is_command]
    common = os.path.commonpath([PurePath(p).parent for p in paths])
    below = os.path.relpath(common, root)
    folder = below.split("/")[0] if any(not c.is_command for c in carriers) else ""
    if folder in (".", ".."):
        folder = ""
    said = {words_of(c.path) for c in carriers}
    log = min((g.path for g in logs), key=lambda p: (words_of(p) not in said, len(p), p))
    return Training(folder or PurePath(log).stem, logs, carriers, folder, values)


# --- whether two are one ----------------------------------------------------------------------


def _apart(a: Training, b: Training) -> bool:
    """Whether two are trainings of their own, and not starts or processes of one run."""
    if any(_PROCESS.search(key) for key in a.values.keys() | b.values.keys()):
        return False
    if a.places and b.places:
        return not a.places & b.places and not (_goes_on(a, b) or _goes_on(b, a))
    if any(k in _RESUMES and v.lower() not in _OFF for t in (a, b) for k, v in t.values.items()):
        return False
    differ = [k for k in a.values.keys() & b.values.keys() if a.values[k] != b.values[k]]
    if not any(map(_TELLING.search, differ)):
        return False
    words = _WORD.findall(f"{a.name} {b.name}".lower())
    return not any(map(_STARTS.match, words))


def _goes_on(a: Training, b: Training) -> bool:
    """Whether one trains on from what the other saved, with its optimizer and its steps."""
    if a.values.keys() & _ANEW:
        return False
    return any(_within(v, b.places) for k, v in a.values.items() if k in _RESUMES)


def _begins_with(a: Training, b: Training) -> bool:
    """Whether one begins with what the other wrote."""
    return a is not b and any(_within(v, b.places) for k, v in a.values.items() if k not in _OUTPUT)


def _within(value: str, places: set[str]) -> bool:
    place = _place(value)
    return any(place == p or place.startswith(f"{p}/") for p in places)


def _place(value: str) -> str:
    return os.path.normpath(value.strip()) if value.strip() else ""


# --- the files of each ------------------------------------------------------------------------


def _files_of(
    one: Training, found: Sequence[Training], files: Sequence[GivenFile], root: str
) -> Iterator[GivenFile]:
    """Its own files and those that are of no one in particular."""
    for file in files:
        owner = _owner(file, found, root)
        if owner is one or (owner is None and file.kind not in _OF_ONE):
            yield file


def _owner(file: GivenFile, found: Sequence[Training], root: str) -> Training | None:
    """Of whom a file is: by what configures it, its folder, the place that is written to, its name."""
    own = [t for t in found if t.has(file.path)]
    if own or file.kind in (*_CONFIGURES, "python"):
        return own[0] if own else None
    below = os.path.relpath(file.path, root)
    own = [t for t in found if t.folder and below.startswith(f"{t.folder}/")]
    own = own or [t for t in found if any(_lies_in(below, place) for place in t.places)]
    words = words_of(file.path)
    own = own or [t for t in found if (told := words_of(t.name)) and told <= words]
    return own[0] if len(own) == 1 else None


def _lies_in(below: str, place: str) -> bool:
    """Whether a path below the folder is in a place that may be written as seen from elsewhere."""
    return below.startswith(f"{place}/") or f"/{PurePath(place).name}/" in f"/{below}"


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(p), "") if p.isdigit() else (-1, p) for p in _NUMBER.split(name)]
