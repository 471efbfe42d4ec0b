"""Folders of torch.distributed.checkpoint: ``.metadata`` and the ``__RANK_N.distcp`` it names.

Layout: torch/distributed/checkpoint/metadata.py (Metadata, TensorStorageMetadata, MetadataIndex)
and filesystem.py (_StorageInfo). ``.metadata`` is a pickle of these; it is walked, never loaded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from medic.errors import Unreadable
from medic.probe import Look
from medic.records import dataclass, field
from medic.text.patterns import regex
from medic.text.safetext import one_line

from .source import Damaged, UnknownFormat, file_stream, open_file, size_of
from .states import Parts, split
from .torch_file import PICKLE_BUDGET
from .values import Name, Opaque, Tensor
from .walk import Walk

METADATA = ".metadata"
MAX_SHARDS = 100_000
MAX_SIZE = 1 << 62
_ROOM = "torch.distributed.checkpoint."
_OWN = frozenset(
    {_ROOM + "metadata." + n for n in (
        "Metadata", "MetadataIndex", "TensorStorageMetadata", "BytesStorageMetadata",
        "ChunkStorageMetadata", "TensorProperties", "StorageMeta", "_MEM_FORMAT_ENCODING",
    )}
    | {_ROOM + "filesystem._StorageInfo", "pathlib.PosixPath", "pathlib.Path", "torch.Size"}
)  # fmt: skip
_DTYPE = regex(
    r"torch\.(?:u?int\d{1,2}|q[u]?int\d{1,2}|bfloat16|float\d{1,2}(?:_e\w{2,10})?|complex\d{2,3}|bool)"
)
_RANK = regex(r"^__(\d{1,6})_\d+\.distcp$")


@dataclass(frozen=True, eq=False)
class Kept:
    """A key that is an object: it stands for itself alone, whatever it holds."""

    key: Opaque


class MetadataWalk(Walk):
    """Keeps what lies under keys that are objects: the index of a tensor's part."""

    def _named(self, module: object, name: object) -> Name:
        full = f"{module}.{name}"
        known = full in _OWN or (module == "torch" and _DTYPE.fullmatch(full) is not None)
        return Name(full) if known else super()._named(module, name)

    def _set(self, items: list[Any]) -> None:
        kept = [Kept(i) if n % 2 == 0 and isinstance(i, Opaque) else i for n, i in enumerate(items)]
        if isinstance(self._stack[-1], dict):
            pairs = zip(kept[::2], kept[1::2], strict=True)
            self._stack[-1].update((k, v) for k, v in pairs if isinstance(k, Kept))
        super()._set(items)


@dataclass(frozen=True)
class Part:
    """Where one part of a tensor (or an object) lies: bytes ``start`` to ``end`` of a file."""

    name: str
    file: str
    start: int
    end: int


@dataclass(frozen=True)
class Distributed:
    """What the folder holds; ``missing`` are files that ``.metadata`` names and that are gone."""

    parts: Parts
    ranks: int
    missing: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    files: Mapping[str, tuple[int, int]] = field(default_factory=dict)


def read_folder(look: Look, folder: str) -> Distributed:
    """Raises Damaged for a folder that cannot be loaded, Unreadable for what is not understood."""
    root, listed = _metadata(look, folder)
    state = _fields(root, "Metadata")
    tensors, odd = _leaves(state.get("state_dict_metadata"))
    if not tensors and not odd:
        raise Unreadable(
            "its .metadata holds no description of tensors", ".metadata 中没有张量描述"
        )
    files = _extents(_parts(state.get("storage_data")))
    missing = _check_files(look, folder, files)
    ranks = {int(m[1]) for name in files if (m := _RANK.match(PurePosixPath(name).name))}
    nested = _nested({**odd, **tensors}, state.get("planner_data"))
    return Distributed(split(nested), len(ranks), missing, listed, files)


def _metadata(look: Look, folder: str) -> tuple[Any, tuple[str, ...]]:
    path = Path(folder) / METADATA
    if not path.exists():
        raise Damaged(
            "no .metadata beside the shards: the save did not finish",
            "分片旁没有 .metadata：保存未完成",
        )
    with open_file(look, str(path)) as file:
        size = size_of(file)
        file.seek(0)
        if size == 0:
            raise Damaged(".metadata is empty: 0 bytes", ".metadata 为空（0 字节）")
        if file.read(1) != b"\x80":
            raise _no_pickle(folder)
        walk = MetadataWalk(look.cancelled)
        try:
            root = walk.value(file_stream(file, 0, size, min(size, PICKLE_BUDGET)))
        except Damaged as problem:
            raise Damaged(f".metadata: {problem.en}", f".metadata:{problem.zh}") from None
    return root, tuple(walk.listed)


def _no_pickle(folder: str) -> Unreadable:
    """Other programs have files of this name; beside shards it is torch's, and broken."""
    kind = Damaged if any(Path(folder).glob("*.distcp")) else UnknownFormat
    return kind(".metadata is no pickle", ".metadata 不是 pickle")


def _fields(value: Any, kind: str) -> Mapping[Any, Any]:
    """The fields of a dataclass that the pickle builds; empty for anything else."""
    if not isinstance(value, Opaque) or value.kind.rpartition(".")[2] != kind:
        return {}
    return value.state if isinstance(value.state, dict) else {}


# --- tensors --------------------------------------------------------------------------------


