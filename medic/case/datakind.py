"""Which files hold training data, and which a tracker's metrics."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from medic.text.openings import head_of
from medic.text.patterns import regex

_ENDS = (".parquet", ".arrow", ".ndjson", ".jsonl.gz", ".json.gz")
# Names that are a split of data whatever the file holds: also where it is empty.
_SPLIT = regex(
    r"(?:train|valid|validation|dev|test)(?:[-_.]\d+(?:[-_]of[-_]\d+)?)?\.(?:jsonl|csv|tsv)$"
)
_BARE_IDS = ("train", "val", "valid", "validation", "test")  # nanoGPT's NAME.bin, uint16 ids
# What torch.save writes begins with one of these.
_CHECKPOINTS = (b"PK\x03\x04", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
_KEYS = frozenset(
    {
        "answer", "chosen", "completion", "content", "conversation", "conversations", "document",
        "input_ids", "instruction", "messages", "output", "problem", "prompt", "query", "question",
        "rejected", "response", "solution", "text", "tokens",
    }
)  # fmt: skip
_METRICS = ("step", "loss", "train_loss", "global_step", "iteration", "level", "levelname")


# What W&B keeps of a run in its "files".
_KEPT = frozenset({"output.log", "config.yaml", "requirements.txt"})


# What a run writes itself: answers of a model, scores, rollouts.
_WRITTEN = regex(r"predict|generat|rollout|result|completions?\b|responses?\b|outputs?\b|score")


def is_written(lower: str) -> bool:
    """Whether a file's name says that the run wrote it: it looks like data, and is none."""
    return _WRITTEN.search(lower) is not None


def is_data(path: str, lower: str) -> bool:
    """By name and magic: tables, WebDataset shards, Megatron's and bare ids; and what datasets'
    save_to_disk says of the shards, where none of them is there."""
    if lower.endswith(_ENDS):
        return True
    if lower.endswith(".idx"):
        return _head(path, 7) == b"MMIDIDX"
    if lower.endswith(".tar"):
        return _head(path, 512)[257:262] == b"ustar"
    if lower == "state.json":
        return b'"_data_files"' in _head(path, 512) and not any(Path(path).parent.glob("*.arrow"))
    split = lower.startswith(("train", "valid", "dev", "test")) and _SPLIT.match(lower)
    if split and not _head(path, 64).strip():
        return True
    return _is_bare_ids(path, lower)


def is_tracked(path: str, lower: str) -> bool:
    """Metrics of TensorBoard, W&B or MLflow."""
    if "tfevents" in lower or lower.endswith(".wandb"):
        return True
    if "." in lower or "/metrics/" not in path.replace("\\", "/"):
        return False
    words = _head(path, 120).split(b"\n", 1)[0].split(b" ")
    return len(words) == 3 and words[0].isdigit() and len(words[0]) >= 10 and words[2].isdigit()


def tracked_runs(folder: str, *, alone: bool = False) -> Iterator[tuple[str, os.stat_result]]:
    """The history of the newest run in a ``wandb`` folder: the rest repeats the run's own files.

    ``alone``: these are not there, and what W&B kept of the console and the settings counts, too.
    """
    try:
        with os.scandir(folder) as entries:
            runs = [e for e in entries if "run-" in e.name and e.is_dir(follow_symlinks=False)]
        for run in sorted(runs, key=lambda e: (e.stat().st_mtime, e.name))[-1:]:
            with os.scandir(run.path) as inside:
                found = [e for e in inside if e.name.endswith(".wandb")]
            if alone:
                with os.scandir(Path(run.path) / "files") as kept:
                    found += [e for e in kept if e.name in _KEPT]
            for entry in sorted(found, key=lambda e: e.name):
                if entry.is_file(follow_symlinks=False):
                    yield entry.path, entry.stat()
    except OSError:
        return


def _is_bare_ids(path: str, lower: str) -> bool:
    """Ids without a header: neither a checkpoint's magic nor the data of a Megatron index."""
    if not lower.endswith(".bin") or lower.removesuffix(".bin") not in _BARE_IDS:
        return False
    return not _head(path, 8).startswith(_CHECKPOINTS) and not has_index(path)


def has_index(path: str) -> bool:
    """Whether a ``.bin`` is the data of the ``.idx`` beside it, which stands for both."""
    return path.lower().endswith(".bin") and Path(path).with_suffix(".idx").is_file()


def is_record(line: bytes) -> bool:
    """Whether JSON is a sample, not a line of metrics or of a log: text under a known name."""
    if line.startswith(b"version https://git-lfs"):
        return True  # data that were not fetched
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        # The head ends inside a long first record: its first name has to do.
        start = line[:300].lstrip(b"\xef\xbb\xbf \t{")
        return any(start.startswith(b'"' + key.encode() + b'"') for key in _KEYS)
    if not isinstance(record, dict):
        return False
    names = {str(k).lower(): v for k, v in record.items()}
    if any(name in names and not isinstance(names[name], list) for name in _METRICS):
        return False
    return any(isinstance(names.get(key), (str, list)) for key in _KEYS)


def is_table(first: bytes) -> bool:
    """Whether the first line of a CSV file names columns of samples."""
    names = {n.strip().strip(b'"').lower().decode("ascii", "replace") for n in first.split(b",")}
    return bool(names & (_KEYS | {"sentence", "review", "label"})) and not names & set(_METRICS)


def first_object(head: bytes) -> bytes:
    """The first object of a JSON list, as far as it is there."""
    text = head.decode("utf-8", "ignore").lstrip("\ufeff \t\r\n")[1:].lstrip()
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return text.encode("utf-8", "replace")
    return text[:end].encode("utf-8", "replace")


def _head(path: str, size: int) -> bytes:
    try:
        return head_of(path, size)
    except OSError:
        return b""
