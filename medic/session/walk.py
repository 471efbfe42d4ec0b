"""A procedure walked step by step: where one stands, what came out so far, what is next.

The trail is all its state: taking a step back is dropping the last outcome. It is kept below the
state folder under the procedure's name, so that a walk of days goes on where it was left.
"""

from __future__ import annotations

import json
from pathlib import Path

from medic.config import state_dir, write_whole
from medic.entries import Procedure, Step
from medic.errors import UsageError
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.nearest import did_you_mean
from medic.records import dataclass, field

DONE = "done"


@dataclass
class Walk:
    """One walk of a procedure. ``trail`` holds (step, outcome) in order."""

    procedure: Procedure
    trail: list[tuple[str, str]] = field(default_factory=list)

    @property
    def target(self) -> str:
        """Where the trail leads: a step's name, a cause's name, or done."""
        if not self.trail:
            return self.procedure.steps[0].name
        name, outcome = self.trail[-1]
        return self._step(name).outcomes[outcome]

    @property
    def step(self) -> Step | None:
        """The step to do now, or None if the walk has ended."""
        return next((s for s in self.procedure.steps if s.name == self.target), None)

    @property
    def cause(self) -> str:
        """The cause that the walk ended at, or ""."""
        return "" if self.step is not None or self.target == DONE else self.target

    def take(self, outcome: str) -> None:
        """What came out of the present step. Raises UsageError for an outcome that it has not."""
        step = self.step
        if step is None:
            raise UsageError("the walk has ended", "流程已经结束")
        if outcome not in step.outcomes:
            hint = did_you_mean(outcome, step.outcomes)
            names = ", ".join(step.outcomes)
            raise UsageError(
                f'{step.name}: no outcome "{outcome}"{hint.en}; there are: {names}',
                f"{step.name}：没有结果 “{outcome}”{hint.zh}；可选：{names}",
            )
        self.trail.append((step.name, outcome))

    def back(self) -> None:
        """Takes the last outcome back."""
        if self.trail:
            self.trail.pop()

    def _step(self, name: str) -> Step:
        return next(s for s in self.procedure.steps if s.name == name)


def outcome_title(step: Step, outcome: str) -> Text:
    """An outcome in words; its name where the entry has none."""
    plain = outcome.replace("-", " ")
    return step.titles.get(outcome, Text(plain, plain))


# --- kept between starts --------------------------------------------------------------------


def resume(index: Index, name: str) -> Walk:
    """The walk as it was left, or a new one. Raises UsageError for an unknown procedure."""
    if name not in index.procedures:
        hint = did_you_mean(name, index.raw["procedures"])
        raise UsageError(f'no procedure "{name}"{hint.en}', f"没有流程 “{name}”{hint.zh}")
    walk = Walk(index.procedures[name])
    try:
        kept = json.loads(_file(name).read_text("utf-8"))
        for step, outcome in kept:
            if walk.step is None or walk.step.name != step:
                break  # the procedure has changed since
            walk.take(outcome)
    except (OSError, ValueError, TypeError, UsageError):
        pass
    return walk


def keep(walk: Walk) -> None:
    """Remembers how far the walk is; a walk that ended starts anew the next time."""
    file = _file(walk.procedure.name)
    if walk.step is None or not walk.trail:
        file.unlink(missing_ok=True)
        return
    write_whole(file, json.dumps(walk.trail).encode())


def _file(name: str) -> Path:
    return state_dir("walks") / f"{name}.json"
