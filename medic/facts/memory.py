"""Peak GPU memory of a training step, estimated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from medic.i18n import Text
from medic.records import dataclass, field

MIB = 2**20
GIB = 2**30
# A peak estimated above this share of a card's memory is neither called fitting nor proposed: of ten
# measured rows of tests/memory nine lie within 5% of their estimate.
FITS_BELOW = 0.95


def fitting(capacity: int) -> int:
    """The largest peak, in bytes, that is called fitting on a card of ``capacity`` bytes."""
    return int(FITS_BELOW * capacity)


def gib(count: float, digits: int = 1) -> str:
    """Bytes in GiB, as words."""
    return f"{count / GIB:,.{digits}f} GiB"


def scaled(count: float, digits: int = 1) -> str:
    """Bytes in the largest unit of which there is one."""
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if abs(count) >= 1 << power:
            return f"{count / (1 << power):.{digits}f} {unit}"
    return f"{count:.0f} B"


@dataclass(frozen=True)
class MemoryEstimate:
    """Peak memory of one training step on the fullest GPU, in bytes; None where it is unknown.

    ``low`` and ``high`` hold what the stated fields leave open. ``low`` is a lower bound and is
    given as soon as the model states are known; ``estimate`` needs the activations as well.
    ``states`` + ``activations`` + ``logits`` + ``other`` = ``estimate``, taken at the peak;
    ``parts`` splits them further. ``states_low``, ``states_likely`` and ``states_high`` are
    weights, gradients, optimizer states and CUDA context together, whatever the batch. ``phases``
    has the peak of each phase. ``assumed`` has the value, in words, of each field that was not
    stated, ``unknown`` what is missing. ``reserved`` (with its bounds) is the part that torch's allocator
    reserves: all but the CUDA context and NCCL. ``not_measured`` names terms behind which no
    measurement stands: then only the lower bound is a claim. ``stages`` has the peak of the first and
    the last stage of a pipeline, which differ. ``by_formula`` names phases that no measurement stands
    behind; ``could`` has those that take more than ``estimate`` where a loop of one's own loads or gathers
    the whole model on each card.
    """

    low: int | None = None
    estimate: int | None = None
    high: int | None = None
    states: int | None = None
    activations: int | None = None
    logits: int | None = None
    other: int | None = None
    states_low: int | None = None
    states_likely: int | None = None
    states_high: int | None = None
    capacity: int | None = None
    fits: bool | None = None
    assumed: Mapping[str, str] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    parts: Mapping[str, int] = field(default_factory=dict)
    phases: Mapping[str, int] = field(default_factory=dict)
    reserved_low: int | None = None
    reserved: int | None = None
    reserved_high: int | None = None
    not_measured: tuple[Text, ...] = ()
    stages: Mapping[str, int] = field(default_factory=dict)
    by_formula: tuple[str, ...] = ()
    could: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class GpuMemory:
    """Memory of the smallest GPU of the run, in bytes; ``room``: of it, what other processes left
    when the run failed (None: nothing tells of others)."""

    total: int
    room: int | None = None

    @property
    def usable(self) -> int:
        """Bytes that the run can have."""
        return self.total if self.room is None else self.room


OWN = 3 * GIB  # other-process-unknown-context-bytes of the check oom-shortfall
NUMBERS = ("request", "total", "free", "process", "allocated", "unallocated", "reserved")


def numbers_of(captures: Mapping[str, Any]) -> dict[str, int]:
    """The bytes that an out-of-memory message tells, by its ``captures``; what it reserved but does
    not use is worked out."""
    found = {
        name: int(value)
        for name, value in captures.items()
        if name in NUMBERS and isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    if "unallocated" not in found and {"reserved", "allocated"} <= found.keys():
        found["unallocated"] = max(0, found["reserved"] - found["allocated"])
    return found


def others_of(numbers: Mapping[str, int]) -> int | None:
    """Bytes of the card that are neither free nor this process's, by the ``numbers`` of an
    out-of-memory message; None where it cannot be told.

    torch 1.x, and later ones in a container, whose own process they do not know among those that
    they list, tell what torch reserved: its context and NCCL are within ``OWN`` of that.
    """
    if not {"total", "free"} <= numbers.keys():
        return None
    rest = numbers["total"] - numbers["free"]
    if "process" in numbers:
        return rest - numbers["process"]
    reserved = numbers.get("reserved")
    if reserved is None and {"allocated", "unallocated"} <= numbers.keys():
        reserved = numbers["allocated"] + numbers["unallocated"]
    if not reserved or rest - reserved <= OWN:
        return None
    return rest - reserved


def room_of(numbers: Mapping[str, int]) -> int:
    """Bytes of the card that other processes leave, by the message's ``numbers``."""
    return numbers["total"] - max(0, others_of(numbers) or 0)


def wanted_of(numbers: Mapping[str, int]) -> int | None:
    """What this process would have held with the request, in bytes, by the message's ``numbers``:
    tensors, the request, and what lies outside torch's allocator; None where they lack these."""
    if not {"allocated", "request"} <= numbers.keys():
        return None
    outside = 0
    if "process" in numbers:
        reserved = numbers["allocated"] + numbers.get("unallocated", 0)
        outside = max(0, numbers["process"] - reserved)
    return numbers["allocated"] + numbers["request"] + outside
