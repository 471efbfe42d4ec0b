"""The batch of a resumed run against that of the run before it, by what the trainer printed of it.

Source of the line: transformers ``trainer.py`` ("Total train batch size (w. parallel, distributed &
accumulation) = N"), which Unsloth, LLaMA-Factory and ms-swift print, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from medic.errors import Unreadable
from medic.facts import Source
from medic.probe import Finding, Look
from medic.text.patterns import regex

CHECK = "resume-difference"
_MAX_LINES, _MAX_LOGS = 200_000, 8
_BATCH = regex(
    r"Total train batch size \(w\. parallel, distributed & accumulation\) = ([\d,]{1,12})"
)
_GOES_ON = "Continuing training from global step"


class Begun(NamedTuple):
    """A start: its batch in sequences, and whether it went on from a checkpoint."""

    batch: int
    source: Source
    resumed: bool


def judge(look: Look) -> Iterator[Finding]:
    """The last resumed start whose batch is another than that of the start before it."""
    found: list[Begun] = []
    for log in look.files("log")[:_MAX_LOGS]:
        with suppress(Unreadable):  # told by the probe that reads the log
            found += _starts(log.name, islice(look.lines(log.path), _MAX_LINES))
    for earlier, later in reversed([*_pairs(found)]):
        if later.batch != earlier.batch:
            value = {"changed": f"global_batch_size {earlier.batch} -> {later.batch}"}
            yield Finding(CHECK, "setup-changed", value, later.source, more=(earlier.source,))
            return


def _pairs(found: Sequence[Begun]) -> Iterator[tuple[Begun, Begun]]:
    """Each resumed start and what it went on from: the start above it in its log, or the only log
    that has none but a first start."""
    first = [s for s in found if not s.resumed]
    for n, one in enumerate(found):
        if one.resumed and n and found[n - 1].source.file == one.source.file:
            yield found[n - 1], one
        elif one.resumed and len(first) == 1 and first[0].source.file != one.source.file:
            yield first[0], one


def _starts(log: str, lines: Iterator[tuple[int, str]]) -> Iterator[Begun]:
    begun: Begun | None = None
    for number, text in lines:
        if found := _BATCH.search(text):
            if begun is not None:
                yield begun
            batch = int(found[1].replace(",", ""))
            begun = Begun(batch, Source(log, number, text=text.strip()), resumed=False)
        elif begun is not None and _GOES_ON in text:
            begun = begun._replace(resumed=True)
    if begun is not None:
        yield begun
