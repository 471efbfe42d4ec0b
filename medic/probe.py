"""The contract between probes and the runner.

A probe module holds one ``PROBE`` (or a tuple ``PROBES``). Its ``run(look)`` yields findings, skips
and facts. It imports medic.errors, medic.i18n, medic.run_config, medic.facts, this module and its
siblings; everything else comes through ``Look``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Literal, Protocol, TypeVar

from medic.facts import Document, FileKind, GivenFile, Hit, LogHits, MemoryEstimate, Repair, Source
from medic.i18n import Text
from medic.records import dataclass, field
from medic.run_config import Change, Origin, RunConfig, Span

T = TypeVar("T")

Reads = Literal["artefacts", "this-host", "live-process"]
Reliability = Literal["exact", "heuristic", "person"]


# The value of a finding (a Text) that is its sentence, where that of its entry would say something else.
SAYS = "says"
# The value of a finding (a Text) that says what to write where any number would be a guess: lint then
# offers no fix.
BY_HAND = "by_hand"


@dataclass(frozen=True)
class Finding:
    """One symptom seen (``outcome`` "present" or "absent") or one check outcome observed.

    ``value`` fills the placeholders of the entry's ``seen`` text. ``sources`` holds the lines.
    ``changes`` are exact repairs that only the probe can know (a flag that was meant); ``repair``
    is one in the words of the file. ``span`` is the place of the value that the finding points at.
    ``exact``: arithmetic on numbers as they were logged, of a probe that else judges by a shape.
    """

    name: str
    outcome: str = "present"
    value: Mapping[str, Any] = field(default_factory=dict)
    source: Source = field(default_factory=Source)
    more: tuple[Source, ...] = ()
    changes: tuple[Change, ...] = ()
    span: Span | None = None  # the exact value, where a line has several
    repair: Repair | None = None
    exact: bool = False


@dataclass(frozen=True)
class Skip:
    """The probe could not look: what it needs, in words for the user."""

    needs: Text
    check: str = ""  # a check that stays open; empty for all that the probe tells


@dataclass(frozen=True)
class Unread:
    """A file of the case that could not be read, and why. It is never shown as clean.

    ``partly``: the rest of it was read. ``aside``: left out on purpose, and no fault of this run is
    hidden by that. ``earlier``: it is of a run before this one.
    """

    file: str
    why: Text
    partly: bool = False
    aside: bool = False
    earlier: bool = False


@dataclass(frozen=True)
class Scan:
    """A pass over one log file: hits in file order, and what was not read.

    ``notes`` say what of the file was not read, ``aside`` what of that was left out on purpose.
    ``marks`` are lines that part a log (where a traceback, a launch, a failure begins): places to
    read, never evidence. ``starts``: (byte, number) of a line in about every MiB of a file whose
    bytes are its text.
    """

    hits: tuple[Hit, ...]
    lines: int
    bytes: int
    notes: tuple[Text, ...] = ()
    marks: tuple[Hit, ...] = ()
    starts: tuple[tuple[int, int], ...] = ()
    aside: tuple[Text, ...] = ()


class Look(Protocol):
    """All that a probe may ask for."""

    def fact(self, kind: type[T]) -> T: ...
    def has(self, kind: type[Any]) -> bool: ...
    def files(self, *kinds: FileKind) -> Sequence[GivenFile]: ...
    @property
    def text(self) -> str:
        """What was pasted or typed, as it came."""
        ...

    def open(self, path: str, limit: int = ...) -> BinaryIO:
        """A regular file, opened read-only with a byte limit. Raises Unreadable."""
        ...

    def lines(self, path: str) -> Iterator[tuple[int, str]]:
        """(line number, text) of a log: decompressed, cut at 64 KiB, escapes stripped."""
        ...

    def scan(self, path: str) -> Scan: ...
    def scan_text(self, text: str, name: str = ...) -> Scan: ...
    def parse(self, path: str) -> Document:
        """YAML, JSON, TOML or shell as a tree with spans. Raises Unreadable."""
        ...

    def nearest(self, word: str, names: Sequence[str], limit: int = ...) -> list[str]: ...
    def threshold(self, name: str) -> float:
        """A threshold of any check by its name. Raises KeyError for an unknown one."""
        ...

    def estimate_memory(
        self, run_config: RunConfig, capacity: int | None, *, usual: bool = ...
    ) -> MemoryEstimate:
        """Peak memory of a training step in bytes, against a GPU of ``capacity`` bytes. ``usual``:
        with what hardly a run changes without saying so, as ``medic memory`` tells it."""
        ...

    def cancelled(self) -> bool: ...
    @property
    def frameworks(self) -> Sequence[Any]: ...
    @property
    def gpus(self) -> Sequence[Any]:
        """The GPU models of the knowledge."""
        ...

    def with_named_sizes(self, run_config: RunConfig) -> RunConfig:
        """The config with the sizes of the open model that it names, where it states none."""
        ...

    @property
    def variables(self) -> frozenset[str]:
        """Environment variables that something is known to read."""
        ...

    @property
    def accepted(self) -> Mapping[str, tuple[str, str]]:
        """(pattern of the values, who reads it) of the variables that do not take every value."""
        ...

    @property
    def unread(self) -> Mapping[str, str]:
        """Variables that are said to help and that no known program reads -> the term of each."""
        ...

    @property
    def checks(self) -> frozenset[str]:
        """Names of the lint checks that the knowledge has words for."""
        ...

    @property
    def parts(self) -> Sequence[Part]:
        """Those of the probe that looks."""
        ...

    @property
    def given(self) -> Mapping[str, Any]:
        """Canonical fields given by hand (--set)."""
        ...

    @property
    def host_is_the_runs(self) -> bool | None:
        """Whether this machine ran the job: True, False, or None if unknown."""
        ...


def config_of(look: Look) -> RunConfig:
    """The run's configuration; where none was read, one that states nothing."""
    return look.fact(RunConfig) if look.has(RunConfig) else RunConfig()


