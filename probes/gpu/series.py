"""``nvidia-smi --query-gpu=… --format=csv -l``: samples over time, columns in any order."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterable, Mapping, Sequence

from medic.errors import Unreadable
from medic.facts import GpuSeries
from medic.records import dataclass
from medic.text.patterns import regex

from .clocks import COLUMNS as CLOCKS
from .clocks import Tally
from .fields import UNITS, number

MAX_SAMPLES = 2_000_000
Sample = tuple[float, float | None, int | None, int | None, int]

# Column titles without their unit: those of nvidia-smi, and those that people's own scripts write.
_COLUMNS = {
    "timestamp": "time", "time": "time", "date": "time", "datetime": "time",
    "index": "gpu", "gpu": "gpu", "gpu_index": "gpu", "gpu_id": "gpu", "device": "gpu",
    "uuid": "id", "gpu_uuid": "id", "pci.bus_id": "id", "gpu_bus_id": "id", "gpu_serial": "id",
    "utilization.gpu": "use", "gpu_util": "use", "util": "use", "utilization": "use",
    "utilisation": "use", "gpu_utilization": "use",
    "memory.used": "used", "mem_used": "used", "memory_used": "used", "used_memory": "used",
    "memory.total": "total", "mem_total": "total", "memory_total": "total",
} | CLOCKS  # fmt: skip
_TITLE = regex(r"^([\w.]+)\s*(?:[\[(]\s*([%A-Za-z]+)\s*[\])])?$")
_STAMP = regex(r"^(\d{4})[/-](\d\d)[/-](\d\d)[ T](\d\d):(\d\d):(\d\d)(\.\d+)?")


@dataclass(frozen=True)
class Column:
    role: str
    unit: str = ""


def is_header(line: str) -> bool:
    """Whether a line titles the columns of such a series."""
    roles = {c.role for c in _columns(line)}
    return bool(roles & {"use", "used"}) and len(roles) > 1


def parse_series(lines: Iterable[tuple[int, str]], name: str) -> GpuSeries:
    """The samples of each GPU in order. Raises Unreadable without columns that can be told.

    Times are seconds since 1970 as if the local times in the file were UTC; without a time column
    the sample's number stands in. Sizes are bytes, utilisation is percent.
    """
    columns: Sequence[Column] = ()
    samples: dict[int, list[Sample]] = {}
    names: dict[str, int] = {}
    tally, count = Tally(), 0
    for line, text in lines:
        if is_header(text):
            columns = _columns(text)
            continue
        cells = [c.strip() for c in text.split(",")]
        columns = columns or _guess(cells)
        if len(cells) != len(columns) or count >= MAX_SAMPLES:
            continue  # a line cut off while it was written
        index, sample = _sample(columns, cells, line, names, samples)
        if sample is not None:
            samples.setdefault(index, []).append(sample)
            tally.add(index, [c.role for c in columns], cells, sample[1], line)
            count += 1
    if not samples:
        raise Unreadable("no samples of a GPU in it", "其中没有 GPU 采样")
    _require_one_gpu_a_line(columns, samples)
    rows = {i: tuple(of) for i, of in sorted(samples.items())}
    return GpuSeries(name, rows, tally.all())


def _columns(line: str) -> list[Column]:
    columns = []
    for title in line.split(","):
        found = _TITLE.match(title.strip())
        role = _COLUMNS.get(found[1].lower(), "") if found else ""
        columns.append(Column(role, (found[2] or "") if found else ""))
    return columns


def _guess(cells: Sequence[str]) -> list[Column]:
    """Columns of a file without a header, from units: of two sizes the larger is the total."""
    sizes = [i for i, c in enumerate(cells) if re.fullmatch(r"\d+ MiB", c)]
    if not sizes or not any(c.endswith(" %") for c in cells):
        return []
    ordered = sorted(sizes, key=lambda i: number(cells[i]) or 0)
    columns = [Column("")] * len(cells)
    for i, cell in enumerate(cells):
        if _STAMP.match(cell):
            columns[i] = Column("time")
        elif re.fullmatch(r"\d{1,3}", cell) and Column("gpu") not in columns:
            columns[i] = Column("gpu")
        elif cell.endswith(" %") and Column("use") not in columns:
            columns[i] = Column("use")
        elif len(ordered) == 2 and i in sizes:
            columns[i] = Column("used" if i == ordered[0] else "total")
    return columns


def _sample(
    columns: Sequence[Column],
    cells: Sequence[str],
    line: int,
    names: dict[str, int],
    samples: Mapping[int, Sequence[Sample]],
) -> tuple[int, Sample | None]:
    found = {c.role: (cell, c.unit) for c, cell in zip(columns, cells, strict=True) if c.role}
    index = _index(found, names)
    if index is None:
        return 0, None
    use, used = number(found.get("use", ("", ""))[0]), _size(found.get("used"))
    if use is None and used is None:
        return index, None
    time = _time(found["time"][0]) if "time" in found else None
    if time is None:
        time = float(len(samples.get(index, ())))
    return index, (time, use, used, _size(found.get("total")), line)


def _index(found: Mapping[str, tuple[str, str]], names: dict[str, int]) -> int | None:
    if "gpu" in found:
        value = number(found["gpu"][0])
        return None if value is None or value != int(value) else int(value)
    if "id" in found:
        return names.setdefault(found["id"][0], len(names))
    return 0


def _size(cell: tuple[str, str] | None) -> int | None:
    if cell is None:
        return None
    text, unit = cell
    value = number(text)
    if value is None:
        return None
    own = text.split()[-1].upper()
    factor = UNITS.get(own) or UNITS.get(unit.upper().replace("MB", "MIB")) or UNITS["MIB"]
    return int(value * factor)


def _time(text: str) -> float | None:
    """Seconds since 1970 of a date in local time, or of a number that counts them."""
    found = _STAMP.match(text)
    if found is None:
        return float(text) if re.fullmatch(r"\d+(?:\.\d+)?", text) else None
    year, month, day, hour, minute, second = (int(found[i]) for i in range(1, 7))
    try:
        moment = time.mktime((year, month, day, hour, minute, second, 0, 0, -1))
    except (ValueError, OverflowError):
        return None
    return moment + float(found[7] or 0)


def _require_one_gpu_a_line(
    columns: Sequence[Column], samples: Mapping[int, Sequence[Sample]]
) -> None:
    """Without an index, rows of several GPUs follow within milliseconds and cannot be parted."""
    if any(c.role in ("gpu", "id") for c in columns):
        return
    times = [s[0] for s in samples[0]]
    close = sum(1 for a, b in itertools.pairwise(times) if b - a < 0.05)
    if close > len(times) // 3:
        raise Unreadable("several GPUs, but no index column", "包含多张 GPU，但没有 index 列")
