"""Pairs of answers beside the right one: which of the two it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import DataFile
from medic.probe import Finding

from .kinds import kind_words
from .noted import MIN_RECORDS, noted, place, share, source

SWAPPED, CHECK = "rejected-is-right", "preference-pairs"
_KINDS = ("rejected-is-reference", "rejected-scores-higher")
MOST = 0.5  # of the pairs: noise of the labels alone turns fewer round


def pairs(facts: Sequence[DataFile]) -> Iterator[Finding]:
    """Files of preferences whose records hold the right answer, too (gold, reference, …),
    or a score of each."""
    found = noted(facts, _KINDS)
    records = sum(fact.records for fact in facts)
    if not found:
        return
    fact, note = max(found, key=lambda f: f[1].count)
    count = sum(n.count for _, n in found)
    value = {
        "count": f"{count:,}",
        "records": f"{records:,}",
        "share": share(count, records),
        "file": fact.file,
        "place": place(note),
        "why": kind_words(note.kind),
    }
    if records < MIN_RECORDS or count < MOST * records:
        yield Finding(CHECK, "in-order", value, source(fact, note))
        return
    yield Finding(SWAPPED, value=value, source=source(fact, note))
    yield Finding(CHECK, "swapped", value, source(fact, note))
