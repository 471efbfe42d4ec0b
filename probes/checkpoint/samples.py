"""The first bytes of a checkpoint's tensors: enough to tell whether they changed, or hold NaN."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Mapping
from operator import eq
from typing import BinaryIO

from medic.errors import Unreadable
from medic.probe import Look
from medic.records import dataclass
from medic.text.patterns import regex

from . import safetensors_header, torch_file
from .sniff import sniff
from .source import Damaged, open_file, size_of
from .states import model_tensors
from .units import Unit

SAMPLE = 16 * 1024  # bytes of a tensor
MAX_TENSORS = 256  # of a checkpoint
BUDGET = 8 << 20  # bytes of a checkpoint: of few tensors more is read than SAMPLE
# Counted while a model runs in training mode, whether it learns or not.
_COUNTED = regex(r"(?:^|\.)(?:running_(?:mean|var)|num_batches_tracked)$")
# Tensors in which an infinity is no mask, no bias of an attention and no table.
_WEIGHT = regex(r"(?:^|[._])(?:weight|kernel)(?:\.[\w.]+)?$")
# dtype -> (bytes an element, the top bytes of a NaN, what marks it in the next byte)
_NAN = {
    "float32": (4, re.compile(rb"[\x7f\xff]"), 0x80),
    "bfloat16": (2, re.compile(rb"[\x7f\xff]"), 0x80),
    "float16": (2, re.compile(rb"[\x7c-\x7f\xfc-\xff]"), 0),
}
HALF = frozenset({"bfloat16", "float16"})


@dataclass(frozen=True)
class Sample:
    """``size``: bytes of the whole tensor."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes
    size: int


def read(
    look: Look, unit: Unit, wanted: Callable[[str], bool] = lambda _: True
) -> dict[str, Sample]:
    """Samples of the model's tensors by name, in the same choice for the same names.

    ``wanted``: of which names alone. Empty for formats whose tensors have no known place. Raises Unreadable.
    """
    if unit.kind != "file":
        return {}
    with open_file(look, unit.path) as file:
        kind = sniff(file, unit.path)
        if kind == "safetensors":
            header = safetensors_header.read_extents(file)
            kinds = {n: (info.dtype, info.shape) for n, (info, _, _) in header.items()}
            places = {n: (start, end) for n, (_, start, end) in header.items()}
        elif kind == "zip":
            _, tensors = model_tensors(torch_file.read_zip(file, look.cancelled).root)
            kinds = {n: (t.dtype, t.shape) for n, t in tensors.items()}
            places = torch_file.extents(file, tensors)
        else:
            return {}
        return _samples(file, kinds, {n: at for n, at in places.items() if wanted(n)})


def _samples(
    file: BinaryIO,
    kinds: Mapping[str, tuple[str, tuple[int, ...]]],
    places: Mapping[str, tuple[int, int]],
) -> dict[str, Sample]:
    names = [n for n in sorted(places) if not _COUNTED.search(n)]
    end_of_file = size_of(file)
    found = {}
    chosen = names[:: -(-len(names) // MAX_TENSORS) or 1]
    most = max(SAMPLE, BUDGET // max(1, len(chosen)))
    for name in chosen:
        start, end = places[name]
        if not 0 <= start <= end <= end_of_file:
            raise Damaged("a tensor lies outside the file", "有张量超出文件范围")
        file.seek(start)
        found[name] = Sample(*kinds[name], file.read(min(most, end - start)), end - start)
    return found


def read_or_none(
    look: Look, unit: Unit, wanted: Callable[[str], bool] = lambda _: True
) -> dict[str, Sample]:
    """As ``read``; a file that cannot be read is told elsewhere."""
    try:
        return read(look, unit, wanted)
    except Unreadable:
        return {}


def broken(name: str, sample: Sample) -> str:
    """ "NaN" or "Inf" if one is among the sampled elements, else "".

    Infinities may be meant, as a mask holds them: they count in weights alone.
    """
    kinds = set(_not_finite(sample))
    if "NaN" in kinds:
        return "NaN"
    return "Inf" if "Inf" in kinds and _WEIGHT.search(name) else ""


def holds_nan(sample: Sample) -> bool:
    """Whether a NaN is among the sampled elements."""
    return "NaN" in _not_finite(sample)


def _not_finite(sample: Sample) -> Iterator[str]:
    if sample.dtype not in _NAN:
        return
    width, tops, mark = _NAN[sample.dtype]
    data = sample.data[: len(sample.data) // width * width]
    top, below = data[width - 1 :: width], data[width - 2 :: width]
    for found in tops.finditer(top):
        at = found.start()
        rest = (top[at] & 3) << 8 | below[at] if sample.dtype == "float16" else below[at]
        if mark and not rest & mark:
            continue
        low = data[at * width : at * width + width - 2]
        yield "NaN" if rest & ~mark or any(low) else "Inf"


def equal_share(old: Sample, new: Sample) -> tuple[int, int]:
    """(elements that are the same bit by bit, elements compared) of two samples of one tensor."""
    words = array("H" if old.dtype in HALF else "I")
    width = words.itemsize
    size = min(len(old.data), len(new.data)) // width * width
    if old.data[:size] == new.data[:size]:
        return size // width, size // width
    size = min(size, SAMPLE)
    one, other = words[:], words[:]
    one.frombytes(old.data[:size])
    other.frombytes(new.data[:size])
    return sum(map(eq, one, other)), len(one)
