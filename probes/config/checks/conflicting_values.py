"""Two places of one launch that state different values."""

from __future__ import annotations

from collections.abc import Sequence

from medic.probe import Fires, LintResult, Passes
from medic.run_config import RunConfig

from ..carriers import same
from ..combine import OVERRIDDEN

NAME = "conflicting-values"
NEEDS: tuple[str, ...] = ()


def check(config: RunConfig) -> LintResult | Sequence[Fires]:
    """One result a field. A flag that overrides the file of its own program is no conflict."""
    found: list[Fires] = []
    for field in config:
        value = config.values[field]
        if not config.stated(field):
            continue
        for other, origin in value.also:
            if origin.note != OVERRIDDEN and not same(other, value.value):
                values = {
                    "field": field,
                    "value": value.value,
                    "other": other,
                    "other_where": origin.where(),
                }
                found.append(Fires(field, values))
                break
    return found or Passes()
