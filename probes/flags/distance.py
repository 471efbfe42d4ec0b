"""How many letters two names are apart."""

from __future__ import annotations

MAX_NAME = 80


def letters_apart(one: str, other: str, limit: int = 2) -> int | None:
    """Letters to insert, drop, change or swap with the next one (optimal string alignment).

    None beyond ``limit``. Damerau 1964: most misspellings are one of these four.
    """
    if abs(len(one) - len(other)) > limit or max(len(one), len(other)) > MAX_NAME:
        return None
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return None
    return row[-1] if row[-1] <= limit else None
