"""Files of earlier launches beside those of the last one.

Each launch leaves a file (slurm-1001.out, slurm-1002.out) or a folder (torchrun's RUN_ID and, of a
restart by its agent, attempt_N) of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from medic.records import dataclass, field
from medic.text.patterns import regex

from .attempts import attempt_folder
from .nodes import place
from .view import View

# Workers of one launch begin within this many seconds, however early one of them fell silent.
TOGETHER_SECONDS = 60.0
_DIGITS = regex(r"\d+")


@dataclass
class Launch:
    """Files that one launch wrote; times in seconds since 1970, None where they are unknown."""

    attempt: int = 0
    views: list[View] = field(default_factory=list)

    @property
    def began(self) -> float | None:
        return min((t for v in self.views for _, t in v.clock), default=None)

    @property
    def last(self) -> float | None:
        return max((t for v in self.views for _, t in v.clock), default=None)

    @property
    def written(self) -> float:
        return max((v.given.modified for v in self.views), default=0.0)

    @property
    def has_steps(self) -> bool:
        return any(v.steps for v in self.views)


def split(views: Sequence[View]) -> tuple[list[View], list[Launch]]:
    """(files of the last launch and those of no launch in particular, earlier launches in order)."""
    kept: list[View] = []
    earlier: list[Launch] = []
    by_shape: dict[str, dict[tuple[str, int], Launch]] = {}
    for view in views:
        if view.machine:
            kept.append(view)
            continue
        shape, key = _key(view)
        launch = by_shape.setdefault(shape, {}).setdefault(key, Launch(key[1]))
        launch.views.append(view)
    for launches in by_shape.values():
        over = _over(list(launches.values()))
        earlier += over
        kept += [v for g in launches.values() if all(g is not o for o in over) for v in g.views]
    order = {id(view): number for number, view in enumerate(views)}
    kept.sort(key=lambda v: order[id(v)])
    return kept, sorted(earlier, key=lambda g: (g.began or 0.0, g.attempt))


def _key(view: View) -> tuple[str, tuple[str, int]]:
    """(what all launches of this kind have in common, which launch)."""
    path = view.given.path.replace("\\", "/")
    at = place(path)
    if at is not None:
        parent = PurePath(at[0]).parent
        return f"torchrun {_DIGITS.sub('#', str(parent))}", (at[0], attempt_folder(path) or 0)
    return _DIGITS.sub("#", path), (path, 0)


def _over(launches: list[Launch]) -> list[Launch]:
    """Those that were over before the newest one began."""
    last = max((g.attempt for g in launches), default=0)
    before = [g for g in launches if g.attempt < last]
    rest = [g for g in launches if g.attempt == last]
    newest = max(rest, key=lambda g: g.began or 0.0)
    if newest.began is None:
        return before
    began, steps = newest.began, newest.has_steps
    return [*before, *(g for g in rest if g is not newest and _ended(g, began, steps))]


def _ended(launch: Launch, began: float, with_steps: bool) -> bool:
    if launch.last is None:
        return 0.0 < launch.written < began - TOGETHER_SECONDS
    if launch.has_steps and with_steps:
        return launch.last < began
    return max(launch.last, launch.written) < began - TOGETHER_SECONDS
