"""What the run was planned to do, and how far it came."""

from __future__ import annotations

from medic.errors import Unreadable
from medic.facts import Counted, Curve, LogHits, Series, Source
from medic.probe import Look, config_of, logs_of
from medic.records import dataclass, replace

# A run this near its planned end is complete: the last log line may stand one interval before.
COMPLETE_SHARE = 0.95
MAX_QUOTED = 8 << 20  # bytes of a metrics file that is read again to quote a line of it


@dataclass(frozen=True)
class Plan:
    """Planned optimizer steps and schedule; None where nothing tells."""

    steps: int | None
    last_step: int
    ended_well: bool
    peak: float | None
    floor: float | None
    warmup: int | None
    resumed: bool

    @property
    def complete(self) -> bool:
        if self.steps is not None:
            return self.last_step >= COMPLETE_SHARE * self.steps
        return self.ended_well

    @property
    def length(self) -> int:
        """Planned steps, or the last step of a run whose plan is not known."""
        return max(self.steps or 0, self.last_step)


def plan_of(look: Look, curve: Curve) -> Plan:
    """The plan from the config, the log and the metrics, in this order."""
    config = config_of(look)
    logs = logs_of(look)
    steps = config.integer("total_steps") if config.stated("total_steps") else None
    last = max(s.steps[-1] for s in curve.series.values() if s.steps)
    warmup = config.integer("warmup_steps")
    ratio = config.number("warmup_ratio")
    steps = steps or logs.planned_steps or curve.planned_steps
    if _only_counted(curve):
        steps = warmup = ratio = None
    if warmup is None and ratio is not None and steps:
        warmup = int(ratio * steps)
    return Plan(
        steps=steps,
        last_step=last,
        ended_well=logs.ended == "well",
        peak=config.number("learning_rate"),
        floor=config.number("min_learning_rate"),
        warmup=warmup,
        resumed=bool(config.get("resume_from")),
    )


def _only_counted(curve: Curve) -> bool:
    """Whether the rows name no step and nothing tells every how many steps one is logged: their
    count is the steps up to a factor, and compares with no number of steps."""
    rows = curve.series.get("learning_rate") or curve.series.get("loss")
    return rows is not None and Counted.is_count(rows.steps[-1])


def source_at(look: Look, series: Series, index: int) -> Source:
    """The line of a point, with its text."""
    line = series.lines[index]
    return Source(series.file, line, series.rank, None, _text(look, series.file, line))


def quoted(look: Look, source: Source) -> Source:
    """A line with its text, where only its place is known."""
    if source.text:
        return source
    return replace(source, text=_text(look, source.file, source.line))


def _text(look: Look, name: str, line: int) -> str:
    """The line as it stands in its file: of a log the pass over it has kept it already."""
    if look.has(LogHits):
        for step in look.fact(LogHits).steps:
            if step.source.line == line and step.source.file == name:
                return step.source.text[:400]
    given = next((f for f in look.files("metrics") if f.name == name), None)
    if given is None or line <= 0 or given.size > MAX_QUOTED:
        return ""
    try:
        return next((text[:400] for number, text in look.lines(given.path) if number == line), "")
    except Unreadable:  # an event file; told where it is read
        return ""
