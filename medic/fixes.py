"""A remedy as a concrete change of the user's own files: computed, shown, applied, undone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from medic.changes import compute
from medic.edits import ChangeRecord, Patch, apply, patch_for
from medic.entries import Remedy
from medic.errors import EditRefused
from medic.i18n import Text
from medic.index import Index
from medic.run_config import Change, RunConfig


@dataclass(frozen=True)
class Fix:
    """One remedy for this case.

    ``text`` is what to do with the numbers filled in; ``patch`` the edits, if the user's files
    can carry them; ``missing`` the fields without which nothing could be computed.
    """

    remedy: Remedy
    text: Text
    changes: tuple[Change, ...] = ()
    patch: Patch | None = None
    missing: tuple[str, ...] = ()
    notes: tuple[Text, ...] = field(default_factory=tuple)

    @property
    def diff(self) -> str:
        return self.patch.diff if self.patch else ""

    def apply(self) -> ChangeRecord:
        """Writes the previewed change. Raises EditRefused; nothing is lost either way."""
        if self.patch is None:
            raise EditRefused("there is nothing to apply", "没有可应用的修改")
        return apply(self.patch)


def propose(
    remedy: Remedy,
    facts: Mapping[type[Any], Any],
    index: Index,
    exact: Sequence[Change] = (),
) -> Fix:
    """The remedy with computed numbers. ``exact`` are changes that a probe already knows."""
    config = facts.get(RunConfig) or RunConfig()
    plan = compute(remedy, config, facts, exact)
    patch, refused = _patch(plan.changes, config, facts, index)
    notes = tuple(n for n in (plan.note, *refused) if n is not None)
    return Fix(remedy, remedy.do.fill(plan.values), plan.changes, patch, plan.missing, notes)


def merged(fixes: Sequence[Fix], facts: Mapping[type[Any], Any], index: Index) -> Fix | None:
    """One patch of several fixes; a field is changed by the first that names it."""
    changes: dict[str, Change] = {}
    for fix in fixes:
        if not any(c.field in changes for c in fix.changes):
            changes |= {c.field: c for c in fix.changes}
    if not changes:
        return None
    config = facts.get(RunConfig) or RunConfig()
    patch, refused = _patch(tuple(changes.values()), config, facts, index)
    return Fix(fixes[0].remedy, fixes[0].text, tuple(changes.values()), patch, (), refused)


def _patch(
    changes: Sequence[Change], config: RunConfig, facts: Mapping[type[Any], Any], index: Index
) -> tuple[Patch | None, tuple[Text, ...]]:
    if not changes:
        return None, ()
    return patch_for(changes, config, facts, list(index.frameworks.values()), _read)


def _read(path: str) -> bytes:
    return Path(path).read_bytes()
