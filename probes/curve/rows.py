"""Rows of metrics files: JSON lines, CSV, trainer_state.json, lists of objects."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, BinaryIO, NamedTuple

from medic.errors import Unreadable
from medic.facts import GivenFile
from medic.i18n import Text
from medic.probe import Look
from medic.text.encodings import utf8
from medic.text.patterns import regex

from ..logs.metric_names import canonical
from . import nulls, trackers

MAX_BYTES = 256 << 20
MAX_ROWS = 400_000
MAX_KEYS = 200  # lines of one record
_KEY = regex(r'\s*"([^"]{1,100})"\s*:')
# "moe/expert_3_load", "tokens_per_expert/3", "expert_usage.3"
_EXPERT = regex(
    r"expert[_/.-]?\d+[_/.-]?(?:load|tokens?|count|frac\w*|usage|util\w*|share)"
    r"|(?:tokens_per_expert|expert_(?:load|usage|count|tokens))[_/.-]?\d+$"
)
MIN_EXPERTS = 4
_CUT = Text("its last line is cut off, and left out", "最后一行不完整，已略过")
_BROKEN = Text(
    "{n} lines are cut off (the first is line {first}), and left out",
    "有 {n} 行不完整（最早为第 {first} 行），已略过",
)
_STEP_KEY = regex(r'"step"\s*:')


class Row(NamedTuple):
    """One record: metrics by canonical name; ``step`` is None if it has none. Never changed."""

    line: int
    step: int | None
    values: dict[str, float]
    rank: int | None = None
    lines: Mapping[str, int] = {}  # of metrics that stand on lines of their own


class Table(NamedTuple):
    """``problem``: what of the file could not be read; ``growing``: it is a line that may still be
    written. ``series``: files of one name are parts of one series, in the order of their names."""

    rows: list[Row]
    planned_steps: int | None = None
    problem: Text | None = None
    series: str = ""
    growing: bool = False


def read(look: Look, given: GivenFile) -> Table:
    """The rows of a metrics file in file order. Raises Unreadable."""
    with look.open(given.path, MAX_BYTES) as file:
        kind = trackers.kind(file.read(trackers.HEAD))
        if kind:
            return _tracked(file, kind, given)
        if claim := trackers.claimed(given.name):
            raise Unreadable(claim.en, claim.zh, at=given.name)
        file.seek(0)
        text = utf8(file.read()).decode("utf-8", "replace").removeprefix("\ufeff")
    if trackers.is_mlflow(text):
        return Table([_row(n, d) for n, d in trackers.mlflow(text, given.path)])
    start = text.lstrip()[:1]
    if given.name.endswith((".csv", ".tsv")):
        return Table(list(_csv(text)))
    if start == "[" or (start == "{" and not _is_lines(text)):
        return _document(text, given.name)
    found = list(_json_lines(text))
    if text.strip() and not found:
        raise Unreadable("no record of metrics in it", "其中没有指标记录", at=given.name)
    if found and "loss" not in found[-1].values:
        found = nulls.filled(found, _load(text.split("\n")[found[-1].line - 1]))
    problem = _broken(text)
    return Table(found, problem=problem, growing=problem is _CUT)


def _broken(text: str) -> Text | None:
    """What of JSON lines is no record: the last one may be half written."""
    lines = text.split("\n")[:MAX_ROWS]
    bad = [n for n, line in enumerate(lines, 1) if line.lstrip()[:1] == "{" and not _whole(line)]
    if not bad:
        return None
    if bad == [len(lines)]:
        return _CUT
    return _BROKEN.fill(n=len(bad), first=bad[0])


def _whole(line: str) -> bool:
    """Whether a line that begins an object ends it, too; what is within is read once only."""
    return line.rstrip().endswith("}") or _load(line) is not None


def _tracked(file: BinaryIO, kind: str, given: GivenFile) -> Table:
    """A TensorBoard folder has a file for each start of the run."""
    read_all = trackers.events if kind == "events" else trackers.wandb
    found, problem = read_all(file, file.seek(0, 2))
    folder = given.path.rpartition("/")[0] if kind == "events" else ""
    return Table([_row(0, d) for d in found[:MAX_ROWS]], problem=problem, series=folder)


def _is_lines(text: str) -> bool:
    """Whether the first line is a whole object: then each line is one."""
    first = text.lstrip().split("\n", 1)[0].strip()
    if not first.endswith("}"):
        return False
    data = _load(first)
    return isinstance(data, dict) and "log_history" not in data


def _load(text: str) -> Any:
    """JSON with the NaN and Infinity that trainers write; None for a broken line."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _json_lines(text: str) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), 1):
        if number > MAX_ROWS:
            return
        data = _load(line) if line.lstrip().startswith("{") else None
        if isinstance(data, dict):
            yield _row(number, data)


