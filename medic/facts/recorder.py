"""What PyTorch's flight recorder kept of each rank's communication."""

from __future__ import annotations

from collections.abc import Mapping

from medic.facts.files import Source
from medic.i18n import Text
from medic.records import dataclass, field


@dataclass(frozen=True)
class RecordedCall:
    """One collective (or send / receive) of one rank.

    ``state`` is scheduled, started or completed; ``is_open``: not completed when the dump was
    made. ``created`` is in seconds since 1970. ``sizes_in`` and ``sizes_out`` are as recorded, one
    shape a tensor. ``call_site`` is "file:line" of the user's innermost frame, "" if unknown.
    """

    group: str
    sequence: int
    operation: str
    state: str
    is_open: bool
    sizes_in: tuple[tuple[int, ...], ...] = ()
    sizes_out: tuple[tuple[int, ...], ...] = ()
    dtypes: tuple[str, ...] = ()
    created: float | None = None
    timeout_ms: int | None = None
    call_site: str = ""
    is_p2p: bool = False


@dataclass(frozen=True)
class RankRecord:
    """The dump of one rank: its last calls, oldest first, and the ranks of each group it names."""

    rank: int
    file: str
    calls: tuple[RecordedCall, ...]
    members: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    modified: float = 0.0


@dataclass(frozen=True)
class RecordVerdict:
    """What the dumps of all ranks tell together: an outcome of the check collective-ranks.

    ``told`` says of each rank where it stands; ``line`` is what decided. ``waited`` is how long
    the oldest open call had been open when its dump was written, ``timeout`` its
    limit, both in seconds.
    """

    outcome: str
    told: tuple[Text, ...]
    sources: tuple[Source, ...]
    line: Text = Text("", "")
    waited: float = 0.0
    timeout: float | None = None
    missing: tuple[int, ...] = ()


@dataclass(frozen=True)
class FlightRecords:
    """The dumps of the case, one a rank; ``verdict`` is None where nothing waits or agrees."""

    ranks: tuple[RankRecord, ...] = ()
    verdict: RecordVerdict | None = None
