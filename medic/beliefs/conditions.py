"""What conditions the graph: which causes apply to a case, and how common each is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from medic.entries.levels import HIGHER, LOWER, PRIOR
from medic.records import dataclass, field

if TYPE_CHECKING:
    from medic.entries import Cause, Conditions
    from medic.index.ties import CauseTies


@dataclass(frozen=True)
class Context:
    """Context facts known of the case, e.g. {"nodes": 2, "phase": "steady"}."""

    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def scale(self) -> str | None:
        nodes = self.facts.get("nodes")
        if nodes is None:
            return None
        return "cluster" if nodes > 1 else "single-node"


def applies(cause: Cause, context: Context) -> bool:
    """Whether the known facts allow the cause; what is unknown never excludes."""
    return allows(cause.applies_when, context) and affected(cause, context) is not False


def allows(conditions: Conditions, context: Context) -> bool:
    """Whether no known fact differs from what is wanted of it."""
    known = ((context.facts.get(name), wanted) for name, wanted in conditions.items())
    return all(value is None or _fits(value, wanted) for value, wanted in known)


def affected(cause: Cause, context: Context) -> bool | None:
    """Whether the case's packages are of the versions that have this fault."""
    from medic.versions import affected

    known = context.facts.get("versions")
    return affected(cause.versions, known) if cause.versions and known else None


def prior_level(cause: CauseTies, context: Context, *, affected: bool | None) -> str:
    """The word for how common it is: by scale, one higher for a version that has the fault, one
    lower outside its phases."""
    scale = context.scale
    if scale is None:
        level = max(cause.prior.values(), key=lambda word: PRIOR[word])
    else:
        level = cause.prior.get(scale) or next(iter(cause.prior.values()))
    if affected:
        level = HIGHER[level]
    phase = context.facts.get("phase")
    if phase is not None and cause.phases and phase not in cause.phases:
        return LOWER[level]
    return level


def _fits(known: Any, wanted: Any) -> bool:
    from medic.entries import Range

    if isinstance(wanted, Range):
        low = wanted.min is None or known >= wanted.min
        return bool(low and (wanted.max is None or known <= wanted.max))
    if isinstance(wanted, tuple):
        return known in wanted
    return bool(known == wanted)
