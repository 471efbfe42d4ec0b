"""Headers of safetensors files: what is read, and which word each fault gets."""

from __future__ import annotations

import json
from typing import Any

import pytest
from medic.probes.checkpoint.source import Damaged

from medic.errors import Unreadable


def entry(shape: list[int], start: int, end: int, dtype: str = "F32") -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


def test_names_shapes_and_dtypes(files: Any, read: Any) -> None:
    index = read(
        files.safetensors("m.safetensors", {"a": (2, 3), "empty": (0,), "b": (4,)}, "BF16")
    )
    assert index.format == "safetensors"
    assert {n: (t.shape, t.dtype) for n, t in index.tensors.items()} == {
        "a": ((2, 3), "bfloat16"),
        "empty": ((0,), "bfloat16"),
        "b": ((4,), "bfloat16"),
    }


def test_metadata_is_no_tensor_and_the_name_does_not_matter(files: Any, read: Any) -> None:
    header = json.dumps({"__metadata__": {"format": "pt"}, "w": entry([2], 0, 8)}).encode()
    assert set(read(files.header("model.bin", header, 8)).tensors) == {"w"}


@pytest.mark.parametrize("length", [1 << 63, 200_000_000, 100_000_001])
def test_a_header_that_is_too_large(files: Any, read: Any, length: int) -> None:
    with pytest.raises(Damaged, match="header too large"):
        read(files.header("m.safetensors", b'{"a": 1}', 100, length))


def test_a_cut_body_and_a_cut_header(files: Any, read: Any) -> None:
    header = json.dumps({"w": entry([100], 0, 400)}).encode()
    with pytest.raises(Damaged, match=f"truncated at byte {len(header) + 8 + 399}"):
        read(files.header("m.safetensors", header, 399))
    with pytest.raises(Damaged, match="truncated"):
        read(files.header("m.safetensors", b'{"w', 0, 5000))
    with pytest.raises(Damaged, match="truncated at byte 3"):
        read(files.raw("m.safetensors", b"\x08\x00\x00"))


@pytest.mark.parametrize(
    ("tensors", "data", "words"),
    [
        ({"a": entry([2], 0, 8), "b": entry([2], 4, 12)}, 12, "overlaps"),
        ({"a": entry([2], 0, 8), "b": entry([2], 16, 24)}, 24, "hole"),
        ({"a": entry([1 << 40, 1 << 40], 0, 8)}, 8, "impossible"),
        ({"a": entry([3], 0, 8)}, 8, "do not agree"),
        ({"a": entry([2], 0, 8)}, 9, "belong to no tensor"),
        ({"a": entry([2], 0, 8, "F77")}, 8, "malformed"),
        ({"a": entry([-1, -2], 0, 8)}, 8, "malformed"),
        ({"a": entry([True, 2], 0, 8)}, 8, "malformed"),
        ({"a": {"dtype": "F32"}}, 0, "malformed"),
        ({"a": 7}, 0, "malformed"),
    ],
)
def test_each_fault_has_its_words(
    files: Any, read: Any, tensors: Any, data: int, words: str
) -> None:
    with pytest.raises(Damaged, match=words):
        read(files.header("m.safetensors", json.dumps(tensors).encode(), data))


def test_a_name_that_occurs_twice_is_refused(files: Any, read: Any) -> None:
    one = json.dumps(entry([2], 0, 8))
    header = f'{{"w": {one}, "w": {one}}}'.encode()
    with pytest.raises(Unreadable, match="'w' occurs twice"):
        read(files.header("m.safetensors", header, 8))


@pytest.mark.parametrize(
    ("header", "words"),
    [
        (b'{"\xff\xfe": 1}', "UTF-8"),
        (b'{"a": ', "not JSON"),
        (b"{" + b'"a":[' * 1 + b"[" * 100_000, "not JSON"),
        (b'{"a": ' + b"9" * 6000 + b"}", "malformed|not JSON"),
    ],
)
def test_a_header_that_is_no_json(files: Any, read: Any, header: bytes, words: str) -> None:
    with pytest.raises(Damaged, match=words):
        read(files.header("m.safetensors", header, 0))
