"""Lines that name the columns of bare numbers below them: CSV in a log, tables of rich or tabulate."""

from __future__ import annotations

from collections.abc import Sequence

from medic.text.patterns import regex

from .row_fields import Field
from .row_names import EPOCHS, STEPS, role_of

MOST = 24  # cells
_SIGNS = ("loss", "step", "iter", "epoch", "train", "val", "ppl", "nll")
_SEPARATORS = (
    regex(r"\s*,\s*"),
    regex(r"\s*[|\u2502\u2503\u2551]\s*"),
    regex(r"\t|\s{2,}"),
    regex(r"\s+"),
)
_BARE = regex(r"[\s,|:;]*$")


class Headers:
    """Takes the lines of a file that hold no row."""

    def __init__(self) -> None:
        self._cells: dict[int, list[str]] = {}  # by their number, the last ones

    def feed(self, words: str) -> None:
        lowered = words.lower()
        if len(words) > 400 or not any(map(lowered.__contains__, _SIGNS)):
            return
        for separator in _SEPARATORS:
            cells = [
                c.strip(" *\"'") for c in separator.split(words.strip(" \t|\u2502\u2503\u2551#"))
            ]
            if 3 <= len(cells) <= MOST and sum(map(_is_known, cells)) >= 2:
                self._cells[len(cells)] = [_plain(c) for c in cells]
                return

    def names(self, skeleton: Sequence[str], fields: Sequence[Field]) -> list[str] | None:
        """The names of a row that has none of its own."""
        if not all(map(_BARE.match, skeleton)):
            return None
        return self._cells.get(len(fields))


def _plain(cell: str) -> str:
    return "_".join(cell.lower().replace("/", " ").replace("-", " ").replace("_", " ").split())


def _is_known(cell: str) -> bool:
    name = _plain(cell)
    return name in STEPS or name in EPOCHS or role_of(name, "") is not None
