"""The first look at the blocks of a log: which signatures each of them holds."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice
from threading import Thread
from typing import Any

from medic.match.clean import ESCAPES
from medic.match.reader import Block
from medic.records import replace

WORKERS = 4
BATCH = 16  # blocks for each worker
Match = Callable[[bytes], Any]  # numbers of the patterns that bytes hold, or nothing


def sweep(match: Match, read: Iterator[Block]) -> Iterator[tuple[Block, bytes, Sequence[int]]]:
    """Each block, as it is matched, with the numbers of the patterns that it holds.

    RE2 works without the interpreter's lock: the blocks of a batch are shared among threads.
    """
    workers = _workers()
    bare = map(_bare, read)
    while batch := list(islice(bare, BATCH * workers)):
        views = [_view(block.data) for block in batch]
        found: list[Sequence[int] | None] = [None] * len(batch)
        shares = [slice(n, None, workers) for n in range(min(workers, len(batch)))]
        crew = [Thread(target=_behind, args=(match, views, found, own)) for own in shares[1:]]
        for one in crew:
            one.start()
        _look(match, views, found, shares[0])
        for one in crew:
            one.join()
        for block, view, numbers in zip(batch, views, found, strict=True):
            # What a thread that failed has left is looked at here, where it is told.
            yield block, view, match(view) or () if numbers is None else numbers


@cache
def _workers() -> int:
    """Threads that share a batch; to count the processors takes as long as to read a small file."""
    return min(WORKERS, os.cpu_count() or 1)


def _look(
    match: Match, views: Sequence[bytes], found: list[Sequence[int] | None], own: slice
) -> None:
    found[own] = [match(view) or () for view in views[own]]


def _behind(
    match: Match, views: Sequence[bytes], found: list[Sequence[int] | None], own: slice
) -> None:
    """The same in a thread, where nobody would see what it raises."""
    with suppress(Exception):
        _look(match, views, found, own)


def _bare(block: Block) -> Block:
    """Without the escapes that colour a terminal."""
    if b"\x1b" not in block.data:
        return block
    return replace(block, data=b"".join(ESCAPES.split(block.data)))  # a third faster than sub


def _view(data: bytes) -> bytes:
    """A block as it is matched: carriage returns part lines, as on a terminal.

    It is as long as the block, whose newlines are the ones that are counted.
    """
    return data.replace(b"\r", b"\n") if b"\r" in data else data
