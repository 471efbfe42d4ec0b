"""Remedies in the order of what they cost this run: those of the plan that makes its step fit, first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from medic.entries import Remedy

if TYPE_CHECKING:
    from medic.oom import Account

# What the account of the memory and the knowledge call otherwise.
_CALLED = {"use-fused-attention": "fuse-attention-and-loss", "fuse-loss": "fuse-attention-and-loss"}


def cheapest_first(remedies: Sequence[Remedy], account: Account | None) -> list[Remedy]:
    """As ``medic memory`` plans them, cheapest first; the others behind, as they were. Where no plan
    is known to be enough, nothing changes."""
    advice = account.advice if account is not None else None
    if advice is None or not advice.fits:
        return list(remedies)
    plan = [_CALLED.get(one.name, one.name) for one in advice.plan]
    if not {one.name for one in remedies} & set(plan):
        return list(remedies)
    return sorted(remedies, key=lambda one: plan.index(one.name) if one.name in plan else len(plan))
