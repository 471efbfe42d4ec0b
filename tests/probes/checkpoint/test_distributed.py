"""Folders of torch.distributed.checkpoint: names, shapes, ranks, and what of them is missing."""

from __future__ import annotations

import contextlib
import os
import pickle
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from medic.probes.checkpoint import distributed, index
from medic.probes.checkpoint.source import Damaged, UnknownFormat

from medic.errors import Unreadable
from medic.probe import Finding

DATA = Path(__file__).parent / "data" / "distributed"
META = (DATA / "step-7" / ".metadata").read_bytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    target = tmp_path / "step-7"
    shutil.copytree(DATA / "step-7", target)
    return target


def read_folder(read: Callable[..., Any], folder: Path) -> Any:
    return read(*sorted(folder.iterdir()))


def test_names_shapes_dtypes_and_ranks(read: Any, folder: Path) -> None:
    found = read_folder(read, folder)
    assert found.format == "torch distributed"
    assert {n: (t.shape, t.dtype) for n, t in found.tensors.items()} == {
        "0.weight": ((8, 4), "float32"),
        "1.weight": ((3, 8), "float32"),
        "1.bias": ((3,), "float32"),
    }
    assert (found.group, found.step, found.ranks) == ("model", 7, 2)
    assert found.states == {"optimizer": False, "scheduler": False, "rng": False, "step": True}
    assert found.globals_listed == ()
    assert found.missing_shards == ()


