"""How many letters two names are apart, and which accepted value a wrong one stands for."""

from __future__ import annotations

from collections.abc import Sequence

MAX_NAME = 80
# One precision has several names; a framework takes one of them.
_PRECISIONS = (
    ("bf16", "bfloat16", "torch.bfloat16"),
    ("fp16", "float16", "half", "torch.float16"),
    ("fp32", "float32", "float", "torch.float32"),
)
# Below these lengths a word so near to an accepted one may well be another.
_ONE_LETTER, _TWO_LETTERS = 4, 8


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


def nearest_value(value: object, accepted: Sequence[str]) -> str | None:
    """The accepted word that a value is a name or a misspelling of; None where two are."""
    if not isinstance(value, str):
        return None
    alike = next((names for names in _PRECISIONS if value.lower() in names), ())
    named = [word for word in accepted if word.lower() in alike or _flat(word) == _flat(value)]
    if named:
        return named[0] if len(named) == 1 else None
    found: dict[int, list[str]] = {}
    for word in accepted:
        short = min(len(word), len(value))
        limit = 2 if short >= _TWO_LETTERS else 1 if short >= _ONE_LETTER else 0
        apart = letters_apart(value.lower(), word.lower(), limit) if limit else None
        if apart:
            found.setdefault(apart, []).append(word)
    best = found[min(found)] if found else []
    return best[0] if len(best) == 1 else None


def _flat(word: str) -> str:
    return word.lower().replace("-", "").replace("_", "").replace(" ", "")
