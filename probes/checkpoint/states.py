"""Which part of a saved object is the model, and which other states lie beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from medic.facts import TensorInfo
from medic.records import dataclass
from medic.text.patterns import regex

from . import ranks
from .values import Opaque, Tensor

# Names under which trainers keep the weights, the likeliest first.
GROUPS = (
    "model", "state_dict", "model_state_dict", "module", "model_state", "net", "network", "weights",
    "model0", "params", "student", "generator", "app", "state",
)  # fmt: skip
MAX_DEPTH = 8
MAX_TENSORS = 2_000_000
_OTHER = regex(r"optim|sched|rng|random|scaler|ema|loss_scale|hyper|teacher", re.IGNORECASE)
_STATES = {
    "optimizer": regex(r"optim(?!.*sched)|^opt(?:_states?)?$", re.IGNORECASE),
    "scheduler": regex(r"sched", re.IGNORECASE),
    "rng": regex(r"rng|random_state|(?<!model_)generator_state", re.IGNORECASE),
    "step": regex(
        r"^(?:global_|train_|current_|total_|num_)?(?:step|iter|epoch)s?(?:_num|_count|ation)?$|^iteration$|"
        r"^iter_num$|^(?:trainer|train|training|progress)_state$|^loops$",
        re.IGNORECASE,
    ),
}
_STEP_NAMES = (
    "global_step", "step", "global_steps", "iteration", "iter_num", "iter", "train_step",
    "current_step", "steps", "train_steps", "num_steps",
)  # fmt: skip


@dataclass(frozen=True)
class Parts:
    """The model's tensors by dotted name, the path to them, and what else the object holds."""

    group: str
    tensors: Mapping[str, TensorInfo]
    top_level: tuple[str, ...]
    states: Mapping[str, bool]
    step: int | None
    hollow: bool = False  # the shapes are told, the data lie elsewhere
    model_ranks: int = 1
    data_ranks: int = 0


def split(root: Any) -> Parts:
    """The parts of a saved object; no tensors if none of it looks like a model's state."""
    top = _mapping(root)
    path, found = model_tensors(root)
    others = _beside(top, path)
    shapes, hollow = ranks.filled(root, found)
    tensors = {name: TensorInfo(name, shapes[name], t.dtype) for name, t in found.items()}
    names = tuple(k for k in others if isinstance(k, str))[:100]
    return Parts(
        ".".join(path), tensors, names, _states(others), _step(others),
        hollow, ranks.parallel_size(root), ranks.data_ranks(root),
    )  # fmt: skip


def model_tensors(root: Any) -> tuple[tuple[str, ...], dict[str, Tensor]]:
    """(path to the model's state, its tensors by dotted name)."""
    path, node = _model_of(_mapping(root), 0)
    if not path:
        node = {k: v for k, v in node.items() if isinstance(v, Tensor) or not _is_other(k)}
    tensors: dict[str, Tensor] = {}
    for name, tensor in _flatten(node, "", 0, set()):
        if len(tensors) >= MAX_TENSORS:
            break
        tensors.setdefault(name, tensor)
    return path, tensors


def _beside(top: Mapping[Any, Any], path: tuple[str, ...]) -> dict[Any, Any]:
    """What lies beside the model: every entry on the way to it, or what is no tensor."""
    if not path:
        return {k: v for k, v in top.items() if not isinstance(v, Tensor)}
    found: dict[Any, Any] = {}
    level = top
    for name in path:
        found = {**level, **found}
        level = _mapping(level.get(name))
    return found


def _is_other(key: Any) -> bool:
    return isinstance(key, str) and _OTHER.search(key) is not None


def _mapping(value: Any) -> Mapping[Any, Any]:
    if isinstance(value, Opaque):
        state = value.state if isinstance(value.state, dict) else {}
        return {**state, **value.items}
    return value if isinstance(value, dict) else {}


def _model_of(node: Mapping[Any, Any], depth: int) -> tuple[tuple[str, ...], Mapping[Any, Any]]:
    """(path, mapping) of the model's state below ``node``."""
    if depth >= MAX_DEPTH:
        return (), node
    for name in GROUPS:
        child = _mapping(node.get(name))
        if child and _has_tensor(child):
            path, found = _model_of(child, depth + 1)
            return (name, *path), found
    if depth or _direct(node):
        return (), node
    counted = [
        (sum(1 for _ in _flatten(_mapping(v), "", 0, set())), str(k))
        for k, v in node.items()
        if isinstance(k, str) and not _is_other(k) and _mapping(v)
    ]
    count, name = max(counted, default=(0, ""), key=lambda c: c[0])
    if not count:
        return (), {}
    path, found = _model_of(_mapping(node[name]), depth + 1)
    return (name, *path), found


def _direct(node: Mapping[Any, Any]) -> bool:
    """Whether tensors lie in ``node`` itself under names that are not another state's."""
    return any(
        isinstance(v, Tensor) and isinstance(k, str) and ("." in k or not _is_other(k))
        for k, v in node.items()
    )


def _has_tensor(node: Mapping[Any, Any]) -> bool:
    return next(_flatten(node, "", 0, set()), None) is not None


def _flatten(
    node: Mapping[Any, Any], prefix: str, depth: int, seen: set[int]
) -> Iterator[tuple[str, Tensor]]:
    """(dotted name, tensor) below ``node``; a part that is shared or cyclic is entered once."""
    for key, value in node.items():
        if not isinstance(key, str):
            continue
        if isinstance(value, Tensor):
            yield prefix + key, value
        elif depth < MAX_DEPTH and isinstance(value, (dict, Opaque)) and id(value) not in seen:
            seen.add(id(value))
            yield from _flatten(_mapping(value), f"{prefix}{key}.", depth + 1, seen)


def _states(top: Mapping[Any, Any]) -> dict[str, bool]:
    """Which states are there: a name that holds None or nothing does not count."""
    found = {}
    for state, pattern in _STATES.items():
        keys = [k for k in top if isinstance(k, str) and pattern.search(k)]
        found[state] = any(_holds(top[k]) for k in keys)
    return found


def _holds(value: Any) -> bool:
    if isinstance(value, (dict, list, tuple)):
        return bool(value)
    return value is not None and value is not False


def _step(top: Mapping[Any, Any]) -> int | None:
    for source in (top, *(_mapping(top.get(n)) for n in ("trainer_state", "train_state", "state"))):
        for name in _STEP_NAMES:
            value = source.get(name)
            if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
                return value
    return None
