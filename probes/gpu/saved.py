"""Saved nvidia-smi output as facts, whichever form it has."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from contextlib import suppress

from medic.errors import Unreadable
from medic.facts import GivenFile, Gpu, GpuSeries, GpuState, Source
from medic.probe import Look
from medic.records import replace
from medic.text.patterns import regex

from .fields import gpu, whole
from .queried import FEW, is_query, parse_query
from .report_text import is_device, parse_log, parse_table
from .report_xml import Report, parse_xml
from .series import is_header, parse_series

MAX_XML = 64 * 1024 * 1024
MAX_LINES = 2_000_000
MAX_GPUS = 256
_REFUSED = regex(r"^\s*(?:Failed to initialize NVML|NVIDIA-SMI has failed|No devices were found)")


def read_saved(look: Look, file: GivenFile) -> GpuState | GpuSeries:
    """The state or the series in a file. Raises Unreadable for anything else."""
    with look.open(file.path, limit=1 << 40) as opened:
        head = opened.read(4096)
        if head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<"):
            return _state(parse_xml(head + opened.read(MAX_XML)), file)
    text = head.decode("utf-8", "replace")
    rows = text.splitlines()
    if any(map(is_query, rows)):
        query = parse_query(itertools.islice(_lines(look, file), MAX_GPUS * FEW))
        if 0 < query.samples < FEW and not any("NVIDIA-SMI" in row for row in rows):
            return _state(query.report, file)
    if any(is_header(line) for line in rows[:5]) or file.kind == "gpu-series":
        return parse_series(_lines(look, file), file.name)
    lines = (line for _, line in _lines(look, file))
    if (said := next((row for row in rows[:8] if _REFUSED.search(row)), None)) is not None:
        raise Unreadable(f"it says only: {said[:120]}", f"其中只有：{said[:120]}")
    excerpt = "NVSMI LOG" in text or any(map(is_device, rows))
    return _state(parse_log(lines) if excerpt else parse_table(lines), file)


def _lines(look: Look, file: GivenFile) -> Iterator[tuple[int, str]]:
    return itertools.islice(look.lines(file.path), MAX_LINES)


def _state(report: Report, file: GivenFile) -> GpuState:
    if not report.devices:
        raise Unreadable("no GPU in it", "其中没有 GPU")
    source = Source(file=file.name, time=stamp(report.fields.get("timestamp", "")))
    return GpuState(
        gpus=_gpus(report, file.name),
        origin=file.name,
        driver=report.fields.get("driver_version", ""),
        cuda=report.fields.get("cuda_version", ""),
        source=source,
    )


def _gpus(report: Report, name: str) -> tuple[Gpu, ...]:
    """In the order of their indexes; those that the report left out are there without fields."""
    count = min(whole(report.fields.get("attached_gpus")) or 0, MAX_GPUS)
    found: dict[int, Gpu] = {}
    for place, device in enumerate(report.devices):
        index = whole(device.fields.get("index"))
        if index is None and count > len(report.devices):
            index = whole(device.fields.get("minor_number"))
        made = gpu(place if index is None else index, device.fields, device.processes)
        if device.line:
            made = replace(made, source=Source(name, device.line, text=device.text))
        found[made.index if made.index not in found else place] = made
    for index in range(count):
        found.setdefault(index, Gpu(index))
    return tuple(replace(found[i], index=i) for i in sorted(found))


def stamp(text: str) -> float | None:
    """Seconds since 1970 of ``Fri Nov 27 23:00:03 2026`` or ``2026/11/27 23:00:03.120``, in local
    time like a log's times."""
    for form in ("%a %b %d %H:%M:%S %Y", "%Y/%m/%d %H:%M:%S"):
        with suppress(ValueError, OverflowError):
            return time.mktime(time.strptime(text.strip().partition(".")[0], form))
    return None
