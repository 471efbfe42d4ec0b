"""One data file as a DataFile: opened by its format, counted record by record."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, BinaryIO

from medic.errors import Unreadable
from medic.facts import DataFile, GivenFile
from medic.i18n import Text
from medic.probe import Look
from medic.records import dataclass
from medic.text.safetext import one_line

from . import items, records, tables, tars, tokens
from .files import format_of, missing_shards, split_of
from .items import Item, Opened
from .lengths import IDS, Counter, bin_of
from .tally import Tally
from .windows import head_only

ANY_SIZE = 1 << 60
HEAD = 4096
POINTER = b"version https://git-lfs.github.com/spec/"
CHECK_EVERY = 256
MAX_COLUMNS = 60
_SHORT = Text(
    "{size} of {all} bytes that its .idx names", "它的 .idx 记录了 {all} 字节，只有 {size} 字节"
)
_ZEROS = Text("{n} ids or more are 0", "连续 {n} 个以上的 id 为 0")
_UNEVEN = Text("{size} bytes, {n} an id", "共 {size} 字节，每个 id 占 {n} 字节")
_SOME = Text("head, middle, tail: {n} ids", "开头、中间、结尾：{n} 个 id")


@dataclass
class Read:
    """What one file gave. ``problem`` is why its own format is broken."""

    fact: DataFile
    tally: Tally
    given: GivenFile


@dataclass
class Reader:
    """Reads files one after the other until ``deadline`` (monotonic seconds)."""

    look: Look
    deadline: float
    limit: int | None = None
    watch: Callable[[records.Record, str, str], None] | None = None

    def read(self, given: GivenFile, counter: Counter) -> Read:
        """Raises Unreadable."""
        tally = Tally(counter, self.limit)
        with self.look.open(given.path, ANY_SIZE) as file:
            size = file.seek(0, 2)
            file.seek(0)
            head = file.read(HEAD)
            kind = format_of(given.name, head)
            if head.startswith(POINTER) or head.lstrip()[:9].lower() == b"<!doctype":
                return self._pointer(given, size, tally)
            if given.path.endswith("state.json"):
                return self._state(given, size, tally)
            if kind == "megatron":
                return self._megatron(given, file, size, tally)
            if kind == "token-ids":
                return self._bare(given, file, size, tally)
            opened = self._opened(kind, file, size, given.path)
            late = self._count(opened, tally, given)
        if kind == "arrow":
            self._shards(given, tally)
        _require_records(tally)
        fact = _fact(given, opened, tally, size, late)
        return Read(fact, tally, given)

    def _opened(self, kind: str, file: BinaryIO, size: int, path: str) -> Opened:
        if kind in ("json-lines", "json-lines-gz"):
            return items.of_lines(file, size, kind.endswith("gz"))
        if kind in ("csv", "tsv"):
            return items.of_csv(file, size, "," if kind == "csv" else "\t")
        if kind == "json":
            return items.of_array(file, size)
        if kind == "parquet":
            return tables.of_parquet(file, size, path)
        if kind == "arrow":
            return tables.of_arrow(path)
        return tars.of_tar(file, size) if kind == "tar" else items.of_text(file, size)

    def _count(self, opened: Opened, tally: Tally, given: GivenFile) -> bool:
        """Whether the time ran out."""
        for number, item in enumerate(opened.items):
            if item.fault:
                tally.note(item.fault, item.place, item.text, item.line)
            else:
                self._one(item, tally, given)
            if number % CHECK_EVERY == 0 and (
                time.monotonic() > self.deadline or self.look.cancelled()
            ):
                return True
        return False

    def _one(self, item: Item, tally: Tally, given: GivenFile) -> None:
        if not isinstance(item.value, dict):
            tally.note("no-object", item.place, str(item.value)[:60], item.line)
            return
        tally.columns(item.value, item.place, item.line)
        record = records.read(item.value)
        tally.add(record, item.place, item.line)
        if self.watch is not None:
            self.watch(record, given.name, item.place)

    def _pointer(self, given: GivenFile, size: int, tally: Tally) -> Read:
        """What git-lfs or a failed download left in the place of the file."""
        tally.note("pointer", given.name.rpartition("/")[2])
        opened = Opened("text", iter(()))
        return Read(_fact(given, opened, tally, size, False), tally, given)

    def _state(self, given: GivenFile, size: int, tally: Tally) -> Read:
        """What ``save_to_disk`` says of shards of which none is there."""
        self._shards(given, tally)
        _require_records(tally)
        return Read(_fact(given, Opened("arrow", iter(())), tally, size, False), tally, given)

    def _shards(self, given: GivenFile, tally: Tally) -> None:
        for name in missing_shards(self.look, given.path):
            tally.note("missing-shard", one_line(name, 80))

    # --- token ids ----------------------------------------------------------------------------

    def _megatron(self, given: GivenFile, file: BinaryIO, size: int, tally: Tally) -> Read:
        index = tokens.read_index(file, size)
        name = given.path.removesuffix(".idx") + ".bin"
        if index.problem:
            tally.note("bad-index", given.name, index.problem)
        else:
            for length in index.lengths:
                tally.sizes.append(length)
                tally.bins[bin_of(length)] += 1
            tally.records = index.sequences
            self._ids_of(name, index, tally)
            zero = sum(length == 0 for length in index.lengths)
            if zero:
                first = index.lengths.index(0)
                tally.notes["empty"] = [zero, [f"sequence {first + 1:,}"], 0]
        _require_records(tally)
        tally.shapes["token-ids"] += 1
        opened = Opened("megatron", iter(()), index.whole)
        return Read(_fact(given, opened, tally, size, False, unit=IDS), tally, given)

    def _ids_of(self, path: str, index: tokens.Index, tally: Tally) -> None:
        try:
            with self.look.open(path, ANY_SIZE) as file:
                size = file.seek(0, 2)
                if size < index.wanted:
                    words = _SHORT.fill(size=f"{size:,}", all=f"{index.wanted:,}")
                    tally.note("bin-cut-off", path.rpartition("/")[2], words)
                if index.code:
                    _largest(file, size, index.code, index.width, tally)
        except Unreadable as problem:
            tally.note("bin-missing", path.rpartition("/")[2], Text(problem.en, problem.zh))

    def _bare(self, given: GivenFile, file: BinaryIO, size: int, tally: Tally) -> Read:
        code, width = tokens.bare_type(file, size)
        count = _largest(file, size, code, width, tally)
        if size % width:
            tally.note("bin-cut-off", given.name, _UNEVEN.fill(size=f"{size:,}", n=width))
        tally.records = size // width
        tally.shapes["token-ids"] += 1
        _require_records(tally)
        said = None if count >= tally.records else _SOME.fill(n=f"{count:,}")
        opened = Opened("token-ids", iter(()), said is None, said)
        kind = f"uint{8 * width}"
        unit = Text(f"token ids, read as {kind}", f"token id，按 {kind} 读取")
        return Read(_fact(given, opened, tally, size, False, unit=unit), tally, given)


def _require_records(tally: Tally) -> None:
    """A file that gave nothing, and nothing that is wrong with it, is empty."""
    if not tally.records and not tally.notes:
        tally.note("no-records", "line 1")


def _largest(file: BinaryIO, size: int, code: str, width: int, tally: Tally) -> int:
    """Ids that were looked at; the largest one and any below zero go into the tally."""
    count = 0
    for part in tokens.parts(file, size, code, width):
        count += part.count
        tally.ids(part.largest, f"token {part.largest_at + 1:,}")
        if part.run_at >= 0:
            words = _ZEROS.fill(n=f"{tokens.RUN:,}")
            tally.note("zero-run", f"token {part.run_at + 1:,}", words)
        if part.least < 0:
            tally.note("negative-id", f"token {part.least_at + 1:,}", str(part.least))
    return count


def _fact(
    given: GivenFile, opened: Opened, tally: Tally, size: int, late: bool, unit: Text | None = None
) -> DataFile:
    split: Any = split_of(given.name)
    columns = {
        one_line(str(n), 60): "/".join(sorted(kinds)) or "null" for n, kinds in tally.types.items()
    }
    said = opened.sampled or (head_only(f"{tally.records:,}") if late else None)
    is_ids = tally.shape == "token-ids"
    return DataFile(
        file=given.name,
        format=opened.format,
        split=split,
        size=size,
        records=tally.records,
        whole=opened.whole and not late,
        sampled=said,
        shape=tally.shape,
        columns=dict(list(columns.items())[:MAX_COLUMNS]),
        notes=tally.listed(),
        bins=tuple(_starts(tally)),
        lengths=tuple(tally.bins[: len(_starts(tally))]),
        unit=unit or (IDS if is_ids else tally.counter.unit),
        median=tally.median(),
        longest=max(tally.sizes, default=None),
        limit=tally.limit,
        beyond_limit=tally.beyond,
        no_answer_left=tally.no_answer_left,
        duplicates=tally.duplicates,
        labels={one_line(k, 40): n for k, n in tally.labels.most_common(12)},
        largest_id=tally.largest,
        id_place=tally.largest_at,
    )


def _starts(tally: Tally) -> tuple[int, ...]:
    """The bins up to the last one that holds something."""
    from .lengths import BINS

    last = max((n for n, count in enumerate(tally.bins) if count), default=-1)
    return BINS[: last + 1]
