"""Checkpoints in several files: an index that names them, or numbered shards without one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from medic.errors import Unreadable
from medic.facts import TensorInfo
from medic.text.patterns import regex

from .safetensors_header import parse_json
from .source import Damaged, read_all

MAX_INDEX = 64 * 1024 * 1024
MAX_SHARDS = 10_000
SHARD = regex(r"^(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.(?P<end>safetensors|bin)$")

ReadShard = Callable[[str], Mapping[str, TensorInfo]]


def read_index(file: BinaryIO) -> dict[str, list[str]]:
    """Shard name -> names of its tensors. Raises Unreadable, also for a path out of the folder."""
    entries = parse_json(read_all(file, MAX_INDEX))
    weights = entries.get("weight_map") if isinstance(entries, dict) else None
    if not isinstance(weights, dict) or set(map(type, weights.values())) - {str}:
        raise Unreadable("a JSON file without a weight map", "JSON 文件中没有 weight_map")
    shards: dict[str, list[str]] = {}
    for tensor, shard in weights.items():
        shards.setdefault(shard, []).append(tensor)
    outside = next((s for s in shards if not _is_plain(s)), None)
    if outside is not None:
        raise Unreadable(
            f"its index names a file outside the folder: {outside[:100]!r}",
            f"索引指向文件夹之外的文件：{outside[:100]!r}",
        )
    if len(shards) > MAX_SHARDS:
        raise Unreadable(f"more than {MAX_SHARDS:,} shards", f"分片超过 {MAX_SHARDS:,} 个")
    return shards


def _is_plain(name: str) -> bool:
    return bool(name) and name not in (".", "..") and not set(name) & set("/\\\0")


def join(
    folder: str, shards: Mapping[str, Sequence[str]], read: ReadShard
) -> tuple[dict[str, TensorInfo], tuple[str, ...]]:
    """(all tensors, missing shards). A tensor that its shard does not hold raises Damaged."""
    tensors: dict[str, TensorInfo] = {}
    missing = []
    for shard in sorted(shards):
        path = Path(folder) / shard
        if not path.exists():
            missing.append(shard)
            continue
        held = read(str(path))
        for name in shards[shard]:
            if name not in held:
                raise Damaged(
                    f"{shard} does not hold {name[:100]!r}, as the index says",
                    f"{shard} 中没有索引所说的 {name[:100]!r}",
                )
        tensors.update(held)
    return tensors, tuple(missing)


def numbered(paths: Sequence[str]) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """(shards, missing ones) of numbered files without an index, from "-of-N" in their names."""
    found = {Path(p).name: SHARD.match(Path(p).name) for p in paths}
    one = next(m for m in found.values() if m)
    count = min(int(one["count"]), MAX_SHARDS)
    names = [f"{one['stem']}-{n:05d}-of-{one['count']}.{one['end']}" for n in range(1, count + 1)]
    if "00000" in {m["number"] for m in found.values() if m}:
        names = [f"{one['stem']}-{n:05d}-of-{one['count']}.{one['end']}" for n in range(count)]
    return {n: [] for n in names if n in found}, tuple(n for n in names if n not in found)
