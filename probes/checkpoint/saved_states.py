"""Whether a checkpoint holds all that a resume needs, not only the weights."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import CheckpointIndex, Checkpoints, Launches, LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.run_config import RunConfig

from .subject import known, resumed, without_logs

STATES = ("optimizer", "scheduler", "step", "rng")


def run(look: Look) -> Iterator[Finding | Skip]:
    checkpoints = known(look, Checkpoints) or Checkpoints()
    indexes = [i for i in checkpoints.indexes if i.tensors]
    found: Finding | None = None
    subject = resumed(look, indexes)
    if subject is not None:
        found = _of_one(subject)
    elif without_logs(look) and len(indexes) == 2:
        found = _of_pair(*indexes)
    yield found or Skip(
        needs=Text("the checkpoint that the run resumes from", "运行所恢复的检查点"),
        check="checkpoint-states",
    )


def _of_one(index: CheckpointIndex) -> Finding:
    """Absent only where training cannot go on as before.

    Many scripts compute the learning rate from the step and start the random generators anew, so
    that a scheduler state is missed only if the step is not there either.
    """
    absent = tuple(s for s in STATES if not index.states.get(s))
    lacks = "optimizer" in absent or {"scheduler", "step"} <= set(absent)
    value = {"file": index.file, "absent": absent, "step": index.step, "present": _present(index)}
    outcome = "state-absent" if lacks else "complete"
    return Finding("checkpoint-states", outcome, value, Source(file=index.file))


def _present(index: CheckpointIndex) -> tuple[str, ...]:
    return ("model", *(s for s in STATES if index.states.get(s)))


def _of_pair(ours: CheckpointIndex, theirs: CheckpointIndex) -> Finding:
    """Absent is what one of two compared checkpoints holds and the other does not."""
    for one, other in ((ours, theirs), (theirs, ours)):
        absent = tuple(s for s in STATES if other.states.get(s) and not one.states.get(s))
        if "optimizer" in absent or "step" in absent:
            value = {"file": one.file, "absent": absent, "step": one.step, "other": other.file}
            return Finding("checkpoint-states", "state-absent", value, Source(file=one.file))
    value = {"file": ours.file, "absent": (), "step": ours.step, "present": _present(ours)}
    return Finding("checkpoint-states", "complete", value, Source(file=ours.file))


PROBE = Probe(
    name="checkpoint-states",
    title=Text("states of the resumed checkpoint", "恢复用检查点中的状态"),
    tells=("checkpoint-states",),
    wants=(Checkpoints, RunConfig, LogHits, Launches),
    seconds=0.05,
    run=run,
)
