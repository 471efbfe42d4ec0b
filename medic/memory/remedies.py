"""What makes a run fit, in the order of what it costs the user, with the peak after each change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Literal

from medic.facts.memory import fitting
from medic.i18n import Text
from medic.memory.estimate import estimate_of, tensors, tensors_of
from medic.memory.inverse import changed
from medic.memory.options import MORE_GPUS, OPTIONS, SHORTER, Option
from medic.memory.ranks import ranks_of
from medic.memory.views import read_setups
from medic.records import dataclass, field, replace
from medic.run_config import Change, RunConfig

# A remedy that takes less than this share off the peak is not told.
WORTH = 0.01
# More GPUs that take less than this share off it are not asked for: it is not the states that are too large.
WORTH_GPUS = 0.2
MOST_TIMES = 64  # as many are no advice by themselves
_DEAR = (MORE_GPUS, SHORTER)
# The allocator holds less than this multiple of the tensors in all measured and traced steps (at
# most 1.44): what is smaller by it fits without a trace.
HELD = 1.5
# Of which the changes are told where nothing states a batch.
USUAL_BATCH = {"micro_batch_size": 1, "sequence_length": 4096}
Bound = Literal["exact", "at-least", "at-most", "formula"]


@dataclass(frozen=True)
class Remedy:
    """A change and the ``peak`` in bytes after it, the CUDA context counted; ``reserved`` is what
    torch reserves of it. Of those that their tensors alone tell (not) to fit, beside one that is
    enough and costs less, it is a ``bound``, and without measured rows what the formulas count;
    ``least`` are the tensors."""

    name: str
    text: Text
    cost: Text
    changes: tuple[Change, ...]
    peak: int
    least: int
    reserved: int | None = None
    bound: Bound = "exact"


@dataclass(frozen=True)
class Advice:
    """``alone``: each remedy by itself, cheapest first; ``plan``: the first of them that fits, else
    those that together do, each with the peak after it and those before. ``fits``: whether the last does.
    ``taken``: the unstated sizes of the batch that all of it is told of."""

    alone: tuple[Remedy, ...] = ()
    plan: tuple[Remedy, ...] = ()
    fits: bool = False
    taken: Mapping[str, int] = field(default_factory=dict)


def advise(config: RunConfig, capacity: int) -> Advice:
    """The changes that bring the peak down to what fits ``capacity`` bytes, one by one and together."""
    read = read_setups(config)
    now, least = estimate_of(read, capacity), tensors_of(read)
    if now.estimate is None and (now.states_likely or 0) > capacity:
        return _of_states(config, capacity)
    if least is None or now.estimate is None or now.estimate <= fitting(capacity):
        return Advice()
    alone = tuple(_tried(config, now.estimate, least, capacity))
    enough = next((one for one in alone if one.peak <= fitting(capacity)), None)
    plan = (enough,) if enough else _plan(config, least, capacity)
    if enough and enough.name in _DEAR:
        plan = _rather(config, least, enough, capacity) or plan
    return Advice(alone, plan, bool(plan) and plan[-1].peak <= fitting(capacity))


def usual_batch(config: RunConfig) -> dict[str, int]:
    """The sizes of a batch that nothing states, of usual size."""
    taken = {name: size for name, size in USUAL_BATCH.items() if config.integer(name) is None}
    longest = config.integer("max_position_embeddings")
    if longest and "sequence_length" in taken:
        taken["sequence_length"] = min(longest, taken["sequence_length"])
    return taken


def with_usual_batch(config: RunConfig, capacity: int | None) -> tuple[dict[str, int], int]:
    """Those sizes and the likely peak in bytes with them; 0 where it cannot be told all the same."""
    taken = usual_batch(config)
    found = estimate_of(read_setups(changed(config, taken)), capacity) if taken else None
    return taken, (found.estimate or 0) if found is not None else 0


def _of_states(config: RunConfig, capacity: int) -> Advice:
    """Where the states alone are too large and the batch is unknown: with one of usual size."""
    taken = usual_batch(config)
    state = changed(config, taken)
    if not taken or tensors(state) is None:
        return Advice()
    return replace(advise(state, capacity), taken=taken)


def _rather(config: RunConfig, least: int, alone: Remedy, capacity: int) -> tuple[Remedy, ...]:
    """Remedies that together do what a dear one would ``alone``: with less of it, or without; or none."""
    together = _plan(config, least, capacity)
    if not together or together[-1].peak > fitting(capacity):
        return ()
    if alone.name == SHORTER:  # which changes what the model learns
        less = all(_length(r) > _length(alone) for r in together if r.name == SHORTER)
    else:
        less = _ranks_with(config, together) < _ranks_with(config, (alone,))
    return together if less else ()


def _ranks_with(config: RunConfig, taken: tuple[Remedy, ...]) -> int:
    return ranks_of(reduce(_with, taken, config))


def _length(shorter: Remedy) -> int:
    return max(int(change.new or 0) for change in shorter.changes)


def _tried(config: RunConfig, now: int, least: int, capacity: int) -> Iterator[Remedy]:
    """Those that take off the tensors and off the peak of ``now``: where less tensors leave more
    pieces, what torch reserves may not fall."""
    enough = False
    for option in OPTIONS:
        found = _best(config, option, capacity, roughly=enough)
        lower = found is not None and found.peak < now
        if found is not None and found.name == MORE_GPUS:
            times = ranks_of(_with(config, found)) / ranks_of(config)
            enough_by_it = found.peak <= fitting(capacity) and times <= MOST_TIMES
            lower = enough_by_it and found.least < least * (1 - WORTH_GPUS)
        if found is not None and lower and found.least < least * (1 - WORTH):
            enough = enough or found.peak <= fitting(capacity)
            yield found


def _plan(config: RunConfig, least: int, capacity: int) -> tuple[Remedy, ...]:
    """Cheapest first until it fits; then those that it would fit without are left out. More GPUs where they are
    enough with what came before, or at the end."""
    taken: list[Remedy] = []
    state = config
    last = [option for option in OPTIONS if option[0] == MORE_GPUS]
    for option in (*OPTIONS, *last):
        found = _best(state, option, capacity)
        if found is None or found.least >= least * (1 - WORTH):
            continue
        enough = found.peak <= fitting(capacity)
        if found.name == MORE_GPUS and not (enough and found.least < least * (1 - WORTH_GPUS)):
            continue
        taken.append(found)
        least, state = found.least, _with(state, found)
        if enough:
            return _fewest(config, taken, capacity)
    return tuple(taken)


def _fewest(config: RunConfig, taken: list[Remedy], capacity: int) -> tuple[Remedy, ...]:
    """Without those that it fits without, the dearest left out first."""
    kept = list(taken)
    for one in reversed(taken):
        rest = [r for r in kept if r is not one]
        state = reduce(_with, rest, config)
        large = (tensors(state) or 0) > fitting(capacity)
        after = None if large else _after(state, one, capacity)
        if after is not None and after.peak <= fitting(capacity):
            kept = rest
    return tuple(kept if kept == taken else _again(config, kept, capacity))


def _again(config: RunConfig, kept: list[Remedy], capacity: int) -> Iterator[Remedy]:
    state = config
    for one in kept:
        state = _with(state, one)
        yield _after(state, one, capacity) or one


def _with(config: RunConfig, remedy: Remedy) -> RunConfig:
    return changed(config, {change.field: change.new for change in remedy.changes})


def _best(
    config: RunConfig, option: Option, capacity: int, *, roughly: bool = False
) -> Remedy | None:
    """The mildest form of the option that fits, else its strongest form."""
    name, text, cost, ways = option
    found: Remedy | None = None
    tried = list(ways(config))
    for values in tried:
        state = changed(config, values)
        if values is not tried[-1] and (tensors(state) or 0) > fitting(capacity):
            continue  # and its trace is of no use, as a stronger form follows
        changes = tuple(Change(f, config.get(f), new, text) for f, new in values.items())
        one = Remedy(name, _counted(name, text, state), cost, changes, 0, 0)
        found = _after(state, one, capacity, roughly=roughly)
        if found is None or found.peak <= fitting(capacity):
            return found
    return found


def _counted(name: str, text: Text, state: RunConfig) -> Text:
    return text.fill(n=ranks_of(state)) if name == MORE_GPUS else text


def _after(state: RunConfig, one: Remedy, capacity: int, *, roughly: bool = False) -> Remedy | None:
    """The remedy with the peak of ``state``, which it led to: traced only where the tensors do not
    tell that it is too large or, ``roughly``, that it fits."""
    read = read_setups(state)
    least = tensors_of(read)
    if least is None:
        return None
    if least > capacity and not read.not_measured:
        return replace(one, peak=least, least=least, bound="at-least")
    if roughly and not read.not_measured and least * HELD <= fitting(capacity):
        return replace(one, peak=int(least * HELD), least=least, bound="at-most")
    after = estimate_of(read, capacity)
    if after.estimate is None:
        return None
    if read.not_measured:
        return replace(one, peak=after.estimate, least=least, bound="formula")
    return replace(one, peak=after.estimate, least=least, reserved=after.reserved, bound="exact")
