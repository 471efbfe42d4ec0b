"""Which part of a changed line is other than before: a flag in a long command is seen at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.text.safetext import clean

ALIKE = 0.4  # of the longer line must be the same; else it is another line, not a changed one


def changed_parts(rows: Sequence[str]) -> dict[int, tuple[int, int]]:
    """Row of a unified diff -> (first, end) character that its partner does not have."""
    spans = [
        pair
        for old, new in _partners(rows)
        for pair in zip((old, new), _apart(clean(rows[old]), clean(rows[new])), strict=True)
    ]
    return {row: span for row, span in spans if span[0] < span[1]}


def _partners(rows: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Rows that were taken out and as many that came in their place, one by one."""
    i = 0
    while i < len(rows):
        out = _run(rows, i, "-")
        put = _run(rows, i + out, "+")
        if out and out == put:
            yield from ((i + n, i + out + n) for n in range(out))
        i += max(1, out + put)


def _run(rows: Sequence[str], start: int, sign: str) -> int:
    n = 0
    while start + n < len(rows) and rows[start + n].startswith(sign):
        if rows[start + n].startswith(sign * 3):
            return 0
        n += 1
    return n


def _apart(old: str, new: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """What of two lines lies between their common beginning and end, behind the signs."""
    one, two = old[1:], new[1:]
    head = _same(one, two)
    tail = _same(one[head:][::-1], two[head:][::-1])
    if head + tail < ALIKE * max(len(one), len(two)):
        return (0, 0), (0, 0)
    return (1 + head, len(old) - tail), (1 + head, len(new) - tail)


def _same(one: str, two: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = enumerate(zip(one, two, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(two)))
