"""What the probes saw of a case."""

from __future__ import annotations

from typing import Any, Literal

from medic.case.collect import NotRead
from medic.probe import Finding, Probe, Skip, Unread
from medic.records import dataclass, field

State = Literal["found", "absent", "skipped", "failed"]


@dataclass(frozen=True)
class Observed:
    """A finding with the probe that made it and how reliable that probe is."""

    finding: Finding
    probe: str
    reliability: str
    role: str = ""  # of the log line: root, either, victim
    this_host: bool = False
    also: tuple[str, ...] = ()  # other symptoms that the same line may show

    @property
    def name(self) -> str:
        return self.finding.name

    @property
    def outcome(self) -> str:
        return self.finding.outcome


@dataclass
class Run:
    """What became of one probe. The four outcomes stay apart up to the screen."""

    probe: Probe
    state: State = "absent"
    findings: list[Finding] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    facts: list[Any] = field(default_factory=list)
    error: str = ""
    seconds: float = 0.0


@dataclass
class Evidence:
    """All that the probes saw of a case."""

    observed: list[Observed] = field(default_factory=list)
    facts: dict[type[Any], Any] = field(default_factory=dict)
    host_facts: set[type[Any]] = field(default_factory=set)  # told of this machine, not the run
    runs: dict[str, Run] = field(default_factory=dict)
    read: dict[str, int] = field(default_factory=dict)
    not_read: list[NotRead] = field(default_factory=list)
    consequences: list[Observed] = field(default_factory=list)
    cancelled: bool = False
    host_is_the_runs: bool | None = None

    def fact(self, kind: type[Any]) -> Any:
        return self.facts.get(kind)

    def unread(self) -> tuple[NotRead, ...]:
        """What could not be read, or not to its end: what is sound in the rest is no health."""
        return tuple(item for item in self.not_read if not item.aside)

    def facts_of_the_run(self) -> dict[type[Any], Any]:
        """Facts that may shape a change: this machine's count only if it is the run's."""
        if self.host_is_the_runs:
            return self.facts
        return {k: v for k, v in self.facts.items() if k not in self.host_facts}
