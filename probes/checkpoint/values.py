"""What a pickle is walked into: plain data, tensors as headers, and opaque things.

Nothing is imported or called. A closed list of torch's own constructors is understood by name;
everything else that unpickling would call is listed and becomes ``Opaque``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from medic.records import dataclass, field

from .source import Damaged

DTYPES: Mapping[str, tuple[str, int]] = {  # storage class -> (dtype, bytes an element)
    "DoubleStorage": ("float64", 8),
    "FloatStorage": ("float32", 4),
    "HalfStorage": ("float16", 2),
    "BFloat16Storage": ("bfloat16", 2),
    "LongStorage": ("int64", 8),
    "IntStorage": ("int32", 4),
    "ShortStorage": ("int16", 2),
    "CharStorage": ("int8", 1),
    "ByteStorage": ("uint8", 1),
    "BoolStorage": ("bool", 1),
    "ComplexFloatStorage": ("complex64", 8),
    "ComplexDoubleStorage": ("complex128", 16),
    "QInt8Storage": ("qint8", 1),
    "QUInt8Storage": ("quint8", 1),
    "QInt32Storage": ("qint32", 4),
    "UntypedStorage": ("uint8", 1),
}


@dataclass(frozen=True)
class Name:
    """A global: ``module.name`` that unpickling would import."""

    full: str


@dataclass(frozen=True)
class Storage:
    """A persistent id: where a tensor's bytes lie. ``count`` elements of ``width`` bytes."""

    dtype: str
    width: int
    key: str
    count: int
    device: str


@dataclass(frozen=True)
class Tensor:
    """``offset`` and ``stride`` count elements of the storage."""

    dtype: str
    shape: tuple[int, ...]
    storage: Storage | None = None
    offset: int = 0
    stride: tuple[int, ...] = ()


@dataclass
class Opaque:
    """What an unknown callable would have made; ``items`` and ``state`` are what it was given."""

    kind: str
    items: dict[Any, Any] = field(default_factory=dict)
    state: Any = None


def storage_of(parts: object) -> object:
    """The storage that a persistent id ('storage', class, key, device, count, …) names."""
    if not isinstance(parts, tuple) or len(parts) < 5 or parts[0] != "storage":
        return Opaque("persistent id")
    _, kind, key, device, count = parts[:5]
    name = kind.full.rpartition(".")[2] if isinstance(kind, Name) else ""
    if name not in DTYPES or not isinstance(key, str) or not _is_size(count):
        return Opaque("persistent id")
    dtype, width = DTYPES[name]
    return Storage(dtype, width, key, count, str(device)[:16])


def _is_size(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62


def _sizes(value: object) -> tuple[int, ...] | None:
    if isinstance(value, (tuple, list)) and all(_is_size(v) for v in value):
        return tuple(value)
    return None


def _tensor(args: tuple[Any, ...]) -> object:
    """``_rebuild_tensor_v2(storage, offset, size, stride, …)``; v3 adds the dtype as 7th."""
    if len(args) < 4 or not isinstance(args[0], Storage):
        return Opaque("tensor")
    storage, offset, shape, stride = args[0], args[1], _sizes(args[2]), _sizes(args[3])
    if shape is None or stride is None or len(shape) != len(stride) or not _is_size(offset):
        return Opaque("tensor")
    dtype = _dtype(args[6]) if len(args) > 6 else ""
    if not dtype and all(shape):
        last = offset + sum((n - 1) * step for n, step in zip(shape, stride, strict=True))
        if last >= storage.count:
            raise Damaged("a tensor reaches past the end of its storage", "有张量超出其存储范围")
    return Tensor(dtype or storage.dtype, shape, storage, int(offset), stride)


def _dtype(value: object) -> str:
    return value.full.removeprefix("torch.") if isinstance(value, Name) else ""


def _first(args: tuple[Any, ...]) -> object:
    return args[0] if args else Opaque("parameter")


def _subclass(args: tuple[Any, ...]) -> object:
    """``_rebuild_wrapper_subclass(class, dtype, size, …)``: a DTensor holds its full size."""
    shape = _sizes(args[2]) if len(args) > 2 else None
    return Tensor(_dtype(args[1]), shape) if shape is not None else Opaque("tensor")


def _meta(args: tuple[Any, ...]) -> object:
    """``_rebuild_meta_tensor_no_storage(dtype, size, …)``."""
    shape = _sizes(args[1]) if len(args) > 1 else None
    return Tensor(_dtype(args[0]), shape) if shape is not None else Opaque("tensor")


def _retyped(args: tuple[Any, ...]) -> object:
    """``_rebuild_from_type_v2(function, class, arguments, state)``."""
    if len(args) >= 3 and isinstance(args[0], Name) and isinstance(args[2], tuple):
        return call(args[0], args[2])
    return Opaque("tensor")


def _mapping(args: tuple[Any, ...]) -> object:
    pairs = args[0] if args and isinstance(args[0], list) else []
    return {
        p[0]: p[1] for p in pairs if isinstance(p, (list, tuple)) and len(p) == 2 and key_ok(p[0])
    }


CALLS: Mapping[str, Callable[[tuple[Any, ...]], object]] = {
    "collections.OrderedDict": _mapping,
    "torch._utils._rebuild_tensor": _tensor,
    "torch._utils._rebuild_tensor_v2": _tensor,
    "torch._utils._rebuild_tensor_v3": _tensor,
    "torch._utils._rebuild_parameter": _first,
    "torch._utils._rebuild_parameter_with_state": _first,
    "torch._utils._rebuild_wrapper_subclass": _subclass,
    "torch._utils._rebuild_meta_tensor_no_storage": _meta,
    "torch._tensor._rebuild_from_type_v2": _retyped,
    "torch.Size": _first,
}
_CONSTANTS = frozenset(
    {"torch." + name for name in DTYPES}
    | {"torch.storage." + name for name in DTYPES}
    | {"torch." + dtype for dtype, _ in DTYPES.values()}
    | {"torch.float8_e4m3fn", "torch.float8_e5m2", "torch.uint16", "torch.uint32", "torch.uint64"}
    | {"torch.device", "torch.nn.parameter.Parameter", "torch.Tensor"}
    | {"torch.serialization._get_layout", "torch.distributed.tensor.DTensor"}
)


def is_known(name: str) -> bool:
    """Whether a global is one that every torch checkpoint holds."""
    return name in CALLS or name in _CONSTANTS


def call(function: object, args: tuple[Any, ...]) -> object:
    """What calling ``function`` gives, worked out by name; nothing is called."""
    if isinstance(function, Name):
        known = CALLS.get(function.full)
        return known(args) if known else Opaque(function.full)
    return Opaque("call")


def key_ok(key: object) -> bool:
    """Keys that hash in constant time: a nested tuple as a key could exhaust the C stack."""
    return key is None or isinstance(key, (str, int, float, bool))
