"""The estimate: low, likely and high peak of a training step against a GPU's capacity."""

from __future__ import annotations

from collections.abc import Mapping

from medic.facts import MemoryEstimate
from medic.facts.memory import fitting
from medic.memory.loading import FIRST, LOAD, SAVE, TERMS, by_formula, could_take
from medic.memory.measured import EXPERTS, LIKE_LLAMA
from medic.memory.overheads import (
    ALLOCATOR,
    ALLOCATOR_OFFLOADED,
    CONTEXT,
    EVALUATION,
    RESERVED,
    STILL,
    TENSORS,
    WORKSPACE,
)
from medic.memory.peak import Step, size, steps_of
from medic.memory.resident import Parts, reference_model, states_of
from medic.memory.setup import Setup
from medic.memory.traces import reserved_share, traced
from medic.memory.views import ALL, Read, read_setups
from medic.records import replace
from medic.run_config import RunConfig

# What the lower bound counts of the rest where a family's layers are not those of the formulas, or
# the longest sequence is not the usual one.
UNLIKE = 0.5
KEPT = 16  # estimates that were made last
_STATES = ("weights", "gradients", "optimizer")
# Phases in which hardly a block comes and goes: next to nothing is held beyond the tensors.
_STILL = (LOAD, SAVE, "evaluation")
_LASTING = ("weights", "optimizer", "context", "workspace", "buckets", "reference model")


def estimate(run_config: RunConfig, capacity_bytes: int | None = None) -> MemoryEstimate:
    """Peak memory in bytes of one training step on the fullest GPU, of ``capacity_bytes``.

    For dense decoder models. ``fits`` is False only if the low bound is above the capacity and
    True only if the high bound is ``fitting``; in between it is None.
    """
    return estimate_of(read_setups(run_config), capacity_bytes)


_LAST: list[tuple[Read, int | None, MemoryEstimate]] = []


def estimate_of(read: Read, capacity_bytes: int | None = None) -> MemoryEstimate:
    """As ``estimate``, of what was read."""
    for other, capacity, made in _LAST:  # asked for by checks, by the account and by its advice
        if capacity == capacity_bytes and other == read:
            return made
    found = _made(read, capacity_bytes)
    _LAST[:] = [*_LAST[-KEPT + 1 :], (read, capacity_bytes, found)]
    return found


def _made(read: Read, capacity_bytes: int | None) -> MemoryEstimate:
    if not read.setups:
        return MemoryEstimate(
            capacity=capacity_bytes,
            assumed=read.assumed,
            unknown=read.unknown,
            not_measured=(EXPERTS,) if read.mixture else (),
        )
    stages = [steps_of(setup) for setup in read.setups]
    if not all(stages):
        return _states_only(read, capacity_bytes)
    steps = [_fullest(some) for some in stages]
    found = _whole(read, steps, capacity_bytes)
    if len(stages[1]) == 1:
        return found
    limit = capacity_bytes or 0
    each = {f"stage {step.setup.stage}": _peak(_reserved(step, limit)) for step in stages[1]}
    return replace(found, stages=each)


def tensors(run_config: RunConfig) -> int | None:
    """The likely peak in bytes without what the allocator holds beyond it: quick, and never above
    ``estimate``. None where the estimate is unknown."""
    return tensors_of(read_setups(run_config))


def tensors_of(read: Read) -> int | None:
    """As ``tensors``, of what was read."""
    steps = steps_of(read.setups[1]) if read.setups else ()
    return max((_peak(step.phases) for step in steps), default=None)


def _fullest(stages: tuple[Step, ...]) -> Step:
    if len(stages) == 1:
        return stages[0]
    return max(stages, key=lambda step: _peak(_reserved(step)))


def _states_only(read: Read, capacity: int | None) -> MemoryEstimate:
    low, likely, high = _states(read)
    return MemoryEstimate(
        low=low,
        states=_held(read.setups[1]),
        states_low=low,
        states_likely=likely,
        states_high=high,
        capacity=capacity,
        fits=False if capacity is not None and low > capacity else None,
        assumed=read.assumed,
        unknown=read.unknown,
        reserved_low=low - CONTEXT[0],
        not_measured=read.not_measured,
    )


def _whole(read: Read, steps: list[Step], capacity: int | None) -> MemoryEstimate:
    likely = _reserved(steps[1], capacity or 0)
    widest = [_widest(step) for step in steps]
    outside = [_outside(parts) for parts in widest]
    training = {name: parts for name, parts in likely.items() if name not in TERMS}
    low, high = _bounds(steps, training, [_tensors(parts) for parts in widest], outside)
    lean = _held(read.setups[0])  # these are all there at the optimizer's step
    # Prompts and answers of reinforcement learning rarely reach their longest together.
    unlike = bool(read.family) and read.family not in LIKE_LLAMA
    if unlike or steps[0].setup.more_models or steps[0].setup.unsloth:
        low = lean + int(UNLIKE * (low - lean))
    low = lean if steps[0].setup.in_part else max(low, lean)
    still = [max(size(step.phases[name]) for name in TERMS) for step in steps]
    low = max(low, int(TENSORS * still[0]) - outside[0])
    high = max(high, int((1 + STILL) * still[2]) - outside[2])
    fullest = max(likely, key=lambda name: size(likely[name]))
    parts, formula = likely[fullest], by_formula(steps[1].setup)
    peak = size(parts)
    term = (TERMS[fullest],) if fullest in formula and fullest in TERMS else ()
    named = (*_STATES, "activations", "logits")
    states = _states(read)
    return MemoryEstimate(
        low=low + outside[0],
        estimate=peak,
        high=high + outside[2],
        reserved_low=low,
        reserved=peak - outside[1],
        reserved_high=high,
        states=sum(parts.get(name, 0) for name in _STATES),
        activations=parts.get("activations", 0),
        logits=parts.get("logits", 0),
        other=sum(value for name, value in parts.items() if name not in named),
        states_low=states[0],
        states_likely=states[1],
        states_high=states[2],
        capacity=capacity,
        fits=_fits(low + outside[0], high + outside[2], capacity),
        assumed=read.assumed,
        unknown=read.unknown,
        not_measured=(*read.not_measured, *term),
        parts=parts,
        phases={name: size(alive) for name, alive in likely.items()},
        by_formula=formula,
        could=could_take(steps[1].setup, steps[2].phases, peak),
    )


