"""How many letters two names are apart, and which accepted value a wrong one stands for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from medic.i18n import Text
from medic.text.slips import one_apart

MAX_NAME = 80
NEAREST = Text("the nearest of the accepted values", "可选值中最接近的一个")
# Below these lengths a word so near to an accepted one may well be another.
_ONE_LETTER, _TWO_LETTERS = 4, 8


def letters_apart(one: str, other: str, limit: int = 2) -> int | None:
    """Letters to insert, drop, change or swap with the next one (optimal string alignment).

    None beyond ``limit``. Damerau 1964: most misspellings are one of these four.
    """
    if abs(len(one) - len(other)) > limit or max(len(one), len(other)) > MAX_NAME:
        return None
    if limit == 1:
        return one_apart(one, other)
    if len({*one} ^ {*other}) > 2 * limit:  # a change takes one letter from these, and adds one
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


def only_nearest(
    name: str,
    others: Iterable[str],
    one: int,
    two: int,
    alike: Callable[[str, str], bool] = lambda _, __: True,
) -> str | None:
    """The one that is the fewest letters away, but not none; None where several are.

    One letter may differ where the shorter name has ``one`` letters, two where it has ``two``.
    """
    found: dict[int, list[str]] = {}
    for other in others:
        short = min(len(name), len(other))
        limit = 2 if short >= two else 1 if short >= one else 0
        apart = letters_apart(name, other, limit) if limit else None
        if apart and alike(name, other):
            found.setdefault(apart, []).append(other)
    best = found[min(found)] if found else []
    return best[0] if len(best) == 1 else None


def nearest_value(
    value: object, accepted: Sequence[str], meanings: Mapping[str, str]
) -> str | None:
    """The accepted word that a value is a name or a misspelling of; None where two are.

    ``meanings``: what words mean, in small letters; those of one meaning are names of one thing.
    """
    if not isinstance(value, str):
        return None
    named = [word for word in accepted if flat(word) == flat(value)]
    meant = meanings.get(value.lower())
    if meant is not None and not named:
        named = [word for word in accepted if meanings.get(word.lower()) == meant]
    if named:
        return named[0] if len(named) == 1 else None
    small = {word: word.lower() for word in accepted}
    meant = only_nearest(value.lower(), small.values(), _ONE_LETTER, _TWO_LETTERS)
    return next((word for word in accepted if small[word] == meant), None)


def flat(word: str) -> str:
    """A word without its case and what joins its parts."""
    return word.lower().replace("-", "").replace("_", "").replace(" ", "")
