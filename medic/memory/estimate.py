"""The estimate: low, likely and high peak of a training step against a GPU's capacity."""

from __future__ import annotations

from collections.abc import Mapping

from medic.facts import MemoryEstimate
from medic.memory.overheads import CONTEXT, RESERVED
from medic.memory.peak import Step, size, step_of
from medic.memory.resident import Parts, states_of
from medic.memory.views import Read, read_setups
from medic.run_config import RunConfig

# A peak estimated above this share of the card is not called fitting.
FITS_BELOW = 0.95
_STATES = ("weights", "gradients", "optimizer")
_LASTING = ("weights", "optimizer", "context", "workspace", "buckets")


def estimate(run_config: RunConfig, capacity_bytes: int | None = None) -> MemoryEstimate:
    """Peak memory in bytes of one training step on the fullest GPU, of ``capacity_bytes``.

    For dense decoder models. ``fits`` is False only if the low bound is above the capacity and
    True only if the high bound is below 95% of it; in between it is None.
    """
    read = read_setups(run_config)
    if not read.setups:
        return MemoryEstimate(capacity=capacity_bytes, assumed=read.assumed, unknown=read.unknown)
    steps = [step for step in map(step_of, read.setups) if step is not None]
    if len(steps) < len(read.setups):
        return _states_only(read, capacity_bytes)
    return _whole(read, steps, capacity_bytes)


def _states_only(read: Read, capacity: int | None) -> MemoryEstimate:
    low, likely, high = _states(read)
    return MemoryEstimate(
        low=low,
        states=states_of(read.setups[1]).total,
        states_low=low,
        states_likely=likely,
        states_high=high,
        capacity=capacity,
        fits=False if capacity is not None and low > capacity else None,
        assumed=read.assumed,
        unknown=read.unknown,
    )


def _whole(read: Read, steps: list[Step], capacity: int | None) -> MemoryEstimate:
    lean, likely, heavy = (_reserved(step) for step in steps)
    peak = _peak(likely)
    low, high = min(_peak(lean), peak), max(_peak(heavy), peak)
    parts = max(likely.values(), key=size)
    named = (*_STATES, "activations", "logits")
    states = _states(read)
    return MemoryEstimate(
        low=low,
        estimate=peak,
        high=high,
        states=sum(parts.get(name, 0) for name in _STATES),
        activations=parts.get("activations", 0),
        logits=parts.get("logits", 0),
        other=sum(value for name, value in parts.items() if name not in named),
        states_low=states[0],
        states_likely=states[1],
        states_high=states[2],
        capacity=capacity,
        fits=_fits(low, high, capacity),
        assumed=read.assumed,
        unknown=read.unknown,
        parts=parts,
        phases={name: size(alive) for name, alive in likely.items()},
    )


def _states(read: Read) -> list[int]:
    """Model states and CUDA context: low, likely, high."""
    return [states_of(setup).total + CONTEXT[setup.view] for setup in read.setups]


def _fits(low: int, high: int, capacity: int | None) -> bool | None:
    if capacity is None:
        return None
    if low > capacity:
        return False
    return True if high < FITS_BELOW * capacity else None


def _peak(phases: Mapping[str, Parts]) -> int:
    return max(map(size, phases.values()))


def _reserved(step: Step) -> dict[str, Parts]:
    """The phases with what the caching allocator holds beyond the tensors."""
    setup = step.setup
    kind = "sharded" if setup.zero == 3 else "recomputed" if setup.recompute else "plain"
    share = RESERVED[kind][setup.view]
    return {
        name: {**parts, "allocator": int(share * _passing(parts))}
        for name, parts in step.phases().items()
    }


def _passing(parts: Parts) -> int:
    """Bytes that come and go within a step."""
    return sum(value for name, value in parts.items() if name not in _LASTING)
