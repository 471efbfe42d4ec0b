"""Whether the weights change between two checkpoints, and whether the one resumed from is sound."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from medic.facts import Checkpoints, Launches, LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.run_config import RunConfig

from .folder import step_of_name
from .samples import Sample, holds_nan, read_or_none
from .subject import is_resumed, known, without_logs
from .units import Unit, gather

CHANGE, VALUES = "checkpoint-change", "checkpoint-values"
LOOKED_AT = 8  # checkpoints: of each 4 MiB at most are read
FROZEN = 0.9  # of the parameters: more of them the same is no fine-tuning of the whole
_TWO = Text("two checkpoints of the run, from different steps", "该运行在不同步数的两个检查点")
_RESUMED = Text("the checkpoint that the run resumes from", "运行所恢复的检查点")


def run(look: Look) -> Iterator[Finding | Skip]:
    units = gather(look.files("checkpoint"))
    resumed = next((u for u in units if is_resumed(look, u.path)), None)
    if resumed:
        yield _values(look, resumed)
    else:
        yield _broken(look, units) or Skip(needs=_RESUMED, check=VALUES)
    yield _change(look, units) or Skip(needs=_TWO, check=CHANGE)


def _values(look: Look, unit: Unit) -> Finding | Skip:
    samples = read_or_none(look, unit)
    if not samples:
        return Skip(needs=_RESUMED, check=VALUES)
    bad = [name for name, sample in samples.items() if holds_nan(sample)]
    value = {"file": unit.name, "tensor": bad[0] if bad else "", "count": len(bad)}
    outcome = "not-finite" if bad else "finite"
    return Finding(VALUES, outcome, value=value, source=Source(file=unit.name))


def _broken(look: Look, units: Sequence[Unit]) -> Finding | None:
    """Of checkpoints that are given for themselves, the newest that holds NaN.

    Beside a log they are the run's own: that they hold NaN is the log's to explain.
    """
    if not without_logs(look):
        return None
    for unit in sorted(units, key=lambda u: step_of_name(u.path) or 0, reverse=True)[:LOOKED_AT]:
        found = _values(look, unit)
        if isinstance(found, Finding) and found.outcome == "not-finite":
            return found
    return None


def _change(look: Look, units: Sequence[Unit]) -> Finding | None:
    """Of the oldest and the newest that name their step, and hold the same tensors."""
    if without_logs(look):
        return None
    stepped = sorted((s, u.path, u) for u in units if (s := step_of_name(u.path)) is not None)
    if len(stepped) < 2 or stepped[0][0] == stepped[-1][0]:
        return None
    (early, _, before), (late, _, after) = stepped[0], stepped[-1]
    old, new = read_or_none(look, before), read_or_none(look, after)
    if not old or _kinds(old) != _kinds(new) or any(map(holds_nan, new.values())):
        return None
    same = [n for n in old if old[n].data == new[n].data]
    share = sum(_count(old[n]) for n in same) / max(1, sum(map(_count, old.values())))
    outcome = "unchanged" if len(same) == len(old) else "changed"
    if outcome == "changed" and share >= FROZEN and not _adapts(look):
        outcome = "mostly-unchanged"
    value = {
        "first": early,
        "last": late,
        "same": len(same),
        "of": len(old),
        "share": f"{share:.0%}",
    }
    return Finding(CHANGE, outcome, value=value, source=Source(file=after.name))


def _kinds(samples: dict[str, Sample]) -> dict[str, tuple[str, tuple[int, ...]]]:
    return {name: (s.dtype, s.shape) for name, s in samples.items()}


def _count(sample: Sample) -> int:
    return math.prod(sample.shape)


def _adapts(look: Look) -> bool:
    """Whether most weights are meant to stay."""
    config = known(look, RunConfig)
    return config is not None and bool(config.get("lora_rank"))


PROBE = Probe(
    name="checkpoint-change",
    title=Text("whether the weights changed between checkpoints", "检查点之间的权重变化"),
    tells=(CHANGE, VALUES),
    wants=(RunConfig, LogHits, Launches, Checkpoints),
    seconds=0.3,
    run=run,
)
