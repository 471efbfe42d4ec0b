"""Files of torch.save: the zip form (torch >= 1.6) and the stream of pickles before it.

Layouts: torch/serialization.py, ``_save`` and ``_legacy_save``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO

from medic.errors import Unreadable
from medic.records import dataclass

from .archive import STORED, Member, open_member, read_directory, start_of
from .source import Damaged, file_stream, size_of, truncated
from .values import Opaque, Storage, Tensor
from .walk import Walk

# data.pkl of a 1,000-layer model is below 10 MB; optimizer states of 100,000 tensors take 80 MB.
PICKLE_BUDGET = 256 * 1024 * 1024
MAGIC = 0x1950A86A20F9469CFC6C  # first pickle of the legacy form
_BEFORE = 3  # magic, protocol version and system information come before the object


@dataclass(frozen=True)
class Saved:
    """What a file holds: the object as plain values, and the globals that are not torch's own."""

    root: Any
    listed: tuple[str, ...]
    format: str


def read_zip(file: BinaryIO, cancelled: Callable[[], bool]) -> Saved:
    """The object of a zip checkpoint. Raises Damaged or Unreadable."""
    members = read_directory(file, size_of(file))
    name = _pickle_name(members)
    stream, checksum = open_member(file, members[name], PICKLE_BUDGET)
    walk = Walk(cancelled)
    root = walk.value(stream)
    stream.drain()
    # Written as 0 when the writer was told to compute no checksum.
    if members[name].crc not in (0, checksum.value):
        raise Damaged(f"the checksum of {name} is wrong", f"{name} 的校验和不符")
    _require_storages(root, members, name.removesuffix("data.pkl"))
    return Saved(root, tuple(walk.listed), "torch zip")


def extents(file: BinaryIO, tensors: Mapping[str, Tensor]) -> dict[str, tuple[int, int]]:
    """Name -> (its first byte in the zip, the byte behind its last), of tensors that lie in one
    piece and unpacked."""
    members = read_directory(file, size_of(file))
    folder = _pickle_name(members).removesuffix("data.pkl")
    found = {}
    for name, tensor in tensors.items():
        storage = tensor.storage
        member = members.get(f"{folder}data/{storage.key}") if storage else None
        if storage is None or member is None or member.method != STORED or member.encrypted:
            continue
        start = start_of(file, member) + tensor.offset * storage.width
        found[name] = (start, start + math.prod(tensor.shape) * storage.width)
    return found


def _pickle_name(members: dict[str, Member]) -> str:
    names = [n for n in members if n.endswith("/data.pkl") and n.count("/") == 1]
    if len(names) == 1:
        return names[0]
    if names:
        raise Unreadable("two objects in one zip: ambiguous", "一个 zip 中有两个对象：含义不明")
    raise Unreadable("a zip file, but not one of torch.save", "是 zip 文件，但不是 torch.save 写的")


def _require_storages(root: Any, members: dict[str, Member], folder: str) -> None:
    """Every tensor's bytes must be in the archive, as many as its storage says."""
    for storage in storages_in(root):
        member = members.get(f"{folder}data/{storage.key}")
        if member is None:
            if storage.device == "meta":
                continue
            raise Damaged(
                f"the data of storage {storage.key} is missing", f"缺少存储 {storage.key} 的数据"
            )
        wanted = storage.count * storage.width
        if member.method == STORED and min(member.packed, member.length) < wanted:
            raise Damaged(
                f"storage {storage.key} has {member.length:,} of {wanted:,} bytes",
                f"存储 {storage.key} 只有 {member.length:,} / {wanted:,} 字节",
            )


def storages_in(root: Any) -> Iterator[Storage]:
    """The storages of every tensor below ``root``, each once."""
    seen: set[int] = set()
    keys: set[str] = set()
    todo = [root]
    while todo:
        value = todo.pop()
        if isinstance(value, Tensor):
            if value.storage is not None and value.storage.key not in keys:
                keys.add(value.storage.key)
                yield value.storage
            continue
        if id(value) in seen:
            continue
        if isinstance(value, (dict, list, tuple, Opaque)):
            seen.add(id(value))
            todo += _children(value)


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, Opaque):
        return [value.items, value.state]
    return list(value)


def read_pickle(file: BinaryIO, cancelled: Callable[[], bool]) -> Saved:
    """The object of a legacy checkpoint or of a plain pickle. Raises Damaged or Unreadable."""
    size = size_of(file)
    stream = file_stream(file, 0, size, min(size, PICKLE_BUDGET))
    walk = Walk(cancelled)
    first = walk.value(stream)
    if first != MAGIC or isinstance(first, bool):
        return Saved(first, tuple(walk.listed), "pickle")
    for _ in range(_BEFORE - 1):
        walk.value(stream)
    root = walk.value(stream)
    keys = walk.value(stream)
    _require_data(root, keys, stream.tell(), size)
    return Saved(root, tuple(walk.listed), "torch legacy")


def _require_data(root: Any, keys: Any, start: int, size: int) -> None:
    """Each storage follows as an 8-byte count and its elements."""
    if not isinstance(keys, list):
        raise Unreadable("its list of storages is no list", "存储列表不是列表")
    known = {s.key: s.count * s.width for s in storages_in(root)}
    wanted = start + sum(8 + known.get(k, 0) for k in keys if isinstance(k, str))
    if size < wanted:
        raise truncated(size)
