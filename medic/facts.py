"""Facts: what one probe reads and others build on. Frozen, with their sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from medic.run_config import Span, Syntax

FileKind = Literal[
    "log", "metrics", "config", "model-config", "script", "python", "checkpoint",
    "gpu-report", "gpu-series", "flight-recorder",
]


@dataclass(frozen=True, slots=True)
class Source:
    """Where something was seen. ``line`` is 1-based, 0 if the file has no lines."""

    file: str = ""
    line: int = 0
    rank: int | None = None
    time: float | None = None
    text: str = ""

    def where(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class GivenFile:
    """One file of the case; ``name`` is how the user sees it, ``path`` where it lies."""

    path: str
    name: str
    kind: FileKind
    size: int = 0
    modified: float = 0.0
    rank: int | None = None


# --- parsed files ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Node:
    """A parsed value with its place. ``raw`` is the text as written, ``value`` as YAML 1.2 reads it.

    ``loader_value`` differs where the usual loader reads something else (PyYAML: ``1e-5`` is text).
    Mappings keep ``items`` (key node, value node) in file order, sequences ``elements``.
    """

    kind: Literal["mapping", "sequence", "scalar"]
    span: Span
    value: int | float | bool | str | None = None
    raw: str = ""
    quoted: bool = False
    loader_value: int | float | bool | str | None = None
    items: tuple[tuple[Node, Node], ...] = ()
    elements: tuple[Node, ...] = ()

    def get(self, key: str) -> Node | None:
        for k, v in self.items:
            if k.value == key or k.raw == key:
                return v
        return None

    def leaves(self, prefix: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Node, Node]]:
        """(key path, key node, value node) of every value below a mapping; lists are leaves."""
        for key, value in self.items:
            path = (*prefix, str(key.value if key.value is not None else key.raw))
            if value.kind == "mapping":
                yield from value.leaves(path)
            else:
                yield path, key, value


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a file itself: a duplicate key, a value that its loader misreads."""

    kind: Literal["duplicate-key", "number-as-text", "odd-scalar", "syntax"]
    span: Span
    detail: str = ""
    other: Span | None = None


@dataclass(frozen=True, slots=True)
class Word:
    """One argument of a command as the shell would pass it; None where that cannot be known.

    A word that a list variable brings has the place where it stands in that variable's assignment.
    ``literal`` is the text that a variable gives to the word, or to its part after ``=``, where
    that is one literal: the bytes to edit. None if the word is written out, or is not that simple.
    """

    span: Span
    raw: str
    value: str | None
    literal: Span | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command: assignments before it and its words."""

    span: Span
    words: tuple[Word, ...]
    assignments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed configuration file or script."""

    file: str
    syntax: Syntax
    root: Node | None = None
    commands: tuple[Command, ...] = ()
    variables: Mapping[str, str | None] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


# --- logs -----------------------------------------------------------------------------------

CaptureValue = int | float | str


@dataclass(frozen=True, slots=True)
class Hit:
    """A signature that matched a line. ``order`` sorts by time across ranks, then file and line."""

    signature: str
    symptom: str
    role: str
    source: Source
    captures: Mapping[str, CaptureValue]
    order: tuple[float, int, int]
    count: int = 1  # how often it was seen in all
    benign: str = ""  # why it is no evidence: help-text, echoed-config, source-line


@dataclass(frozen=True, slots=True)
class StepLine:
    """One logged step: values by canonical metric name (loss, learning_rate, grad_norm, …)."""

    step: int
    values: Mapping[str, float]
    source: Source


@dataclass(frozen=True, slots=True)
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
    marks: tuple[Hit, ...] = ()  # lines that part the log; see medic.probe.Scan


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a Python traceback; ``code`` is the source line it shows."""

    file: str
    line: int
    function: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Tracebacks:
    """Every traceback of the case's last attempt, in the order of time."""

    all: tuple[Traceback, ...] = ()


@dataclass(frozen=True, slots=True)
class FailedRank:
    rank: int
    source: Source
    reason: str


