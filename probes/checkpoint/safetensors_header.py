"""The header of a safetensors file, read and checked without the library.

Format: huggingface/safetensors README, "Format"; its limits and checks are those of the Rust
reader, and a name that occurs twice is refused as well (the library keeps the last).
"""

from __future__ import annotations

import json
import math
from typing import Any, BinaryIO

from medic.errors import Unreadable
from medic.facts import TensorInfo

from .source import Damaged, size_of, truncated

MAX_HEADER = 100_000_000  # the library's own limit
MAX_ELEMENTS = 1 << 62
MAX_DIMENSIONS = 64  # as many as torch allows
BITS = {  # dtype -> (torch's name, bits an element)
    "BOOL": ("bool", 8), "U8": ("uint8", 8), "I8": ("int8", 8), "I16": ("int16", 16),
    "U16": ("uint16", 16), "F16": ("float16", 16), "BF16": ("bfloat16", 16), "I32": ("int32", 32),
    "U32": ("uint32", 32), "F32": ("float32", 32), "F64": ("float64", 64), "I64": ("int64", 64),
    "U64": ("uint64", 64), "C64": ("complex64", 64), "F8_E4M3": ("float8_e4m3fn", 8),
    "F8_E5M2": ("float8_e5m2", 8), "F8_E8M0": ("float8_e8m0fnu", 8), "F4": ("float4_e2m1fn_x2", 4),
    "F6_E2M3": ("float6_e2m3", 6), "F6_E3M2": ("float6_e3m2", 6),
    "F8_E4M3FNUZ": ("float8_e4m3fnuz", 8), "F8_E5M2FNUZ": ("float8_e5m2fnuz", 8),
}  # fmt: skip


def read_header(file: BinaryIO) -> dict[str, TensorInfo]:
    """The tensors by name. Raises Damaged or Unreadable, naming what is wrong."""
    return {name: info for name, (info, _, _) in read_extents(file).items()}


def read_extents(file: BinaryIO) -> dict[str, tuple[TensorInfo, int, int]]:
    """Name -> (tensor, its first byte in the file, the byte behind its last)."""
    size = size_of(file)
    file.seek(0)
    raw = file.read(8)
    if len(raw) < 8:
        raise truncated(size)
    length = int.from_bytes(raw, "little")
    if length > MAX_HEADER:
        raise Damaged(
            f"header too large: it claims {length:,} bytes", f"头部过大：声称有 {length:,} 字节"
        )
    if 8 + length > size:
        raise truncated(size)
    entries = _parse(file.read(length))
    entries.pop("__metadata__", None)
    found = _tensors(entries, size - 8 - length, size)
    return {n: (info, 8 + length + a, 8 + length + b) for n, (info, a, b) in found.items()}


def read_metadata(file: BinaryIO) -> dict[str, str]:
    """The words that the header has beside the tensors (``format: pt``). The header is a good one."""
    file.seek(0)
    length = int.from_bytes(file.read(8), "little")
    found = _parse(file.read(length)).get("__metadata__")
    given = found.items() if isinstance(found, dict) else ()
    return {key: value for key, value in given if isinstance(value, str)}


def parse_json(raw: bytes) -> Any:
    """JSON without duplicate keys. Raises Unreadable for one, Damaged for what is no JSON."""
    try:
        return json.loads(raw.decode("utf-8"), object_pairs_hook=_no_duplicates)
    except UnicodeDecodeError:
        raise Damaged("its header is not UTF-8", "头部不是 UTF-8 文本") from None
    except (ValueError, RecursionError):
        raise Damaged("its header is not JSON", "头部不是 JSON") from None


def _parse(raw: bytes) -> dict[str, Any]:
    entries = parse_json(raw)
    if not isinstance(entries, dict):
        raise Damaged("its header is not a JSON object", "头部不是 JSON 对象")
    return entries


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(k for k, _ in pairs if k in seen or seen.add(k))  # type: ignore[func-returns-value]
        raise Unreadable(
            f"{twice[:100]!r} occurs twice in its header", f"头部中 {twice[:100]!r} 出现两次"
        )
    return found


def _tensors(
    entries: dict[str, Any], data: int, size: int
) -> dict[str, tuple[TensorInfo, int, int]]:
    found: dict[str, tuple[TensorInfo, int, int]] = {}
    spans: list[tuple[int, int, str]] = []
    for name, entry in entries.items():
        info, start, end = _tensor(name, entry)
        found[name] = (info, start, end)
        spans.append((start, end, name))
    at = 0
    for start, end, name in sorted(spans):
        if start != at:
            raise Damaged(
                f"the data of {name[:100]!r} overlaps another tensor's or leaves a hole",
                f"{name[:100]!r} 的数据与其他张量重叠或留有空洞",
            )
        at = end
    if at > data:
        raise truncated(size)
    if at < data:
        raise Damaged(
            f"{data - at:,} bytes belong to no tensor", f"有 {data - at:,} 字节不属于任何张量"
        )
    return found


def _tensor(name: str, entry: Any) -> tuple[TensorInfo, int, int]:
    shown = name[:100]
    try:
        dtype, bits = BITS[entry["dtype"]]
        shape, (start, end) = tuple(entry["shape"]), entry["data_offsets"]
        numbers = (*shape, start, end)
        good = (
            set(map(type, numbers)) == {int} and min(numbers) >= 0 and len(shape) <= MAX_DIMENSIONS
        )
    except (KeyError, TypeError, ValueError):
        good = False
    if not good:
        raise Damaged(
            f"the header entry of {shown!r} is malformed", f"{shown!r} 的头部条目格式错误"
        )
    elements = math.prod(shape)
    if elements > MAX_ELEMENTS:
        raise Damaged(f"the shape of {shown!r} is impossible", f"{shown!r} 的形状不可能存在")
    if elements * bits != (end - start) * 8:
        raise Damaged(
            f"shape and byte range of {shown!r} do not agree", f"{shown!r} 的形状与字节范围不一致"
        )
    return TensorInfo(name, shape, dtype), start, end
