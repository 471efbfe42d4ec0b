"""A safetensors file written as a stream: the header first, then the bytes of each tensor.

Format: huggingface/safetensors README. Nothing is overwritten: the copy grows under another name
beside its place, and takes its name in one step that fails if the name is in use.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from medic.errors import UsageError

from .remap import Output, Plan
from .safetensors_header import BITS, MAX_HEADER

CODES = {name: code for code, (name, _) in reversed(BITS.items())}
CHUNK = 8 * 1024 * 1024
ALIGN = 8
SPARE = 64 * 1024 * 1024  # of the disk, left free


def header(outputs: Sequence[Output], metadata: Mapping[str, str]) -> bytes:
    """Length and JSON, padded so that the data begin at a multiple of 8.

    Transformers refuses a file whose metadata name no format: torch's is the default.
    """
    entries: dict[str, object] = {"__metadata__": {"format": "pt", **metadata}}
    at = 0
    for output in outputs:
        entries[output.name] = {
            "dtype": CODES[output.dtype],
            "shape": list(output.shape),
            "data_offsets": [at, at + output.size],
        }
        at += output.size
    raw = json.dumps(entries, separators=(",", ":")).encode()
    raw += b" " * (-len(raw) % ALIGN)
    if len(raw) > MAX_HEADER:
        raise UsageError("too many tensors for one file", "张量过多，一个文件放不下")
    return len(raw).to_bytes(8, "little") + raw


def write(plan: Plan, to: str) -> int:
    """Writes the file and returns its size in bytes. Raises UsageError if it exists, or the disk
    has no room for it, or a source is shorter than it was."""
    place = Path(to)
    refuse_existing(place)
    outputs = plan.outputs
    head = header(outputs, plan.metadata)
    total = len(head) + sum(o.size for o in outputs)
    _refuse_full(place.parent, total)
    part = place.with_name(f".{place.name}.part")
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        raise UsageError(
            "exists: another copy is being written, or one broke off; remove it first",
            "已存在：可能正在写入或上次中断，请先删除",
            at=str(part),
        ) from None
    except OSError as problem:
        words = problem.strerror or "cannot be written"
        raise UsageError(words, words, at=to) from None
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(head)
            _copy(outputs, out)
            out.flush()
            os.fsync(out.fileno())
        _name(part, place)
    except OSError as problem:
        words = problem.strerror or "cannot be written"
        raise UsageError(words, words, at=to) from None
    finally:
        part.unlink(missing_ok=True)
    return total


def refuse_existing(place: Path) -> None:
    if place.exists() or place.is_symlink():
        raise UsageError("exists already: nothing is overwritten", "已存在：不覆盖", at=str(place))
    if not place.parent.is_dir():
        raise UsageError("no such folder", "没有这个目录", at=str(place.parent))


def _refuse_full(folder: Path, total: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < total + SPARE:
        raise UsageError(
            f"{total:,} bytes are to be written and {free:,} are free",
            f"需写入 {total:,} 字节，而只剩 {free:,} 字节",
            at=str(folder),
        )


def _name(part: Path, place: Path) -> None:
    """Gives the file its name; fails if somebody made one of that name meanwhile."""
    try:
        os.link(part, place)
    except FileExistsError:
        refuse_existing(place)
    except OSError:  # a file system without hard links
        refuse_existing(place)
        part.rename(place)


def _copy(outputs: Sequence[Output], out: BinaryIO) -> None:
    files: dict[str, BinaryIO] = {}
    try:
        for output in outputs:
            for one in output.ranges:
                if one.file not in files:
                    files[one.file] = Path(one.file).open("rb")  # noqa: SIM115
                _range(files[one.file], one.start, one.size, out, output.name)
    finally:
        for file in files.values():
            file.close()


def _range(file: BinaryIO, start: int, size: int, out: BinaryIO, name: str) -> None:
    file.seek(start)
    left = size
    while left:
        chunk = file.read(min(CHUNK, left))
        if not chunk:
            raise UsageError(
                f"the data of {name[:100]} end too early: the file changed",
                f"{name[:100]} 的数据提前结束：文件已变动",
            )
        out.write(chunk)
        left -= len(chunk)