def _leaves(described: Any) -> tuple[dict[str, Tensor], dict[str, Opaque]]:
    """(tensors, other objects) by their full names. Raises Damaged for a tensor with holes."""
    tensors: dict[str, Tensor] = {}
    odd: dict[str, Opaque] = {}
    for name, value in described.items() if isinstance(described, dict) else ():
        if not isinstance(name, str):
            continue
        shown = one_line(name[:400])
        fields = _fields(value, "TensorStorageMetadata")
        shape = _shape(fields.get("size"))
        if shape is not None:
            _refuse_holes(shown, shape, fields.get("chunks"))
            tensors[shown] = Tensor(_dtype(fields.get("properties")), shape)
        elif isinstance(value, Opaque):
            odd[shown] = Opaque("object")
    return tensors, odd


def _shape(value: Any) -> tuple[int, ...] | None:
    if isinstance(value, (tuple, list)) and len(value) <= 64:
        sizes = tuple(value)
        if all(isinstance(n, int) and 0 <= n < MAX_SIZE for n in sizes):
            return sizes
    return None


def _dtype(properties: Any) -> str:
    """TensorProperties pickles itself as a tuple that begins with the dtype."""
    state = properties.state if isinstance(properties, Opaque) else None
    if isinstance(state, dict):
        state = (state.get("dtype"),)
    first = state[0] if isinstance(state, tuple) and state else None
    return first.full.removeprefix("torch.")[:24] if isinstance(first, Name) else ""


def _refuse_holes(name: str, shape: tuple[int, ...], chunks: Any) -> None:
    """The parts of all ranks make the whole tensor, as torch checks when it saves."""
    if not isinstance(chunks, list) or not chunks:
        return
    sizes = [_shape(_fields(c, "ChunkStorageMetadata").get("sizes")) for c in chunks]
    if any(s is None for s in sizes):
        return
    held, wanted = sum(math.prod(s) for s in sizes if s is not None), math.prod(shape)
    if held < wanted:
        raise Damaged(
            f"{name}: its parts hold {held:,} of {wanted:,} elements",
            f"{name}：各分片只含 {held:,} / {wanted:,} 个元素",
        )


def _nested(leaves: Mapping[str, Any], planner: Any) -> dict[Any, Any]:
    """The object as it was saved: the planner knows the path of each flattened name."""
    paths = planner if isinstance(planner, dict) else {}
    root: dict[Any, Any] = {}
    for name, leaf in leaves.items():
        path = paths.get(name)
        keys = [str(k)[:400] for k in path[:32]] if isinstance(path, tuple) and path else [name]
        level = root
        for key in keys[:-1]:
            below = level.setdefault(key, {})
            if not isinstance(below, dict):
                break
            level = below
        else:
            level.setdefault(keys[-1], leaf)
    return root


# --- files ----------------------------------------------------------------------------------


def _parts(stored: Any) -> Iterator[Part]:
    for key, value in stored.items() if isinstance(stored, dict) else ():
        info = _fields(value, "_StorageInfo")
        file, start, length = info.get("relative_path"), info.get("offset"), info.get("length")
        numbers = all(isinstance(n, int) and 0 <= n < MAX_SIZE for n in (start, length))
        if isinstance(key, Kept) and isinstance(file, str) and numbers:
            name = _fields(key.key, "MetadataIndex").get("fqn")
            yield Part(str(name)[:400], file, int(start or 0), int(start or 0) + int(length or 0))


def _extents(parts: Iterator[Part]) -> dict[str, tuple[int, int]]:
    """File -> (start of its last part, bytes that it must have). Raises Unreadable."""
    files: dict[str, tuple[int, int]] = {}
    for part in parts:
        if not _is_inside(part.file):
            shown = one_line(part.file[:100])
            raise Unreadable(
                f"its .metadata names a file outside the folder: {shown}",
                f".metadata 指向文件夹之外的文件：{shown}",
            )
        if part.end > files.get(part.file, (0, -1))[1]:
            files[part.file] = (part.start, part.end)
        if len(files) > MAX_SHARDS:
            raise Unreadable(f"more than {MAX_SHARDS:,} shards", f"分片超过 {MAX_SHARDS:,} 个")
    return files


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    bad = path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name
    return bool(path.parts) and not bad and len(name) < 400


def _check_files(look: Look, folder: str, files: Mapping[str, tuple[int, int]]) -> tuple[str, ...]:
    """The missing files. Raises Damaged for one that is too short or was never written."""
    missing = []
    for name in sorted(files):
        path = Path(folder) / name
        if not path.exists():
            missing.append(one_line(name))
        else:
            _check_file(look.cancelled, open_file(look, str(path)), name, files[name])
    return tuple(missing)


def _check_file(
    cancelled: Callable[[], bool], opened: Any, name: str, extent: tuple[int, int]
) -> None:
    start, wanted = extent
    shown = one_line(name)
    with opened as file:
        size = size_of(file)
        if cancelled():
            return
        if size < wanted:
            raise Damaged(
                f"{shown} has {size:,} of {wanted:,} bytes: cut off",
                f"{shown} 只有 {size:,} / {wanted:,} 字节：文件不完整",
            )
        file.seek(start)
        head = file.read(min(8, wanted - start))
        if head and not head.strip(b"\0"):
            raise Damaged(
                f"{shown}: zeros where a tensor begins: the data was never written",
                f"{shown}：张量起始处全为零：数据没有写入",
            )