def test_the_states_beside_the_model(read: Any, folder: Path) -> None:
    shutil.copy(DATA / "whole" / ".metadata", folder)
    for name, size in (("__0_0.distcp", 14_577), ("__1_0.distcp", 38_347)):
        (folder / name).write_bytes(b"PK" * (size // 2 + 1))
    found = read_folder(read, folder)
    assert len(found.tensors) == 3
    assert found.states == {"optimizer": True, "scheduler": True, "rng": False, "step": True}


def test_tensors_at_the_top_beside_other_states(read: Any, tmp_path: Path) -> None:
    shutil.copytree(DATA / "flat", tmp_path / "step-500")
    found = read(tmp_path / "step-500" / ".metadata")
    assert set(found.tensors) == {"0.weight", "1.weight", "1.bias"}
    assert found.states == {"optimizer": True, "scheduler": True, "rng": False, "step": True}
    assert found.missing_shards == ("__0_0.distcp", "__1_0.distcp")
    assert found.step == 500


def test_one_shard_names_the_whole_folder(read: Any, folder: Path) -> None:
    assert len(read(folder / "__1_0.distcp").tensors) == 3


def test_a_missing_shard(read: Any, folder: Path) -> None:
    (folder / "__1_0.distcp").unlink()
    assert read_folder(read, folder).missing_shards == ("__1_0.distcp",)


def test_no_metadata(read: Any, folder: Path) -> None:
    (folder / ".metadata").unlink()
    with pytest.raises(Damaged, match="the save did not finish"):
        read_folder(read, folder)


def test_a_shard_that_was_cut_off(read: Any, folder: Path) -> None:
    os.truncate(folder / "__1_0.distcp", 3_000)
    with pytest.raises(Damaged, match=r"__1_0\.distcp has 3,000 of 6,056 bytes"):
        read_folder(read, folder)


def test_a_shard_whose_end_was_never_written(read: Any, folder: Path) -> None:
    shard = folder / "__0_0.distcp"
    size = shard.stat().st_size
    os.truncate(shard, 2_000)
    os.truncate(shard, size)
    with pytest.raises(Damaged, match="never written"):
        read_folder(read, folder)


def test_a_tensor_with_a_hole(read: Any, folder: Path) -> None:
    with pytest.raises(Damaged, match=r"w: its parts hold 4 of 8 elements"):
        distributed._leaves({"w": _tensor((8,), (4,))})
    assert distributed._leaves({"w": _tensor((8,), (4,), (4,))})[0]["w"].shape == (8,)


def _tensor(size: tuple[int, ...], *chunks: tuple[int, ...]) -> Any:
    room = "torch.distributed.checkpoint.metadata."
    made = [distributed.Opaque(room + "ChunkStorageMetadata", state={"sizes": c}) for c in chunks]
    return distributed.Opaque(
        room + "TensorStorageMetadata", state={"size": size, "chunks": made, "properties": None}
    )


def test_the_probe_says_which_file_is_broken(make_look: Any, folder: Path) -> None:
    os.truncate(folder / "__1_0.distcp", 3_000)
    made = list(index.PROBE.run(make_look(*sorted(folder.iterdir()))))
    (found,) = [m for m in made if isinstance(m, Finding)]
    assert found.outcome == "broken"
    assert "__1_0.distcp" in found.value["reason"].en


# --- hostile and broken .metadata -------------------------------------------------------------


class Canary:
    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch {self.path}",)


def test_a_pickle_that_calls_is_never_run(read: Any, folder: Path, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    (folder / ".metadata").write_bytes(pickle.dumps(Canary(str(canary))))
    with pytest.raises(Unreadable, match="no description"):
        read_folder(read, folder)
    assert not canary.exists()


def test_a_call_within_good_metadata_is_listed(read: Any, folder: Path, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    call = pickle.dumps(Canary(str(canary)))[2:-1].replace(b"\x94", b"")
    (folder / ".metadata").write_bytes(META[:2] + _without_frame(call) + b"0" + META[11:])
    found = read_folder(read, folder)
    assert found.globals_listed == ("posix.system",)
    assert len(found.tensors) == 3
    assert not canary.exists()


def _without_frame(code: bytes) -> bytes:
    return code[9:] if code[:1] == b"\x95" else code


def test_a_dtype_like_name_is_listed(read: Any, folder: Path) -> None:
    evil = META.replace(b"\x8c\x07float32", b"\x8c\x07hubload")
    (folder / ".metadata").write_bytes(evil)
    assert read_folder(read, folder).globals_listed == ("torch.hubload",)


@pytest.mark.parametrize("outside", [b"../.__0.distcp", b"/tmp/abc.distc"])
def test_a_file_outside_the_folder(read: Any, folder: Path, outside: bytes) -> None:
    data = META.replace(b"\x8c\x0c__0_0.distcp", b"\x8c" + bytes([len(outside)]) + outside)
    assert data != META
    (folder / ".metadata").write_bytes(data)
    with pytest.raises(Unreadable, match="outside the folder"):
        read_folder(read, folder)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "0 bytes"),
        (META[:600], "truncated at byte 600"),
        (b"\x80\x04\x8e" + struct.pack("<Q", 2**60), "truncated"),
        (b"\x1b[2Jhello", "is no pickle"),
        (b"\x80\x02\xff", "no pickle opcode"),
        (b"\x80\x02N.", "no description"),
    ],
)
def test_broken_metadata(read: Any, folder: Path, data: bytes, words: str) -> None:
    (folder / ".metadata").write_bytes(data)
    with pytest.raises(Unreadable, match=words) as refused:
        read_folder(read, folder)
    assert "\x1b" not in refused.value.en


def test_a_file_of_that_name_that_is_not_torchs(read: Any, tmp_path: Path) -> None:
    path = tmp_path / ".metadata"
    path.write_text("name: x\n", "utf-8")
    with pytest.raises(UnknownFormat, match="no pickle"):
        read(path)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(st.tuples(st.integers(0, 1720), st.integers(0, 255)), max_size=6),
    st.integers(0, 1720),
)
def test_any_metadata_is_read_or_refused(
    read: Any, tmp_path: Path, changes: list[tuple[int, int]], cut: int
) -> None:
    data = bytearray(META)
    for place, byte in changes:
        data[place] = byte
    file = tmp_path / ".metadata"
    file.write_bytes(bytes(data[: cut or None]))
    with contextlib.suppress(Unreadable):
        read(file)
