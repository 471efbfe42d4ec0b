"""The inverse question: the largest micro batch, or sequence, that the GPU still takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from medic.facts.memory import fitting
from medic.memory.estimate import estimate, tensors
from medic.memory.experts import splits_stream
from medic.memory.ranks import spread_anew
from medic.records import dataclass, replace
from medic.run_config import Origin, RunConfig, Scalar, Setting, Value

MOST = {"micro_batch_size": 1 << 14, "sequence_length": 1 << 24}
# Whose one key for a fused loss brings Liger's norms and gate as well (transformers
# ``integrations/liger.py``, LLaMA-Factory ``liger_kernel.py``, ms-swift ``liger_kernel``).
_BY_LIGER = frozenset(("hf-trainer", "llama-factory", "ms-swift", "own-loop"))
# Sequences are told in whole blocks of tokens.
STEP = {"micro_batch_size": 1, "sequence_length": 128}


@dataclass(frozen=True)
class Largest:
    """``likely``: the largest value whose estimate fits; ``sure``: the largest whose high bound
    does. 0: not even the smallest; None: cannot be told."""

    field: str
    likely: int | None
    sure: int | None


def changed(config: RunConfig, values: Mapping[str, Scalar]) -> RunConfig:
    """The config with these canonical fields set by hand, and what the key that states one brings."""
    new = {name: Value(value, Origin("given")) for name, value in values.items()}
    more: tuple[Setting, ...] = ()
    if values.get("fused_loss") is True and config.framework in _BY_LIGER:
        more = (Setting(("use_liger_kernel",), value=True, origin=Origin("given")),)
    tensor = values.get("tensor_parallel_size")
    if isinstance(tensor, int) and splits_stream(config, tensor):
        more = (*more, Setting(("sequence_parallel",), value=True, origin=Origin("given")))
    state = replace(config, values={**config.values, **new}, settings=(*config.settings, *more))
    return spread_anew(state, values)


def largest(config: RunConfig, name: str, capacity: int) -> Largest:
    """The largest ``micro_batch_size`` or ``sequence_length`` whose peak is ``fitting`` on
    ``capacity`` bytes."""
    limit = fitting(capacity)
    seen: dict[int, tuple[int, int] | None] = {}

    def peaks(count: int) -> tuple[int, int] | None:
        if count not in seen:
            state = changed(config, {name: count * STEP[name]})
            least = tensors(state)
            if least is not None and least > limit:
                seen[count] = (least, least)
                return seen[count]
            found = estimate(state, capacity)
            told = found.estimate is not None and found.high is not None
            seen[count] = (found.estimate or 0, found.high or 0) if told else None
        return seen[count]

    if peaks(1) is None:
        return Largest(name, None, None)
    most = MOST[name] // STEP[name]

    def fits(which: int) -> Callable[[int], bool]:
        return lambda count: (peaks(count) or (0, 0))[which] <= limit

    likely, sure = (_last(fits(which), most) * STEP[name] for which in (0, 1))
    return Largest(name, likely, sure)


def _last(fits: Callable[[int], bool], most: int) -> int:
    """The largest count that fits, by doubling and then halving the gap."""
    low, high = 0, 1
    while high <= most and fits(high):
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low
