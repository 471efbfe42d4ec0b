"""A remedy as a concrete change of the user's own files: computed, shown, applied, undone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medic.entries import Remedy
from medic.errors import EditRefused
from medic.facts import Repair, SinceGood
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.records import dataclass, field
from medic.run_config import Change, Edit, RunConfig

if TYPE_CHECKING:
    from medic.edits import ChangeRecord, Patch
    from medic.facts.repairs import Step


@dataclass(frozen=True)
class Fix:
    """One remedy for this case.

    ``text`` is what to do with the numbers filled in; ``patch`` the edits, if the user's files
    can carry them; ``missing`` the fields without which nothing could be computed. ``repair`` is
    what the probe of a lint check knows in place of a computation. ``rebatches``: the tokens of a
    step are others after it.
    """

    remedy: Remedy
    text: Text
    changes: tuple[Change, ...] = ()
    patch: Patch | None = None
    missing: tuple[str, ...] = ()
    notes: tuple[Text, ...] = field(default_factory=tuple)
    repair: Repair | None = None
    rebatches: bool = False

    @property
    def safe(self) -> bool:
        """Whether ``--fix`` writes it without being told to: never where the learning rate and the
        steps were set for another batch."""
        safe = self.remedy.safe if self.repair is None else self.repair.safe
        return safe and not self.rebatches

    @property
    def filled(self) -> bool:
        """Whether every number of the text is known, and says a change."""
        return "{" not in self.text.en and not (self.made and self.remedy.changes)

    @property
    def made(self) -> bool:
        """Whether the run is configured so already."""
        from medic.changes import AS_IS

        return AS_IS in self.notes

    @property
    def diff(self) -> str:
        return self.patch.diff if self.patch else ""

    def apply(self) -> ChangeRecord:
        """Writes the previewed change. Raises EditRefused; nothing is lost either way."""
        if self.patch is None:
            raise EditRefused("there is nothing to apply", "没有可应用的修改")
        from medic.edits import apply

        return apply(self.patch)


def propose(
    remedy: Remedy,
    facts: Mapping[type[Any], Any],
    index: Index,
    exact: Sequence[Change] = (),
    repair: Repair | None = None,
) -> Fix:
    """The remedy with computed numbers. ``exact`` are changes that a probe already knows, and
    ``repair`` is all that it knows better than any computation.
    """
    from medic.changes import compute, tokens_told
    from medic.changes.worked import others

    config = facts.get(RunConfig) or RunConfig()
    if repair is not None:
        patch, refused = _patch(repair.changes, config, facts, index, repair.steps)
        return Fix(remedy, remedy.do, repair.changes, patch, notes=refused, repair=repair)
    plan = compute(remedy, _sized(remedy, config, index), facts, exact)
    patch, refused = _patch(plan.changes, config, facts, index)
    told = tokens_told(config, plan.changes) if patch is not None else None
    rest = others(facts.get(SinceGood), {c.field: c.new for c in plan.changes})
    notes = tuple(n for n in (plan.note, *refused, told, rest) if n is not None)
    text = remedy.do.fill(plan.values)
    other = told is not None
    return Fix(remedy, text, plan.changes, patch, plan.missing, notes, rebatches=other)


def _sized(remedy: Remedy, config: RunConfig, index: Index) -> RunConfig:
    """The config with the sizes of the model that it names, where memory is estimated of them."""
    from medic.changes import estimates_memory

    if not estimates_memory(remedy):
        return config
    from medic.memory.named import with_model

    return with_model(config, index)[0]


def merged(fixes: Sequence[Fix]) -> tuple[Fix | None, tuple[Fix, ...]]:
    """One patch of several fixes, and those that it holds; of two that touch the same bytes the
    first is taken."""
    from medic.edits import Patch, diff

    taken: list[Fix] = []
    edits: list[Edit] = []
    hashes: dict[str, str] = {}
    for fix in fixes:
        if fix.patch and not any(_touch(a, b) for a in fix.patch.edits for b in edits):
            taken.append(fix)
            edits += [edit for edit in fix.patch.edits if edit not in edits]
            hashes |= fix.patch.hashes
    if not taken:
        return None, ()
    patch = Patch(tuple(edits), diff(edits, _read), hashes)
    changes = tuple(c for fix in taken for c in fix.changes)
    return Fix(taken[0].remedy, taken[0].text, changes, patch), tuple(taken)


def _touch(one: Edit, other: Edit) -> bool:
    """Whether two edits overlap, or insert other things at the same place; flags may."""
    if one.file != other.file or one == other:
        return False
    if one.start < one.end and other.start < other.end:
        return one.start < other.end and other.start < one.end
    a, b = _added_flag(one), _added_flag(other)
    apart = a.startswith("-") and b.startswith("-") and a not in b and b not in a
    return one.start <= other.end and other.start <= one.end and not apart


def _added_flag(edit: Edit) -> str:
    return edit.text.lstrip(" \t\r\n\\") if edit.start == edit.end else ""


def _patch(
    changes: Sequence[Change],
    config: RunConfig,
    facts: Mapping[type[Any], Any],
    index: Index,
    steps: Sequence[Step] = (),
) -> tuple[Patch | None, tuple[Text, ...]]:
    if not changes and not steps:
        return None, ()
    from medic.edits import patch_for

    return patch_for(changes, config, facts, list(index.frameworks.values()), _read, steps)


def _read(path: str) -> bytes:
    return Path(path).read_bytes()
