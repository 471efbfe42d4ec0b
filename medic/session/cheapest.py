"""The order of a cause's remedies: what the evidence asks for, what it costs this run, what is in reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from medic.entries import Remedy

if TYPE_CHECKING:
    from medic.oom import Account
    from medic.session.consultation import Session

# What the account of the memory and the knowledge call otherwise.
_CALLED = {"use-fused-attention": "fuse-attention-and-loss", "fuse-loss": "fuse-attention-and-loss"}


def in_order(session: Session, cause: str) -> list[Remedy]:
    """The remedies of a cause: those that a finding of the session asks for first, those that are
    said to be out of reach last; of memory by what they cost."""
    from medic.told.unable import in_reach_first

    index = session.index
    remedies = [index.remedies[r] for r in index.causes[cause].remedies]
    shown = {(h.seen.name, h.seen.outcome) for h in session.found}
    remedies.sort(key=lambda one: shown.isdisjoint(one.leading()))
    if index.causes[cause].family == "memory":
        remedies = cheapest_first(remedies, session.memory)
    return in_reach_first(remedies, session.told.words, index)


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
