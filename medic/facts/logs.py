"""What a pass over the logs of all ranks found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from medic.facts.files import Source
from medic.records import dataclass

CaptureValue = int | float | str

_MISTAKES = frozenset(
    "AssertionError AttributeError IndexError KeyError NameError TypeError UnboundLocalError ZeroDivisionError".split()  # noqa: SIM905
)


@dataclass(frozen=True)
class Hit:
    """A signature that matched a line. ``order`` sorts by time across ranks, then file and line.

    ``symptom`` is what the line shows, ``check`` and ``outcome`` what it answers; either may be "".
    """

    signature: str
    symptom: str
    role: str
    source: Source
    captures: Mapping[str, CaptureValue]
    order: tuple[float, int, int]
    count: int = 1  # how often it was seen in all
    benign: str = ""  # why it is no evidence: help-text, echoed-config, source-line
    check: str = ""
    outcome: str = ""
    goes_on: bool = False  # it is seen while training goes on
    column: int = 1  # of the line, in bytes, where the match begins
    shared: bool = False  # other programs print it, too, and nothing says who did


class Counted(int):
    """A step that no line names: how many ``lines`` logged one since the run began or went on
    ``after`` a step. The number is no step but where every step is logged, or where the share of
    the run that is done tells ``about`` which it is."""

    lines: int
    after: int
    is_estimate: bool

    def __new__(cls, lines: int, after: int = 0, about: int | None = None) -> Counted:
        made = super().__new__(cls, lines + after if about is None else about)
        made.lines, made.after, made.is_estimate = lines, after, about is not None
        return made

    @staticmethod
    def is_count(step: object) -> bool:
        """Whether a number is one of lines, and no step."""
        return isinstance(step, Counted) and not step.is_estimate


@dataclass(frozen=True)
class StepLine:
    """One logged step: values by canonical metric name (loss, learning_rate, grad_norm, …)."""

    step: int
    values: Mapping[str, float]
    source: Source


@dataclass(frozen=True)
class LogHits:
    """All that a pass over the logs found."""

    hits: tuple[Hit, ...] = ()
    steps: tuple[StepLine, ...] = ()
    ended: Literal["well", "badly", "silent", "unknown"] = "unknown"
    end: Source | None = None
    planned_steps: int | None = None
    last_step: int | None = None
    first_time: float | None = None
    last_time: float | None = None
    ranks: tuple[int, ...] = ()
    host: str = ""
    tail: tuple[Source, ...] = ()
    exceptions: tuple[Source, ...] = ()  # last line of each traceback, in time order
    attempts: int = 1
    notes: tuple[str, ...] = ()
    last_words: tuple[Source, ...] = ()  # the last line of each rank that wrote any
    marks: tuple[Hit, ...] = ()  # lines that part the log; see medic.probe.Scan
    earlier_steps: tuple[StepLine, ...] = ()  # of launches before the last one
    resumable: bool = False  # an earlier launch saved or trained on for long, and was not done
    former_steps: tuple[StepLine, ...] = ()  # of earlier attempts, in the files of the last one


@dataclass(frozen=True)
class Frame:
    """One frame of a Python traceback; ``code`` is the source line it shows."""

    file: str
    line: int
    function: str = ""
    code: str = ""


@dataclass(frozen=True)
class Traceback:
    """A Python traceback with its exception; ``source`` is the exception's line.

    ``uncaught``: the process ended with it. Frames are outermost first. Of an exception that a
    data loader worker passed on, exception and frames are the worker's own.
    """

    exception: str
    message: str
    frames: tuple[Frame, ...]
    source: Source
    order: tuple[float, int, int]
    first_line: int = 0
    uncaught: bool = True
    victim: bool = False  # of another process's failure
    worker: bool = False  # raised in a data loader worker
    writer: str = ""  # what its launcher puts before its lines: a host, a process

    @property
    def mistake(self) -> bool:
        """Whether a program raises it by itself: never the echo of another process's end."""
        return self.exception in _MISTAKES


@dataclass(frozen=True)
class Tracebacks:
    """Every traceback of the case's last attempt, in the order of time."""

    all: tuple[Traceback, ...] = ()


@dataclass(frozen=True)
class AttemptEnd:
    """How one attempt of the run failed.

    ``failure`` is its fingerprint: exception, message without numbers and place, or the signature
    that told it; ``step`` the last one logged before, ``node`` where it happened, "" if untold.
    """

    failure: str
    step: int | None
    node: str
    source: Source


@dataclass(frozen=True)
class Attempts:
    """The failures of the case's attempts, oldest first, the last attempt's at the end."""

    ends: tuple[AttemptEnd, ...] = ()


@dataclass(frozen=True)
class FailedRank:
    rank: int
    source: Source
    reason: str


@dataclass(frozen=True)
class Ranks:
    """Which rank failed first, and what the others then saw. Not ``in_order``: several failed of
    themselves, and neither their lines nor the launcher tell which of them was first."""

    first: FailedRank | None = None
    others: tuple[FailedRank, ...] = ()
    seen: tuple[int, ...] = ()
    in_order: bool = True


@dataclass(frozen=True)
class Collective:
    """A collective that timed out on one rank, as its watchdog tells it."""

    rank: int
    sequence: int
    operation: str
    elements_in: int | None
    elements_out: int | None
    timeout_ms: int | None
    source: Source
    last_enqueued: int | None = None
    last_completed: int | None = None
    group: str = ""
    call_site: str = ""  # "file:line" of the user's frame in the logged stack trace
    shape: str = ""  # as written, where the log tells shapes


@dataclass(frozen=True)
class Preparing:
    """Data preparation that was not over when the other ranks gave up: the seconds that it takes as
    a whole, by its own progress bar."""

    seconds: int
    source: Source


@dataclass(frozen=True)
class Collectives:
    """The collective that each rank waited in when its watchdog gave up."""

    timeouts: tuple[Collective, ...] = ()
