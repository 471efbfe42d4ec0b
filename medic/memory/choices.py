"""What an assumption moves: the peak if it were otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from medic.facts import MemoryEstimate
from medic.memory import torchtitan
from medic.memory.estimate import estimate, tensors
from medic.memory.evaluating import with_one
from medic.memory.inverse import changed
from medic.memory.peak import size, steps_of
from medic.memory.remedies import Bound, Remedy
from medic.memory.resident import states_of
from medic.memory.views import read_setups
from medic.records import dataclass
from medic.run_config import FIELDS, RunConfig, Scalar

# Fields that change most, and what they may be instead.
OTHERS: Mapping[str, Mapping[str, Scalar]] = {
    "lora_rank": {"0": 16},
    "activation_checkpointing": {"off": True, torchtitan.SECOND: True},
    "fused_loss": {"on": False},
    "zero_stage": {"0": 3},
    "precision": {"bf16": "fp32", "fp32": "bf16"},
    "parameter_dtype": {"fp32": "bf16", "bf16": "fp32", "fp16": "fp32"},
}
SAVING = ("lora_rank", "activation_checkpointing")  # told only where the card may be too small
MOVES = 0.03  # less of the peak is not told


@dataclass(frozen=True)
class Choice:
    """An assumed field, what it was taken as, and about the bytes if it were ``other`` (None: they
    cannot be told, or are the same), as a ``bound`` where the remedy that does the same is told so."""

    field: str
    taken: str
    other: str
    after: int | None
    bound: Bound = "exact"


def choices(
    config: RunConfig, found: MemoryEstimate, told: Sequence[Remedy] = ()
) -> Iterator[Choice]:
    """The assumptions on precision, with the peak (of the states, where no more is known) if they
    were otherwise; of ``told`` remedies theirs, where one does that and no more."""
    same = {c.field: (c.new, one) for one in told if len(one.changes) == 1 for c in one.changes}
    now, peak = _quick(config), found.estimate or found.states_likely
    for field, others in OTHERS.items():
        taken = found.assumed.get(field, "")
        if taken not in others or (found.fits and field in SAVING):
            continue
        other = others[taken]
        new, remedy = same.get(field, (None, None))
        if remedy is not None and new == other:
            yield Choice(field, taken, str(other).lower(), remedy.peak, remedy.bound)
            continue
        after = _quick(changed(config, {field: other})) or 0
        if now and peak and after and abs(after - now) > MOVES * now:
            yield Choice(field, taken, str(other).lower(), int(peak * after / now))
        elif field == "precision":
            yield Choice(field, taken, str(other), None)


def peak_with_one(
    config: RunConfig, found: MemoryEstimate, capacity: int | None
) -> tuple[int, int]:
    """Sequences of an evaluation step that makes the peak or the high bound, and the high bound in
    bytes where it takes one at a time; zeros where training makes both, one is taken, or it fits."""
    setups = read_setups(config).setups
    batch = setups[1].evaluation if setups else 0
    if batch <= 1 or found.fits or found.high is None or found.not_measured:
        return 0, 0
    high = estimate(with_one(config), capacity).high or 0
    return (batch, high) if 0 < high < found.high * (1 - MOVES) else (0, 0)


def _quick(config: RunConfig) -> int | None:
    """The likely peak without what the allocator holds, else the states."""
    peak = tensors(config)
    if peak is not None:
        return peak
    setups = read_setups(config).setups
    return states_of(setups[1]).total if setups else None


# What an assumption is told as, and the value that states it.
_STATED: Mapping[str, Scalar] = {
    "on": True, "off": False, "fused (sdpa or flash)": "sdpa", "AdamW": "adamw_torch", "1": 1, "0": 0,
}  # fmt: skip
WIDE = 2.0  # a range whose high bound is so many times its low one is told why
SHARE = 0.2  # of the range that stating a field has to take off


def widest(config: RunConfig, found: MemoryEstimate) -> tuple[str, ...]:
    """Assumed fields that make a wide range wide, those first that would narrow it most."""
    if found.not_measured or not found.low or (found.high or 0) <= WIDE * found.low:
        return ()
    now = _spread(config)
    narrower = {}
    for field, taken in found.assumed.items():
        if field in FIELDS:
            after = _spread(changed(config, {field: _STATED.get(taken, taken)}))
            narrower[field] = now - after
    told = [field for field, less in narrower.items() if less > SHARE * now > 0]
    return tuple(sorted(told, key=lambda field: -narrower[field]))


def _spread(config: RunConfig) -> int:
    """Bytes of tensors between the leanest and the heaviest set-up."""
    peaks = [steps_of(setup) for setup in read_setups(config).setups]
    if not peaks or not all(peaks):
        return 0
    low, _, high = (max(size(p) for step in some for p in step.phases.values()) for some in peaks)
    return max(0, high - low)