def _bounds(
    steps: list[Step], likely: Mapping[str, Parts], tensors: list[int], outside: list[int]
) -> tuple[int, int]:
    """What torch reserves at least and at most, from what its ``tensors`` take in each set-up.
    Without open fields: the allocator's own spread."""
    peak = _peak(likely) - outside[1]
    lean, usual, heavy = tensors
    share = peak / usual
    low = int(lean * max(1.0, share * ALLOCATOR[0])) if lean == usual else int(lean * TENSORS)
    if not traced(steps[1]):
        low, high = (_peak(_reserved(steps[view])) - outside[view] for view in (0, 2))
        return min(low, peak), max(high, peak)
    # Whether a block for the logits finds its place again turns on single MiB: where the trace
    # says that it does it may not, and the other way round.
    setup = steps[1].setup
    offloaded = setup.engine == "deepspeed" and setup.offloaded and setup.zero != ALL
    spread = ALLOCATOR_OFFLOADED if offloaded else ALLOCATOR[1]
    high, block = int(heavy * share * spread), steps[1].logits_block()
    if peak - usual >= block:
        low = min(low, max(lean, peak - block))
    else:
        high = max(high, peak + block)
    return min(low, peak), max(high, peak)


def _widest(step: Step) -> Parts:
    """At the peak of training: loading and saving have no allocator's spread."""
    return max((p for n, p in step.phases.items() if n not in TERMS), key=size)


def _outside(parts: Parts) -> int:
    """CUDA context and NCCL, which torch's allocator does not see."""
    return parts["context"]


def _tensors(parts: Parts) -> int:
    return size(parts) - parts["context"]


def _share(step: Step) -> float:
    """Share of passing bytes that the allocator holds in addition, where no trace tells it."""
    setup = step.setup
    whole = setup.recompute and (setup.engine == "megatron" or not setup.recomputes_some)
    kind = "recomputed" if whole else "plain"
    if setup.zero == 3:
        kind = f"sharded {kind}"
    elif setup.engine == "deepspeed":
        kind = f"deepspeed {kind}"
    return RESERVED[kind][setup.view]


def _states(read: Read) -> list[int]:
    """Model states and CUDA context: low, likely, high."""
    return [_held(setup) + CONTEXT[setup.view] for setup in read.setups]


def _held(setup: Setup) -> int:
    """Model states, those of a frozen copy among them."""
    return states_of(setup).total + reference_model(setup)


def _fits(low: int, high: int, capacity: int | None) -> bool | None:
    if capacity is None:
        return None
    if low > capacity:
        return False
    return True if high <= fitting(capacity) else None


def _peak(phases: Mapping[str, Parts]) -> int:
    return max(map(size, phases.values()))


def _reserved(step: Step, capacity: int = 0) -> dict[str, Parts]:
    """The phases with what the caching allocator holds beyond the tensors. Where that would not fit
    ``capacity`` bytes, torch gives unused blocks back."""
    phases = step.phases
    if traced(step):
        widest = max(phases.values(), key=size)
        limit = max(0, capacity - _outside(widest) - WORKSPACE)
        steps, first = reserved_share(step, limit)
        # Of gathered weights the shares of all steps were nearer to the measured first ones.
        first = steps if step.setup.zero == ALL else first
        held = dict.fromkeys(_STILL, 1 + EVALUATION) | {FIRST: first}
        found = {
            n: {**p, "allocator": int((held.get(n, steps) - 1) * _tensors(p))}
            for n, p in phases.items()
        }
        return _no_more_at_first(found)
    share = _share(step)
    return {
        n: {**p, "allocator": int((EVALUATION if n in (LOAD, SAVE) else share) * _passing(p))}
        for n, p in phases.items()
    }


def _no_more_at_first(found: dict[str, Parts]) -> dict[str, Parts]:
    """The first step holds no more than all steps do."""
    over = size(found[FIRST]) - max(size(p) for n, p in found.items() if n not in (*_STILL, FIRST))
    parts = found[FIRST]
    found[FIRST] = {**parts, "allocator": parts["allocator"] - max(0, over)}
    return found


def _passing(parts: Parts) -> int:
    """Bytes that come and go within a step."""
    return sum(value for name, value in parts.items() if name not in _LASTING)