def _document(text: str, name: str) -> Table:
    data = _load(text)
    if data is None:
        raise Unreadable("not valid JSON", "不是合法的 JSON", at=name)
    planned = None
    if isinstance(data, dict):
        planned = data.get("max_steps") if isinstance(data.get("max_steps"), int) else None
        data = data.get("log_history", data.get("history", [data]))
    if not isinstance(data, list):
        raise Unreadable("no list of metrics in it", "其中没有指标列表", at=name)
    records = [d for d in data[:MAX_ROWS] if isinstance(d, dict)]
    written = text.split("\n")
    steps = [n for n, line in enumerate(written, 1) if _STEP_KEY.search(line)]
    if len(steps) != len(records):
        return Table([_row(0, d) for d in records], planned or None)
    found = [
        _row(n, d)._replace(lines=_own_lines(written, n))
        for n, d in zip(steps, records, strict=True)
    ]
    return Table(found, planned or None)


def _own_lines(written: Sequence[str], at: int) -> dict[str, int]:
    """Metric -> line, of the indented object around line ``at``; empty if it is on one line."""
    if "{" in written[at - 1]:
        return {}
    first = last = at
    while first > 1 and at - first < MAX_KEYS and "{" not in written[first - 2]:
        first -= 1
    while last < len(written) and last - at < MAX_KEYS and "}" not in written[last]:
        last += 1
    found: dict[str, int] = {}
    for number in range(first, last + 1):
        key = _KEY.match(written[number - 1])
        known = canonical(key.group(1)) if key else None
        if known is not None:
            found.setdefault(known[0], number)
    return found


def _csv(text: str) -> Iterator[Row]:
    delimiter = "\t" if "\t" in text[:1000].split("\n", 1)[0] else ","
    reader = csv.reader(text.splitlines(), delimiter=delimiter)
    titles: list[str] = []
    try:
        for cells in reader:
            if not titles:
                titles = [_title(c) for c in cells]
            elif reader.line_num <= MAX_ROWS:
                yield _row(reader.line_num, dict(zip(titles, cells, strict=False)))
    except csv.Error as problem:
        raise Unreadable(f"not valid CSV: {problem}", f"不是合法的 CSV：{problem}") from None


def _title(cell: str) -> str:
    """W&B exports name a column "RUN - METRIC", and add its __MIN and __MAX."""
    title = cell.strip()
    return title.rpartition(" - ")[2] if " - " in title else title


def _row(line: int, record: Mapping[str, Any]) -> Row:
    values: dict[str, float] = {}
    step = rank = None
    experts = False
    if type(inner := record.get("data")) is dict:  # verl's file logger: {"step": 1, "data": {…}}
        record = {**record, **inner}
    for name, raw in _flat(record):
        known = _meaning(name)
        if known is None or (number := _number(raw)) is None:
            continue
        metric, factor = known
        if metric == "step":
            step = int(number) if abs(number) < 1e15 else step
        elif metric == "rank":
            rank = int(number) if number == number // 1 else None
        elif metric == "expert":
            experts = True
        elif metric not in values and not (name == "train_loss" and "train_runtime" in record):
            values[metric] = number * factor
    if experts:
        values.update(_experts(record))
    if "memory" in values and values["memory"] < 1e6 and not _sized(record):
        values["memory"] *= 2.0**30
    return Row(line, step, values, rank)


@lru_cache(maxsize=4096)
def _meaning(name: str) -> tuple[str, float] | None:
    """What a column is: a canonical metric and its factor, "rank", or the load of an "expert"."""
    lower = name.lower()
    if lower in ("rank", "global_rank"):
        return "rank", 1.0
    return canonical(name) or (("expert", 1.0) if _EXPERT.search(lower) else None)


def _experts(record: Mapping[str, Any]) -> dict[str, float]:
    """The busiest expert over the mean, and the idlest, where the load of each one is logged."""
    loads = []
    for name, raw in _flat(record):
        if (_meaning(name) or ("",))[0] == "expert":
            number = _number(raw)
            if number is not None and number >= 0:
                loads.append(number)
    mean = sum(loads) / len(loads) if loads else 0.0
    if len(loads) < MIN_EXPERTS or mean <= 0:
        return {}
    return {"expert_ratio": max(loads) / mean, "expert_least": min(loads) / mean}


def _sized(record: Mapping[str, Any]) -> bool:
    """Whether the name of the memory metric states its unit."""
    names = [name.lower() for name, _ in _flat(record) if (canonical(name) or ("",))[0] == "memory"]
    return any(re.search(r"(?:gi?b|mi?b|bytes)\W*$", name) for name in names)


def _flat(record: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for key, value in record.items():
        name = f"{prefix}{key}"
        if type(value) is dict and prefix.count("/") < 4:
            yield from _flat(value, f"{name}/")
        else:
            yield name, value


def _number(raw: Any) -> float | None:
    if type(raw) is float:
        return raw
    if isinstance(raw, bool) or raw is None:
        return None
    if isinstance(raw, (int, float)):
        try:
            return float(raw)
        except OverflowError:
            return float("inf")
    if isinstance(raw, str) and raw.strip():
        try:
            return float(raw.replace(",", ""))
        except ValueError:
            return None
    return None
