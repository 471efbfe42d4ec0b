"""Checkpoints written by hand, without torch: a zip or a stream of pickles from raw opcodes."""

from __future__ import annotations

import json
import os
import pickle
import struct
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from medic.errors import Unreadable
from medic.facts import FileKind, GivenFile, LogHits
from medic.run_config import Origin, RunConfig, Value

WIDTHS = {"FloatStorage": 4, "BFloat16Storage": 2, "LongStorage": 8}


@dataclass(frozen=True)
class T:
    """A tensor to be written; ``key`` shares a storage."""

    shape: tuple[int, ...]
    kind: str = "FloatStorage"
    key: str = ""
    count: int | None = None  # what the storage claims to hold
    parameter: bool = False


@dataclass(frozen=True)
class Ops:
    """Raw opcodes in the place of a value."""

    code: bytes


@dataclass
class Writer:
    """Writes plain values and ``T`` as torch.save's pickler does, in protocol 2."""

    storages: dict[str, int] = field(default_factory=dict)  # key -> bytes

    def pickle(self, value: Any) -> bytes:
        return b"\x80\x02" + self.code(value) + b"."

    def code(self, value: Any) -> bytes:
        if isinstance(value, Ops):
            return value.code
        if isinstance(value, T):
            return self.tensor(value)
        if isinstance(value, dict):
            pairs = b"".join(self.code(k) + self.code(v) for k, v in value.items())
            return b"ccollections\nOrderedDict\n)R(" + pairs + b"u"
        if isinstance(value, list):
            return b"](" + b"".join(map(self.code, value)) + b"e"
        if isinstance(value, tuple):
            return b"(" + b"".join(map(self.code, value)) + b"t"
        return pickle.dumps(value, 2)[2:-1]

    def tensor(self, t: T) -> bytes:
        key = t.key or str(len(self.storages))
        count = 1
        for n in t.shape:
            count *= n
        self.storages.setdefault(key, count * WIDTHS[t.kind])
        stride: list[int] = []
        step = 1
        for n in reversed(t.shape):
            stride.insert(0, step)
            step *= n
        kind = b"ctorch\n" + t.kind.encode() + b"\n"
        size = self.code(count if t.count is None else t.count)
        storage = (
            b"(" + self.code("storage") + kind + self.code(key) + self.code("cpu") + size + b"tQ"
        )
        rest = self.code(0) + self.code(t.shape) + self.code(tuple(stride)) + self.code(False)
        made = b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + rest + self.code({}) + b"tR"
        if t.parameter:
            return (
                b"ctorch._utils\n_rebuild_parameter\n("
                + made
                + self.code(True)
                + self.code({})
                + b"tR"
            )
        return made


class Files:
    """Writes checkpoint files of each form below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.T = T
        self.Ops = Ops

    def zip(self, name: str, value: Any, *, leave_out: Sequence[str] = ()) -> Path:
        writer = Writer()
        data = writer.pickle(value)
        path = self._place(name)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("archive/data.pkl", data)
            archive.writestr("archive/byteorder", "little")
            for key, size in writer.storages.items():
                if key not in leave_out:
                    archive.writestr(f"archive/data/{key}", bytes(size))
        return path

    def raw(self, name: str, data: bytes) -> Path:
        path = self._place(name)
        path.write_bytes(data)
        return path

    def legacy(self, name: str, value: Any) -> Path:
        writer = Writer()
        root = writer.pickle(value)
        head = pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(1001, 2)
        head += pickle.dumps({"little_endian": True}, 2)
        keys = sorted(writer.storages)
        body = b"".join(struct.pack("<q", 0) + bytes(writer.storages[k]) for k in keys)
        return self.raw(name, head + root + pickle.dumps(keys, 2) + body)

    def safetensors(
        self, name: str, shapes: Mapping[str, Sequence[int]], dtype: str = "F32"
    ) -> Path:
        at, header = 0, {}
        for tensor, shape in shapes.items():
            size = 4 if dtype == "F32" else 2
            for n in shape:
                size *= n
            header[tensor] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + size]}
            at += size
        return self.header(name, json.dumps(header).encode(), at)

    def header(self, name: str, header: bytes, data: int, length: int | None = None) -> Path:
        """A safetensors file with this header; its data is a hole."""
        path = self.raw(name, struct.pack("<Q", len(header) if length is None else length) + header)
        os.truncate(path, 8 + len(header) + data)
        return path

    def index(self, name: str, weights: Mapping[str, str]) -> Path:
        return self.raw(name, json.dumps({"metadata": {}, "weight_map": dict(weights)}).encode())

    def _place(self, name: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


class Look:
    """Stands for the runner's look; reading any file but those given is a failure of the test."""

    def __init__(self, files: Sequence[GivenFile], facts: Sequence[Any]) -> None:
        self._files = files
        self._facts = {type(f): f for f in facts}
        self.opened: list[str] = []

    def files(self, *kinds: FileKind) -> Sequence[GivenFile]:
        return [f for f in self._files if f.kind in kinds]

    def has(self, kind: type[Any]) -> bool:
        return kind in self._facts

    def fact(self, kind: type[Any]) -> Any:
        return self._facts[kind]

    def add(self, fact: Any) -> None:
        self._facts[type(fact)] = fact

    def open(self, path: str, limit: int = 0) -> BinaryIO:
        self.opened.append(path)
        if Path(path).stat().st_size > limit:
            raise Unreadable("too large", "过大")
        return Path(path).open("rb")

    def cancelled(self) -> bool:
        return False


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


@pytest.fixture
def make_look() -> Callable[..., Look]:
    def make(
        *paths: Path, facts: Sequence[Any] = (), logs: LogHits | None = None, **config: Any
    ) -> Look:
        given = [GivenFile(str(p), p.name, "checkpoint", 1, p.lstat().st_mtime) for p in paths]
        known = [*facts, *([logs] if logs else [])]
        if config:
            known.append(RunConfig({k: Value(v, Origin("file")) for k, v in config.items()}))
        return Look(given, known)

    return make


@pytest.fixture
def read(make_look: Callable[..., Look]) -> Callable[[Path], Any]:
    """The index of one checkpoint. Raises Unreadable."""
    from medic.probes.checkpoint.reader import Reader
    from medic.probes.checkpoint.units import gather

    def read_one(*paths: Path) -> Any:
        look = make_look(*paths)
        (unit,) = gather(look.files("checkpoint"))
        return Reader(look).read(unit)

    return read_one
