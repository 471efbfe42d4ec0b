"""The remedies on offer, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from medic.i18n import Text

if TYPE_CHECKING:
    from medic.fixes import Fix


@dataclass(frozen=True)
class Offer:
    """A remedy of a suspected cause with the number that /patch takes."""

    number: int
    cause: str
    title: Text
    fix: Fix
