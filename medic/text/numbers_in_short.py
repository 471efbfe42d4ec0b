"""Numbers of layers, ranks or shards as people write them: 0, 4-7."""

from __future__ import annotations

from collections.abc import Iterable


def in_short(numbers: Iterable[int], least: int = 2) -> str:
    """ "0, 4-7" for 0, 4, 5, 6, 7; ``least``: how many neighbours become a span."""
    spans: list[list[int]] = []
    for n in sorted(set(numbers)):
        if spans and n == spans[-1][-1] + 1:
            spans[-1].append(n)
        else:
            spans.append([n])
    told = [[f"{s[0]}-{s[-1]}"] if len(s) >= least else map(str, s) for s in spans]
    return ", ".join(word for words in told for word in words)