def logs_of(look: Look) -> LogHits:
    """What the logs show; where none was read, nothing."""
    return look.fact(LogHits) if look.has(LogHits) else LogHits()


def source_of(at: Origin | Span | None, text: str = "") -> Source:
    """The line that a value was read from; one of no file where that is not known."""
    span = at.span if isinstance(at, Origin) else at
    return Source(span.file, span.line, text=text) if span is not None else Source()


@dataclass(frozen=True)
class Part:
    """One check of a probe that has many: ``module`` holds it, and is imported where the canonical
    fields of ``needs`` are known."""

    name: str
    needs: tuple[str, ...]
    module: str


@dataclass(frozen=True)
class Probe:
    """One kind of look at the evidence.

    ``tells`` names the symptoms and checks it may report; any other is a bug. ``needs`` and
    ``gives`` are fact types; a probe whose needs are not met is skipped, naming them. One that
    looks at ``files`` of certain kinds only is not run where the case has none of them; ``without``
    is what it would say then. ``run`` is a function of a module, so that it can be found by name.
    ``title`` says what it looks at; ``seconds`` is its usual cost, ``limit_seconds`` when it is given up.
    """

    name: str
    tells: tuple[str, ...]
    run: Callable[[Look], Iterator[Any]]
    needs: tuple[type[Any], ...] = ()
    wants: tuple[type[Any], ...] = ()  # read if there
    gives: tuple[type[Any], ...] = ()
    reads: Reads = "artefacts"
    reliability: Reliability = "exact"
    seconds: float = 0.1
    limit_seconds: float = 30.0
    consent: bool = False
    files: tuple[FileKind, ...] = ()
    without: tuple[Skip, ...] = ()
    parts: tuple[Part, ...] = ()
    title: Text = Text("", "")


@dataclass(frozen=True)
class Fires:
    """A lint check found what it looks for. ``at`` is the canonical field to point at, or a key."""

    at: str
    values: Mapping[str, Any] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    repair: Repair | None = None


SETTLED = "settled"  # of a finding that passes: what it looks for is stated, and as it should be


@dataclass(frozen=True)
class Passes:
    """A lint check looked and found nothing wrong. ``settled``: the key that states, beside what it
    is compared with, that it is as it should be; "" where a default may be otherwise."""

    settled: str = ""


@dataclass(frozen=True)
class NotChecked:
    """A lint check lacks fields, or what a text says."""

    needs: tuple[str | Text, ...]


LintResult = Fires | Passes | NotChecked
