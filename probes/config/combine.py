"""The statements of a launch as one value a field, with every place that carries it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from medic.records import replace
from medic.run_config import FIELDS, OVERRIDDEN, Origin, Scalar, Value

from .carriers import Stated

# The launcher decides how many processes there are; for the rest it only repeats.
_LAUNCHERS_OWN = frozenset(("nodes", "gpus_per_node", "world_size", "master_port"))
_ROLES = {"trainer": 1, "engine": 2, "launcher": 3, "model": 4}


def _rank(stated: Stated, field: str) -> tuple[int, bool]:
    role = 0 if field in _LAUNCHERS_OWN and stated.role == "launcher" else _ROLES[stated.role]
    return role, stated.document is not None  # flags rule over the file of the same role


def combine(sources: Sequence[Stated], given: Mapping[str, Scalar]) -> dict[str, Value]:
    """Values by field. A value given by hand rules; then flags, the training's file, its engine,
    its launcher, its model. Contradictions stay among the carriers.
    """
    values: dict[str, Value] = {}
    for field in FIELDS:
        stating = [s for s in sources if field in s.values]
        if stating:
            values[field] = _one(field, sorted(stating, key=lambda s: _rank(s, field)))
    for field, value in given.items():
        if field in FIELDS:
            before = values.get(field)
            origin = Origin("given", key=field, note=f"--set {field}={value}")
            values[field] = Value(value, origin, tuple(_overridden(before)) if before else ())
    return values


def _one(field: str, stating: Sequence[Stated]) -> Value:
    first, *others = stating
    ruling = first.values[field]
    also = list(ruling.also)
    for other in others:
        if other.role == "model":
            continue  # a model's own file never contradicts the training that overrides it
        value = other.values[field]
        if other.role == first.role and first.document is None:
            also += _overridden(value)
        else:
            also += [(value.value, value.origin), *value.also]
    return Value(ruling.value, ruling.origin, tuple(also))


def _overridden(value: Value) -> Iterable[tuple[Scalar, Origin]]:
    for written, origin in ((value.value, value.origin), *value.also):
        yield written, replace(origin, note=OVERRIDDEN)
