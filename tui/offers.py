"""The remedies on offer, and what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.i18n import Text
from medic.records import dataclass

from . import words

if TYPE_CHECKING:
    from medic.fixes import Fix


@dataclass(frozen=True)
class Offer:
    """A remedy of a suspected cause with the number that /patch takes.

    ``against`` names the cause where it is not the one that leads: such a remedy is only taken
    by its number.
    """

    number: int
    cause: str
    title: Text
    fix: Fix
    against: Text | None = None

    @property
    def full_title(self) -> Text:
        """The title, with the cause where that is not the leading one."""
        if self.against is None:
            return self.title
        return words.OF_CAUSE.fill(title=self.title, cause=self.against)
