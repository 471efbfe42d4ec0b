"""Where the bytes of every tensor of a checkpoint lie, so that they can be copied as they are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

from medic.errors import Unreadable
from medic.i18n import Text
from medic.probe import Look
from medic.records import dataclass

from . import ranks, safetensors_header, shards, torch_file
from .archive import LOCAL, STORED, Member, read_directory
from .sniff import sniff
from .source import named, open_file, size_of
from .states import model_tensors
from .units import Unit
from .values import Storage, Tensor

WIDTHS = {name: bits // 8 for name, bits in safetensors_header.BITS.values() if bits % 8 == 0}


_ABSENT = Text("its data are not in the file", "文件中没有它的数据")


@dataclass(frozen=True)
class Located:
    """A tensor: ``size`` bytes from ``start`` of a file, in row-major order.

    ``why`` says why it cannot be copied, None if it can. ``storage`` is equal for tensors that share
    one, "" where nothing is shared.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    file: str = ""
    start: int = 0
    size: int = 0
    why: Text | None = None
    storage: str = ""


def locate(look: Look, unit: Unit) -> dict[str, Located]:
    """The tensors of a file or of its shards. Raises Unreadable, also for one rank's part of a model
    and for a file whose tensors hold nothing."""
    found = _located(look, unit)
    why = ranks.hollow({n: one.shape for n, one in found.items()})
    why = why or ranks.parallel(unit.path, 1)
    if why is not None:
        raise Unreadable(why.en, why.zh)
    return found


def _located(look: Look, unit: Unit) -> dict[str, Located]:
    if unit.kind == "distributed":
        raise Unreadable(
            "a folder of torch.distributed.checkpoint: convert it first with "
            "python -m torch.distributed.checkpoint.format_utils dcp_to_torch DIR FILE",
            "这是 torch.distributed.checkpoint 目录，请先转换："
            "python -m torch.distributed.checkpoint.format_utils dcp_to_torch DIR FILE",
        )
    if unit.kind == "file":
        return _file(look, unit.path)
    if unit.kind == "index":
        with open_file(look, unit.path) as file:
            wanted = shards.read_index(file)
        missing: tuple[str, ...] = ()
    else:
        wanted, missing = shards.numbered(unit.files)
    gone = [*missing, *(s for s in wanted if not (Path(unit.folder) / s).exists())]
    if gone:
        names = ", ".join(gone[:3])
        raise Unreadable(
            f"{len(gone)} shards are missing: {names}", f"缺少 {len(gone)} 个分片：{names}"
        )
    found: dict[str, Located] = {}
    for shard in sorted(wanted):
        with named(str(Path(unit.folder) / shard)):
            found.update(_file(look, str(Path(unit.folder) / shard)))
    return found


def metadata(look: Look, files: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """What the headers of safetensors files say beside the tensors, and the keys of which two
    files say different things (these are in the former with what the first says)."""
    kept: dict[str, str] = {}
    parted: set[str] = set()
    for path in files:
        with named(path), open_file(look, path) as file:
            if sniff(file, path) == "safetensors":
                for key, value in safetensors_header.read_metadata(file).items():
                    if kept.setdefault(key, value) != value:
                        parted.add(key)
    return kept, sorted(parted)


def _file(look: Look, path: str) -> dict[str, Located]:
    with open_file(look, path) as file:
        kind = sniff(file, path)
        if kind == "safetensors":
            return {
                name: Located(name, info.dtype, info.shape, path, start, end - start)
                for name, (info, start, end) in safetensors_header.read_extents(file).items()
            }
        if kind == "zip":
            return _zip(look, file, path)
    raise Unreadable(
        "only safetensors and the zip form of torch.save can be copied: load and save it once with "
        "torch >= 1.6",
        "只能转换 safetensors 和 torch.save 的 zip 格式：请先用 torch >= 1.6 读入并重新保存",
    )


def _zip(look: Look, file: BinaryIO, path: str) -> dict[str, Located]:
    members = read_directory(file, size_of(file))
    file.seek(0)
    saved = torch_file.read_zip(file, look.cancelled)
    folder = next(n for n in members if n.endswith("/data.pkl")).removesuffix("data.pkl")
    _refuse_big_endian(file, members, folder)
    part = ranks.parallel(path, ranks.parallel_size(saved.root))
    if part is not None:
        raise Unreadable(part.en, part.zh)
    _, tensors = model_tensors(saved.root)
    starts: dict[str, int] = {}
    return {
        name: _of_tensor(file, path, members, folder, name, tensor, starts)
        for name, tensor in tensors.items()
    }


def _refuse_big_endian(file: BinaryIO, members: Mapping[str, Member], folder: str) -> None:
    member = members.get(f"{folder}byteorder")
    if member is not None and member.packed <= 16:
        file.seek(_start(file, member))
        if file.read(member.packed) == b"big":
            raise Unreadable("written on a big-endian machine", "由大端机器写入")


def _start(file: BinaryIO, member: Member) -> int:
    """The first byte of a member's data, behind its local header."""
    file.seek(member.offset)
    raw = file.read(LOCAL.size)
    if len(raw) < LOCAL.size or raw[:4] != b"PK\x03\x04":
        raise Unreadable("a zip member is not where the directory says", "zip 成员不在目录所示位置")
    *_, name_length, extra_length = LOCAL.unpack(raw)
    return int(member.offset + LOCAL.size + name_length + extra_length)


def _of_tensor(
    file: BinaryIO,
    path: str,
    members: Mapping[str, Member],
    folder: str,
    name: str,
    tensor: Tensor,
    starts: dict[str, int],
) -> Located:
    storage = tensor.storage
    member = members.get(f"{folder}data/{storage.key}") if storage is not None else None
    why = _obstacle(tensor, storage, member)
    if why or storage is None or member is None:
        return Located(name, tensor.dtype, tensor.shape, why=why or _ABSENT)
    if storage.key not in starts:
        starts[storage.key] = _start(file, member)
    width = WIDTHS[tensor.dtype]
    start = starts[storage.key] + tensor.offset * width
    size = width * math.prod(tensor.shape)
    return Located(name, tensor.dtype, tensor.shape, path, start, size, storage=storage.key)


def _obstacle(tensor: Tensor, storage: Storage | None, member: Member | None) -> Text | None:
    """Why the tensor's bytes cannot be copied as they lie, or None."""
    if tensor.dtype not in WIDTHS:
        kind = tensor.dtype
        return Text(f"safetensors has no dtype {kind}", f"safetensors 没有 {kind} 类型")
    if storage is None or member is None:
        return _ABSENT
    if member.method != STORED or member.encrypted:
        return Text("its data are packed", "数据被压缩")
    if not is_contiguous(tensor):
        steps = list(tensor.stride)
        return Text(f"not contiguous: strides {steps}", f"不连续：步长 {steps}")
    width = WIDTHS[tensor.dtype]
    if width * (tensor.offset + math.prod(tensor.shape)) > member.packed:
        return Text("it reaches past the end of its storage", "超出其存储范围")
    return None


def is_contiguous(tensor: Tensor) -> bool:
    """Whether its elements lie one after another; dimensions of 1 have any stride."""
    step = 1
    if 0 in tensor.shape:
        return True
    for n, stride in zip(reversed(tensor.shape), reversed(tensor.stride), strict=False):
        if n > 1 and stride != step:
            return False
        step *= n
    return True
