"""Fields that nobody writes down because they follow from others."""

from __future__ import annotations

import math
from collections.abc import Sequence

from medic.edits.keys import KeyTable
from medic.run_config import Change, RunConfig

# field = product of the first fields / product of the second, rounded down.
_RULES: Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]] = (
    (
        "gradient_accumulation_steps",
        ("global_batch_size",),
        ("micro_batch_size", "data_parallel_size"),
    ),
    (
        "micro_batch_size",
        ("global_batch_size",),
        ("gradient_accumulation_steps", "data_parallel_size"),
    ),
    (
        "global_batch_size",
        ("micro_batch_size", "gradient_accumulation_steps", "data_parallel_size"),
        (),
    ),
    ("global_batch_tokens", ("global_batch_size", "sequence_length"), ()),
    ("total_steps", ("total_tokens",), ("global_batch_tokens",)),
    ("total_tokens", ("total_steps", "global_batch_tokens"), ()),
    ("decay_steps", ("total_steps",), ()),
    ("world_size", ("nodes", "gpus_per_node"), ()),
)


def follows(change: Change, changes: Sequence[Change], config: RunConfig, table: KeyTable) -> bool:
    """Whether a derived field takes its new value by itself once the other changes are written.

    A field that is unknown as its parts do not fit is derived where no framework has a key for it.
    """
    origin = config.origin(change.field)
    named = any(table.names(framework, change.field) for framework in config.frameworks)
    if named if origin is None else origin.source != "derived":
        return False
    new = {c.field: c.new for c in changes if c.field != change.field}
    for field, numerator, denominator in _RULES:
        if field != change.field or not _stated(config, numerator):
            continue
        above = [_number(new.get(n, config.get(n))) for n in numerator]
        below = [_number(new.get(n, config.get(n))) for n in denominator]
        known = [n for n in (*above, *below) if n]
        if len(known) < len(above) + len(below):
            continue
        top = math.prod(known[: len(above)])
        if top // math.prod(known[len(above) :]) == change.new:
            return True
    return False


def _stated(config: RunConfig, names: Sequence[str]) -> bool:
    """At least one of them is written down, so that the field is not its own source."""
    return any(config.stated(name) for name in names)


def _number(value: object) -> float:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0
