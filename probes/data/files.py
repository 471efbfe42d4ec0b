"""Which data files of a case are read, in which format they are, and of which split."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from medic.errors import Unreadable
from medic.facts import GivenFile, Places
from medic.probe import Look
from medic.text.patterns import regex

from ..sides import HELD_OUT, TRAINING
from . import tars, tokens

MAX_FILES = 24  # of one case; shards of one set are alike
MAX_LISTED = 2_000
MAX_STATE = 1 << 20
_ENDS = (
    ".jsonl",
    ".ndjson",
    ".json",
    ".parquet",
    ".arrow",
    ".tar",
    ".idx",
    ".jsonl.gz",
    ".json.gz",
)
# Keys whose path is data; a tokenizer or a model is none.
_DATA_KEY = regex(r"data|corpus|train|valid|val_|eval|test|blend|prompt")


def files(look: Look) -> list[GivenFile]:
    """The data files of the case, then those that its config names and this machine has."""
    found = {os.path.realpath(f.path): f for f in look.files("data")}
    if look.has(Places) and look.host_is_the_runs is not False:
        for place in look.fact(Places).inputs:
            if place.exists and place.sure and _DATA_KEY.search(place.key.lower()):
                for path in _below(place.path):
                    found.setdefault(os.path.realpath(path), _given(path))
    return list(found.values())


def _below(path: str) -> Iterator[str]:
    """The data files that a path stands for: itself, those in a folder, Megatron's two."""
    full = Path(path).expanduser()
    try:
        if full.is_file() and full.name.lower().endswith(_ENDS):
            yield str(full)
        elif Path(f"{full}.idx").is_file():
            yield f"{full}.idx"
        elif full.is_dir():
            with os.scandir(full) as entries:
                names = sorted(e.name for e in itertools.islice(entries, MAX_LISTED))
            yield from (str(full / n) for n in names if n.lower().endswith(_ENDS))
    except OSError:
        return


def _given(path: str) -> GivenFile:
    info = Path(path).stat()
    return GivenFile(path, path, "data", info.st_size, info.st_mtime)


def picked(found: Sequence[GivenFile]) -> list[GivenFile]:
    """At most 24, in turn from each split, spread over the shards."""
    sides = [[f for f in found if split_of(f.name) == s] for s in ("validation", "train")]
    half = MAX_FILES // 2
    first = _spread(sides[0], max(half, MAX_FILES - len(sides[1])))
    return [*first, *_spread(sides[1], MAX_FILES - len(first))]


def _spread(files_: list[GivenFile], count: int) -> list[GivenFile]:
    ordered = sorted(files_, key=lambda f: f.name)
    if len(ordered) <= count:
        return ordered
    return [ordered[n * len(ordered) // count] for n in range(count)]


def split_of(name: str) -> str:
    """ "validation" where the name or its folder says so, else "train"."""
    parts = name.lower().replace("\\", "/").split("/")
    for part in reversed(parts[-2:]):
        if TRAINING.search(part):
            return "train"
        if HELD_OUT.search(part):
            return "validation"
    return "train"


def format_of(name: str, head: bytes) -> str:
    """The format by the name, and by the first bytes where the name leaves it open."""
    lower = name.lower()
    if lower.endswith(".gz"):
        return "json-lines-gz"
    for end, kind in (
        (".parquet", "parquet"), (".arrow", "arrow"), (".idx", "megatron"), (".bin", "token-ids"),
        (".jsonl", "json-lines"), (".ndjson", "json-lines"), (".csv", "csv"), (".tsv", "tsv"),
    ):  # fmt: skip
        if lower.endswith(end):
            return kind
    if tars.is_tar(head) or lower.endswith(".tar"):
        return "tar"
    if head.startswith(tokens.MAGIC):
        return "megatron"
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:1] == b"[":
        return "json"
    if start[:1] == b"{":
        return "json-lines" if _is_lines(start) else "json"
    return "text"


def _is_lines(start: bytes) -> bool:
    first = start.split(b"\n", 1)[0].strip()
    if not first.endswith(b"}"):
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True


def missing_shards(look: Look, path: str) -> tuple[str, ...]:
    """Shards that the ``state.json`` of an HF dataset names and that are not beside the file."""
    state = Path(path).parent / "state.json"
    if not state.is_file():
        return ()
    try:
        with look.open(str(state), MAX_STATE) as file:
            named = json.loads(file.read())["_data_files"]
        names = [n["filename"] for n in named[:MAX_LISTED]]
    except (Unreadable, ValueError, KeyError, TypeError, RecursionError):
        return ()
    plain = [n for n in names if isinstance(n, str) and "/" not in n and "\0" not in n]
    return tuple(n for n in plain if not (state.parent / n).exists())
