"""Metrics files -> series: JSON lines, JSON lists, HF trainer_state.json, CSV."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from medic.errors import Unreadable
from medic.facts import GivenFile, Series
from medic.probe import Look

from ..logs.metric_names import canonical

MAX_BYTES = 256 * 1024 * 1024
MAX_POINTS = 400_000

Row = tuple[int, Mapping[str, Any]]


def rows(look: Look, file: GivenFile) -> Iterator[Row]:
    """(line, record) of a metrics file. Raises Unreadable for what is no metrics."""
    with look.open(file.path, MAX_BYTES) as handle:
        head = handle.read(4096)
        handle.seek(0)
        if file.name.lower().endswith(".csv"):
            yield from _csv(io.TextIOWrapper(handle, "utf-8", "replace"))
        elif file.name.lower().endswith(".json") and not _is_lines(head):
            yield from _json(handle.read().decode("utf-8", "replace"), file)
        else:
            yield from _lines(look, handle)


def _is_lines(head: bytes) -> bool:
    first = head.split(b"\n", 1)[0].strip()
    return first.startswith(b"{") and first.endswith(b"}")


def _lines(look: Look, handle: Any) -> Iterator[Row]:
    for number, raw in enumerate(handle, start=1):
        if number % 4096 == 0 and look.cancelled():
            return
        text = raw.decode("utf-8", "replace").strip()
        if not text.startswith("{"):
            continue
        try:
            record = json.loads(text)
        except (ValueError, RecursionError):
            continue  # the last line of a live file may be half written
        if isinstance(record, dict):
            yield number, record


def _csv(handle: io.TextIOWrapper) -> Iterator[Row]:
    reader = csv.DictReader(handle)
    for record in reader:
        yield reader.line_num, {str(k): v for k, v in record.items() if k}


def _json(text: str, file: GivenFile) -> Iterator[Row]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise Unreadable(
            f"not JSON: {problem}", f"不是有效的 JSON:{problem}", at=file.name
        ) from None
    records = data.get("log_history") if isinstance(data, dict) else data
    if not isinstance(records, list):
        return
    lines = _record_lines(text)
    for i, record in enumerate(records):
        if isinstance(record, dict):
            yield (lines[i] if i < len(lines) else 0), record


def _record_lines(text: str) -> list[int]:
    """The line on which each record of an indented log history says its step."""
    found = []
    inside = False
    for number, line in enumerate(text.split("\n"), start=1):
        inside = inside or '"log_history"' in line or line.startswith("[")
        if inside and '"step"' in line:
            found.append(number)
    return found


def planned(look: Look, file: GivenFile) -> int | None:
    """The planned steps that trainer_state.json states."""
    if not file.name.endswith("trainer_state.json"):
        return None
    with look.open(file.path, MAX_BYTES) as handle:
        try:
            data = json.loads(handle.read())
        except (ValueError, RecursionError):
            return None
    steps = data.get("max_steps") if isinstance(data, dict) else None
    return steps if isinstance(steps, int) and steps > 0 else None


def series_of(look: Look, file: GivenFile) -> dict[str, Series]:
    """All series of a file by canonical metric name; records without a step are counted."""
    columns: dict[str, tuple[list[int], list[float], list[int]]] = {}
    for ordinal, (line, record) in enumerate(rows(look, file), start=1):
        if ordinal > MAX_POINTS:
            break
        step, values = _record(record)
        for name, value in values.items():
            steps, numbers, lines = columns.setdefault(name, ([], [], []))
            steps.append(ordinal if step is None else step)
            numbers.append(value)
            lines.append(line)
    return {
        name: Series(name, file.name, tuple(s), tuple(v), tuple(n), file.rank)
        for name, (s, v, n) in columns.items()
    }


def _record(record: Mapping[str, Any]) -> tuple[int | None, dict[str, float]]:
    step: int | None = None
    values: dict[str, float] = {}
    for key, raw in record.items():
        found = canonical(str(key))
        number = _number(raw)
        if found is None or number is None:
            continue
        name, factor = found
        if name == "step":
            step = int(number) if math.isfinite(number) else step
        elif name not in values:
            values[name] = number * factor * _plain_unit(name, key, number)
    return step, values


def _plain_unit(name: str, key: str, number: float) -> float:
    """Memory without a unit: GiB, unless the number can only be bytes."""
    lower = str(key).lower()
    if name != "memory" or any(u in lower for u in ("gib", "gb", "mib", "mb", "bytes")):
        return 1.0
    return 2.0**30 if abs(number) < 1e6 else 1.0


def _number(raw: Any) -> float | None:
    if isinstance(raw, bool) or raw is None:
        return None
    if isinstance(raw, (int, float)):
        return float(raw)
    try:
        return float(str(raw))
    except ValueError:
        return None
