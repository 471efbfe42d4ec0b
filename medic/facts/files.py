"""Files of a case and where things were seen in them."""

from __future__ import annotations

from typing import Literal

from medic.records import dataclass

FileKind = Literal[
    "log",
    "metrics",
    "config",
    "model-config",
    "script",
    "python",
    "checkpoint",
    "gpu-report",
    "gpu-series",
    "flight-recorder",
    "stacks",
    "host-report",
    "note",
    "data",
    "benchmark",
]


@dataclass(frozen=True)
class Source:
    """Where something was seen. ``line`` is 1-based, 0 if the file has no lines.

    ``telling``: first and last character of ``text`` that tell it, (0, 0) where that is unknown.
    """

    file: str = ""
    line: int = 0
    rank: int | None = None
    time: float | None = None
    text: str = ""
    telling: tuple[int, int] = (0, 0)

    def excerpt(self, width: int) -> str:
        """Its text on one line of ``width`` columns, in which what tells it is seen."""
        from medic.text.safetext import excerpt

        text = self.text.lstrip()
        gone = len(self.text) - len(text)
        start, end = (max(n - gone, 0) for n in self.telling)
        return excerpt(text.rstrip(), start, end, width)

    def where(self) -> str:
        file = self.file.replace("\n", "\u23ce")  # a name is never two lines of a report
        return f"{file}:{self.line}" if self.line else file


@dataclass(frozen=True)
class GivenFile:
    """One file of the case; ``name`` is how the user sees it, ``path`` where it lies.

    ``named``: the user gave this very file, it was not found in a folder. ``by``: the script of the
    folder that names it, of one that lies outside.
    """

    path: str
    name: str
    kind: FileKind
    size: int = 0
    modified: float = 0.0
    rank: int | None = None
    named: bool = False
    by: str = ""
