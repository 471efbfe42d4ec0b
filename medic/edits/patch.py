"""A previewed change: its edits, the diff the user sees, and the files it was made for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from medic.edits.diff import diff
from medic.edits.plan import EditPlan, edits_for
from medic.edits.sources import Read
from medic.entries import Framework
from medic.facts import Launches, Parsers
from medic.facts.repairs import Step
from medic.i18n import Text
from medic.records import dataclass, field
from medic.run_config import Change, Edit, RunConfig


@dataclass(frozen=True)
class Patch:
    """``hashes``: SHA-256 of each file as previewed; a file that differs is not written."""

    edits: tuple[Edit, ...]
    diff: str
    hashes: Mapping[str, str] = field(default_factory=dict)


def patch_for(
    changes: Sequence[Change],
    run_config: RunConfig,
    facts: Mapping[type[Any], Any],
    frameworks: Sequence[Framework],
    read: Read,
    steps: Sequence[Step] = (),
) -> tuple[Patch | None, tuple[Text, ...]]:
    """The patch that writes the changes and repairs the steps, or None and the reasons."""
    plan, once = _planned(changes, run_config, facts, frameworks, read, steps)
    if not plan.edits:
        return None, plan.refused
    return Patch(plan.edits, diff(plan.edits, once), plan.hashes), ()


def diff_for(
    changes: Sequence[Change],
    run_config: RunConfig,
    facts: Mapping[type[Any], Any],
    frameworks: Sequence[Framework],
    read: Read,
) -> str:
    """The diff of ``patch_for``, to be shown and not written; empty where there is none."""
    plan, once = _planned(changes, run_config, facts, frameworks, read)
    return diff(plan.edits, once) if plan.edits else ""


def _planned(
    changes: Sequence[Change],
    run_config: RunConfig,
    facts: Mapping[type[Any], Any],
    frameworks: Sequence[Framework],
    read: Read,
    steps: Sequence[Step] = (),
) -> tuple[EditPlan, Read]:
    """The edits, and what reads each of their files once."""
    kept: dict[str, bytes] = {}

    def once(file: str) -> bytes:
        if file not in kept:
            kept[file] = read(file)
        return kept[file]

    launches = facts.get(Launches)
    plan = edits_for(
        changes,
        run_config,
        once,
        frameworks=frameworks,
        launches=launches if isinstance(launches, Launches) else None,
        flags=_taken(facts),
        steps=steps,
    )
    return plan, once


def _taken(facts: Mapping[type[Any], Any]) -> frozenset[str]:
    """The flags that the run's own scripts are known to take."""
    read = facts.get(Parsers)
    parsers = read.parsers if isinstance(read, Parsers) else ()
    return frozenset(name for one in parsers for option in one.options for name in option.names)
