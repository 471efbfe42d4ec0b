"""One patch of the fixes of a report."""

from __future__ import annotations

from medic.fixes import Fix, merged
from medic.lint.files import LintFinding, LintReport

# The tokens of a step are made of these, and these are counted in them.
_OF_A_STEP = frozenset(
    ("micro_batch_size", "gradient_accumulation_steps", "global_batch_size", "sequence_length",
     "data_parallel_size", "world_size")
)  # fmt: skip
_IN_STEPS = frozenset(("total_steps", "total_tokens", "decay_steps", "warmup_steps"))


def merged_fix(report: LintReport, *, unsafe: bool) -> tuple[Fix | None, tuple[LintFinding, ...]]:
    """One patch of the fixes, and the findings that it repairs. Beside a fix of the batch none of
    the schedule is taken: the next lint computes it with the batch as it is then."""
    wanted = [f for f in report.findings if f.fix and (f.fix.safe or unsafe)]
    if any(_fields(f) & _OF_A_STEP for f in wanted):
        wanted = [f for f in wanted if not _fields(f) & _IN_STEPS or _fields(f) & _OF_A_STEP]
    fix, taken = merged([f.fix for f in wanted if f.fix])
    return fix, tuple(f for f in wanted if f.fix in taken)


def _fields(finding: LintFinding) -> frozenset[str]:
    return frozenset(c.field for c in finding.fix.changes) if finding.fix else frozenset()
