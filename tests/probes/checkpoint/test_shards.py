"""Checkpoints in several files."""

from __future__ import annotations

import json
from typing import Any

import pytest
from medic.probes.checkpoint.source import Damaged, PointerFile
from medic.probes.checkpoint.units import are_parts_of_one, gather

from medic.errors import Unreadable

ONE, TWO = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"


def sharded(files: Any, folder: str = "m", **weights: str) -> Any:
    files.safetensors(f"{folder}/{ONE}", {"a": (2, 2)})
    files.safetensors(f"{folder}/{TWO}", {"b": (3,)})
    return files.index(f"{folder}/model.safetensors.index.json", weights or {"a": ONE, "b": TWO})


def test_all_shards_are_one_checkpoint(files: Any, read: Any) -> None:
    path = sharded(files)
    index = read(path, path.parent / ONE, path.parent / TWO)
    assert {n: t.shape for n, t in index.tensors.items()} == {"a": (2, 2), "b": (3,)}
    assert (index.format, index.missing_shards) == ("sharded", ())


def test_shards_find_their_index(files: Any, read: Any) -> None:
    path = sharded(files)
    assert set(read(path.parent / TWO).tensors) == {"a", "b"}


def test_a_missing_shard_is_reported(files: Any, read: Any) -> None:
    path = sharded(files)
    (path.parent / TWO).unlink()
    index = read(path)
    assert index.missing_shards == (TWO,)
    assert set(index.tensors) == {"a"}


def test_shards_without_an_index(files: Any, read: Any) -> None:
    path = sharded(files)
    path.unlink()
    (path.parent / TWO).unlink()
    index = read(path.parent / ONE)
    assert index.missing_shards == (TWO,)


@pytest.mark.parametrize("out", ["../secret.bin", "/etc/passwd", "sub/x.safetensors", "..", "a\\b"])
def test_an_index_that_points_outside_is_refused(files: Any, make_look: Any, out: str) -> None:
    from medic.probes.checkpoint.reader import Reader

    look = make_look(sharded(files, a=ONE, b=out))
    (unit,) = gather(look.files("checkpoint"))
    with pytest.raises(Unreadable, match="outside the folder"):
        Reader(look).read(unit)
    assert [p.rpartition("/")[2] for p in look.opened] == ["model.safetensors.index.json"]


def test_a_tensor_that_its_shard_lacks(files: Any, read: Any) -> None:
    with pytest.raises(Damaged, match="does not hold 'c'"):
        read(sharded(files, a=ONE, c=TWO))


def test_a_shard_that_is_a_pointer(files: Any, read: Any) -> None:
    path = sharded(files)
    files.raw(f"m/{TWO}", b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 2\n")
    with pytest.raises(PointerFile, match=f"{TWO}: a git-lfs pointer"):
        read(path)


def test_shards_of_torch(files: Any, read: Any) -> None:
    files.zip("m/pytorch_model-00001-of-00001.bin", {"w": files.T((2,))})
    path = files.index("m/pytorch_model.bin.index.json", {"w": "pytorch_model-00001-of-00001.bin"})
    assert set(read(path).tensors) == {"w"}


@pytest.mark.parametrize("data", [b'{"weight_map": 3}', b'{"a": 1}', b'{"weight_map": {"a": 1}}'])
def test_an_index_of_something_else(files: Any, read: Any, data: bytes) -> None:
    with pytest.raises(Unreadable):
        read(files.raw("x.index.json", data))


def test_a_duplicate_name_in_an_index(files: Any, read: Any) -> None:
    data = b'{"weight_map": {"a": "x.safetensors", "a": "y.safetensors"}}'
    with pytest.raises(Unreadable, match="occurs twice"):
        read(files.raw("x.index.json", data))


def test_only_headers_are_read(files: Any, read: Any) -> None:
    """A shard of 140 GB, whose data is a hole in the file system."""
    path = files.safetensors("big.safetensors", {"w": (35_000_000_000,)})
    assert path.stat().st_size > 140_000_000_000
    assert read(path).tensors["w"].shape == (35_000_000_000,)


def test_states_beside_the_weights(files: Any, read: Any) -> None:
    path = sharded(files, "run/checkpoint-500")
    assert not any(read(path).states.values())
    for name in ("optimizer.pt", "scheduler.pt", "rng_state_0.pth"):
        files.raw(f"run/checkpoint-500/{name}", b"x")
    files.raw("run/checkpoint-500/trainer_state.json", json.dumps({"global_step": 499}).encode())
    index = read(path)
    assert all(index.states.values())
    assert index.step == 499


def test_deepspeed_states_lie_a_folder_below(files: Any, read: Any) -> None:
    path = sharded(files, "run/checkpoint-500")
    files.raw(
        "run/checkpoint-500/global_step500/bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt", b"x"
    )
    index = read(path)
    assert index.states["optimizer"]
    assert index.step == 500


def test_source_files_are_no_states(files: Any, read: Any) -> None:
    path = sharded(files, "run")
    for name in ("optimizer.py", "scheduler.yaml", "rng_state.md", "optim_notes.txt"):
        files.raw(f"run/{name}", b"x")
    assert not any(read(path).states.values())


def test_files_of_other_states_are_no_checkpoints(files: Any, make_look: Any) -> None:
    names = (
        "optimizer.pt",
        "training_args.bin",
        "zero_pp_rank_0_mp_rank_00_optim_states.pt",
        "rng_state_0.pth",
    )
    look = make_look(*(files.raw(n, b"x") for n in names))
    assert gather(look.files("checkpoint")) == []


def test_parts_of_ranks_are_told_from_two_checkpoints() -> None:
    assert are_parts_of_one("iter_10/mp_rank_00/model.pt", "iter_10/mp_rank_01/model.pt")
    assert are_parts_of_one("out/model_rank_0.pt", "out/model_rank_1.pt")
    assert not are_parts_of_one("out/step10.pt", "out/step20.pt")
