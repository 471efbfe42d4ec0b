"""Parquet and Arrow files (HF datasets on disk), through pyarrow if it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from medic.errors import Unreadable
from medic.i18n import Text

from . import apart
from .items import Item, Opened
from .windows import head_only

ROWS = 20_000  # of the head of a file
AROUND = 2_000  # of each later group
BATCH = 512
CELL = 64 * 1024 * 1024  # bytes of one batch
MAGIC = b"PAR1"
_NO_START = Text("no PAR1 at the start of {size} bytes", "共 {size} 字节，开头不是 PAR1")
_NO_END = Text("no PAR1 at the end of {size} bytes", "共 {size} 字节，末尾不是 PAR1")
_TOO_LARGE = Text("{size} bytes in {rows} rows: not looked at", "{rows} 行共 {size} 字节：未查看")
_NEEDED = (
    "pyarrow is not installed: pip install 'llm-medic[data]'",
    "未安装 pyarrow：pip install 'llm-medic[data]'",
)


def of_parquet(file: BinaryIO, size: int, path: str) -> Opened:
    """Raises Unreadable without pyarrow. A file without its footer gives one broken item."""
    file.seek(0)
    head = file.read(4)
    file.seek(max(0, size - 4))
    tail = file.read(4)
    if size < 12 or tail != MAGIC or head != MAGIC:
        words = (_NO_START if head != MAGIC else _NO_END).fill(size=f"{size:,}")
        return Opened("parquet", iter([Item("footer", fault="cut-off", text=words)]))
    return _apart("parquet", path)


def of_arrow(path: str) -> Opened:
    """An Arrow stream (what datasets writes) or an Arrow file. Raises Unreadable."""
    return _apart("arrow", path)


def _apart(kind: str, path: str) -> Opened:
    from importlib.util import find_spec

    if find_spec("pyarrow") is None:
        raise Unreadable(*_NEEDED)
    opened = Opened(kind, iter(()))
    opened.items = apart.rows(kind, path, opened)
    return opened


# --- in a process of its own --------------------------------------------------------------------


def rows_of_parquet(file: BinaryIO, opened: Opened) -> Iterator[Item]:
    """Rows of the first group, and some of the middle and the last group."""
    from pyarrow import parquet

    try:
        table = parquet.ParquetFile(file)
        groups = list(range(table.num_row_groups))
        total = table.metadata.num_rows
        starts = _starts(table, groups)
    except Exception as problem:  # noqa: BLE001 - pyarrow has no common class of errors
        yield Item("footer", fault="cut-off", text=_told(problem))
        return
    read = 0
    picked = dict.fromkeys([0, *([len(groups) // 2, len(groups) - 1] if groups else [])])
    if total <= ROWS:
        picked = dict.fromkeys(groups)
    for group in picked if groups else ():
        most = ROWS if group == 0 or total <= ROWS else AROUND
        try:
            for row in _group(table, group, most):
                read += 1
                yield Item(f"row {starts[group] + row[0] + 1:,}", row[1])
        except Exception as problem:  # noqa: BLE001
            yield Item(f"row group {group + 1}", fault="broken-line", text=_told(problem))
    opened.whole = read >= total
    words = Text("{n} of {all} rows", "{all} 行中的 {n} 行")
    opened.sampled = None if opened.whole else words.fill(n=f"{read:,}", all=f"{total:,}")


def _told(problem: Exception) -> str | Text:
    """Own words in both languages, those of pyarrow as they are."""
    if isinstance(problem, Unreadable):
        return Text(problem.en, problem.zh)
    return str(problem)[:200]


def _starts(table: Any, groups: list[int]) -> list[int]:
    found, at = [], 0
    for group in groups:
        found.append(at)
        at += table.metadata.row_group(group).num_rows
    return found


def _group(table: Any, group: int, most: int) -> Iterator[tuple[int, dict[str, Any]]]:
    at = 0
    for batch in table.iter_batches(batch_size=BATCH, row_groups=[group]):
        if batch.nbytes > CELL:
            words = _TOO_LARGE.fill(size=f"{batch.nbytes:,}", rows=BATCH)
            raise Unreadable(words.en, words.zh)
        batch.validate(full=True)
        for row in batch.to_pylist():
            if at >= most:
                return
            yield at, row
            at += 1


def rows_of_arrow(file: BinaryIO, opened: Opened) -> Iterator[Item]:
    """Rows of the head of an Arrow stream or file."""
    from pyarrow import ipc

    at = 0
    try:
        file.seek(0)
        footed = file.read(6) == b"ARROW1"
        file.seek(0)
        reader = ipc.open_file(file) if footed else ipc.open_stream(file)
        batches = map(reader.get_batch, range(reader.num_record_batches)) if footed else reader
        for batch in batches:
            if at >= ROWS or batch.nbytes > CELL:
                opened.whole = False
                opened.sampled = head_only(f"{at:,}")
                return
            batch.validate(full=True)
            for row in batch.to_pylist():
                at += 1
                yield Item(f"row {at:,}", row)
    except Exception as problem:  # noqa: BLE001 - pyarrow has no common class of errors
        yield Item(f"row {at + 1:,}", fault="cut-off", text=_told(problem))
