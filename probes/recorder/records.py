"""Reads the flight recorder's dumps of a case, the latest of each rank."""

from __future__ import annotations

import time
from collections.abc import Iterator

from medic.errors import Unreadable
from medic.facts import FlightRecords, GivenFile, RankRecord
from medic.i18n import Text
from medic.probe import Look, Probe, Skip, Unread

from ..checkpoint.source import open_file
from . import waiting
from .dump import record_of
from .plain import read_plain

MAX_DUMPS = 4_096
# A dump of 2,000 calls takes some 0.2 s.
MAX_SECONDS = 45.0
_NEEDS = Text("a dump of PyTorch's flight recorder", "PyTorch flight recorder 转储")


def run(look: Look) -> Iterator[FlightRecords | Skip | Unread]:
    files = look.files("flight-recorder")
    if not files:
        yield Skip(_NEEDS)
        return
    records: dict[int, RankRecord] = {}
    # The newest of a rank; of the same age, the pickle, which has the frames.
    ordered = sorted(files, key=lambda f: (-f.modified, f.name.endswith(".json"), f.name))
    end = time.monotonic() + MAX_SECONDS
    for number, given in enumerate(ordered):
        if look.cancelled():
            return
        if number >= MAX_DUMPS or time.monotonic() > end:
            yield Unread(given.name, Text("more dumps than are read", "转储数量超出读取上限"))
        elif given.rank is None:
            yield Unread(given.name, Text("its name tells no rank", "文件名中没有 rank 编号"))
        elif given.rank not in records or not records[given.rank].calls:
            try:
                records[given.rank] = _read(look, given, given.rank)
            except Unreadable as problem:
                yield Unread(given.name, Text(problem.en, problem.zh))
    if records:
        found = tuple(records[rank] for rank in sorted(records))
        yield FlightRecords(found, waiting.verdict(found))


def _read(look: Look, given: GivenFile, rank: int) -> RankRecord:
    with open_file(look, given.path) as file:
        return record_of(read_plain(file, look.cancelled), rank, given.name, given.modified)


PROBE = Probe(
    name="flight-recorder",
    title=Text("flight recorder dumps", "flight recorder 转储"),
    tells=(),
    run=run,
    gives=(FlightRecords,),
    files=("flight-recorder",),
    without=(Skip(_NEEDS),),
    seconds=0.2,
    limit_seconds=60.0,
)