@dataclass(frozen=True, slots=True)
class Ranks:
    """Which rank failed first, and what the others then saw."""

    first: FailedRank | None = None
    others: tuple[FailedRank, ...] = ()
    seen: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Collectives:
    """The collective that each rank waited in when its watchdog gave up."""

    timeouts: tuple[Collective, ...] = ()


# --- curves ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Series:
    """One metric over steps; non-finite values are kept. ``lines`` are 1-based file lines."""

    name: str
    file: str
    steps: tuple[int, ...]
    values: tuple[float, ...]
    lines: tuple[int, ...]
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    series: Mapping[str, Series] = field(default_factory=dict)
    by_rank: Mapping[int, Mapping[str, Series]] = field(default_factory=dict)


# --- checkpoints ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TensorInfo:
    name: str
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, slots=True)
class CheckpointIndex:
    """Names, shapes and dtypes of a checkpoint, read without loading it.

    ``group`` is the path to the model state inside the file ("model", "state_dict", "").
    """

    file: str
    format: str
    tensors: Mapping[str, TensorInfo]
    group: str = ""
    top_level: tuple[str, ...] = ()
    states: Mapping[str, bool] = field(default_factory=dict)  # optimizer, scheduler, rng, step
    missing_shards: tuple[str, ...] = ()
    globals_listed: tuple[str, ...] = ()  # what unpickling would call; never called
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Checkpoints:
    indexes: tuple[CheckpointIndex, ...] = ()
    not_read: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class StateDictError:
    """What a failed load_state_dict listed."""

    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    mismatched: tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...]
    source: Source
    truncated: bool = False


# --- GPUs -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GpuProcess:
    pid: int
    name: str
    used: int | None


@dataclass(frozen=True, slots=True)
class Gpu:
    """One device; bytes, degrees Celsius, watts. None where it was not told."""

    index: int
    name: str = ""
    total: int | None = None
    used: int | None = None
    utilisation: float | None = None
    processes: tuple[GpuProcess, ...] = ()
    ecc_uncorrected: int | None = None
    retired_rows: int | None = None
    row_remap_failed: bool | None = None
    throttle: tuple[str, ...] = ()
    pcie_width: int | None = None
    pcie_width_max: int | None = None
    pcie_generation: int | None = None
    pcie_generation_max: int | None = None
    mig: bool | None = None
    compute_mode: str = ""
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class GpuState:
    """The GPUs of this machine (``origin`` "this-host") or of a saved report (its file)."""

    gpus: tuple[Gpu, ...]
    origin: str
    driver: str = ""
    cuda: str = ""
    source: Source = field(default_factory=Source)


@dataclass(frozen=True, slots=True)
class GpuSeries:
    """Samples of one GPU over time: (time, utilisation %, used bytes, total bytes, line)."""

    file: str
    samples: Mapping[int, tuple[tuple[float, float | None, int | None, int | None, int], ...]]


# --- launch command -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Launch:
    """The command that starts training: launcher, its options, script and the script's arguments."""

    launcher: str  # torchrun | deepspeed | accelerate | srun | python | …
    launcher_words: tuple[Word, ...]
    script: Word | None
    arguments: tuple[Word, ...]
    span: Span
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Launches:
    launches: tuple[Launch, ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    """One option a script's parser accepts; a name without ``-`` is a positional argument."""

    names: tuple[str, ...]
    takes: Literal["value", "optional-value", "none", "many"]
    negative: str = ""  # the --no-… form, if there is one
    default: str = ""
    choices: tuple[str, ...] = ()  # empty if any value goes
    source: Source = field(default_factory=Source)


@dataclass(frozen=True, slots=True)
class ParserSpec:
    """The options of a training script, read from its source or its usage text, never by running it."""

    script: str
    options: tuple[Option, ...]
    complete: bool  # False if some options could not be known
    prefixes: bool = True  # unique prefixes are accepted
    ignores_unknown: bool = False  # an unknown flag is dropped without a word
    origin: Literal["source", "usage"] = "source"


@dataclass(frozen=True, slots=True)
class Parsers:
    parsers: tuple[ParserSpec, ...] = ()


# --- host -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Host:
    """This machine."""

    name: str
    cores: int
    memory_total: int
    gpus: int | None = None
