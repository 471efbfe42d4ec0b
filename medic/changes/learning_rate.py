"""Learning rates, multiplied as decimals: 3e-05 x 10 is 0.0003."""

from __future__ import annotations

from decimal import Decimal

from medic.changes.known import Computed, Known
from medic.i18n import Text


def _times(known: Known, field: str, factor: str) -> Computed:
    old = known.number(field)
    new = float(Decimal(repr(old)) * Decimal(factor))
    return Computed(new, Text(f"{old:.4g} x {factor}", f"{old:.4g} x {factor}"))


def half_learning_rate(known: Known, field: str) -> Computed:
    return _times(known, field, "0.5")


def tenfold_learning_rate(known: Known, field: str) -> Computed:
    return _times(known, field, "10")
