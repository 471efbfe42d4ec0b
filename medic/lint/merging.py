"""One patch of the fixes of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.lint.found import LintFinding, LintReport

if TYPE_CHECKING:
    from medic.fixes import Fix

# What is computed from what, the first first: the tokens of a step, of the run, its steps, and what
# is a part of those. Fields of one place are not computed from one another.
_ORDER = (
    ("micro_batch_size", "gradient_accumulation_steps", "global_batch_size", "sequence_length",
     "data_parallel_size", "world_size"),
    ("total_tokens",),
    ("total_steps",),
    ("decay_steps",),
    ("warmup_steps", "warmup_ratio", "save_interval", "eval_interval", "log_interval"),
)  # fmt: skip
# Told of one setting because of what others are: a setting that gets its right name is one of them.
_OF_OTHERS = frozenset(
    ("option-without-effect", "options-exclude-each-other", "option-needs-another-option")
)
_PLACE = {name: place for place, names in enumerate(_ORDER) for name in names}


def merged_fix(report: LintReport, *, unsafe: bool) -> tuple[Fix | None, tuple[LintFinding, ...]]:
    """One patch of the fixes, and the findings that it repairs. Of a schedule only what the others
    do not change the ground of, and where a setting gets another name, or has to, nothing that is told
    because of others: the next lint computes the rest with the values as they are then."""
    wanted = [f for f in report.findings if f.fix and (f.fix.safe or unsafe)]
    first = min((place for f in wanted for place in _places(f)), default=0)
    wanted = [f for f in wanted if not _places(f) or first in _places(f)]
    if any(_renames(f) for f in report.findings):
        wanted = [f for f in wanted if f.name not in _OF_OTHERS or _renames(f)]
    from medic.fixes import merged

    fix, taken = merged([f.fix for f in wanted if f.fix])
    return fix, tuple(f for f in wanted if f.fix in taken)


def _places(finding: LintFinding) -> set[int]:
    """Where the fields that a fix changes stand in ``_ORDER``."""
    return {_PLACE[name] for name in _fields(finding) if name in _PLACE}


def _renames(finding: LintFinding) -> bool:
    """Whether a key or flag that stood for nothing gets the name of one."""
    from medic.facts import Renamed

    if finding.fix is None:
        return False
    steps = finding.fix.repair.steps if finding.fix.repair is not None else ()
    return any(isinstance(step, Renamed) for step in steps) or any(
        change.field.startswith("flag:") and change.new is not None
        for change in finding.fix.changes
    )


def _fields(finding: LintFinding) -> frozenset[str]:
    return frozenset(c.field for c in finding.fix.changes) if finding.fix else frozenset()
