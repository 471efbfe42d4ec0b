"""Fixes that are computed from a number which another finding calls wrong, or that keep what another
finding refuses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from medic.i18n import Text
from medic.records import replace
from medic.run_config import RunConfig

if TYPE_CHECKING:
    from medic.lint.found import LintFinding

# What tells that the stated number of processes is none of the job's, and what is computed from it.
_PROCESSES = frozenset(("more-ranks-than-gpus", "launch-not-as-allocated"))
_COMPUTED = frozenset(
    (
        "train-batch-mismatch",
        "batch-not-divisible",
        "global-batch-not-divisible-by-replicas",
        "global-batch-tokens-mismatch",
        "micro-batch-is-global",
    )
)
# What the number of processes follows from where no place states it.
_FACTORS = ("nodes", "gpus_per_node")
_FIRST = Text(
    "settle the number of processes first (line {line} of {file}): the batch is computed from it",
    "请先确定进程数（{file} 第 {line} 行）：批次由它算出",
)
_ENOUGH = Text(
    "settle this first, which is said of the same setting: {what}",
    "请先解决同一设置上的另一个问题：{what}",
)
_TWICE, _EXCLUDED = "flag-given-twice", "options-exclude-each-other"


def with_sound_fixes(findings: Sequence[LintFinding], config: RunConfig) -> list[LintFinding]:
    """See ``_of_right_numbers``; without fixes that keep what stays refused."""
    return [_enough(one, findings) for one in _of_right_numbers(findings, config)]


def _enough(one: LintFinding, findings: Sequence[LintFinding]) -> LintFinding:
    """A finding without its fix, where an error of the same setting has none: whether the setting is
    kept, which the fix takes for granted, is open."""
    if one.fix is None or one.fix.safe:
        return one
    # Of a flag that is given twice the value that stays stands behind it.
    twice = one.name == _TWICE
    for other in findings:
        here = (other.file, other.line) == (one.file, one.line) and other.line > 0
        beside = other.column in (one.column, one.end_column + twice)
        refused = other.severity == "error" and other.fix is None and other is not one
        if here and beside and refused and (twice or other.name == _EXCLUDED):
            said = _ENOUGH.fill(what=other.message)
            return replace(one, fix=None, shown=(), by_hand=(said,))
    return one


def _of_right_numbers(findings: Sequence[LintFinding], config: RunConfig) -> list[LintFinding]:
    """The findings, of which those of the batch have no fix where the number of processes that it
    is computed from is told to be wrong."""
    places = set(_places(config))
    wrong = [f for f in findings if f.name in _PROCESSES and (f.file, f.line, f.column) in places]
    if not wrong:
        return list(findings)
    said = _FIRST.fill(file=wrong[0].file, line=wrong[0].line)
    return [
        replace(f, fix=None, shown=(), by_hand=(said,)) if f.name in _COMPUTED else f
        for f in findings
    ]


def _places(config: RunConfig) -> Iterator[tuple[str, int, int]]:
    value = config.values.get("world_size")
    derived = value is not None and value.origin.source == "derived"
    names = ("world_size", *(_FACTORS if derived else ()))
    for origin in (o for n in names if n in config.values for o in config.values[n].carriers()):
        if origin.span is not None:
            yield origin.span.file, origin.span.line, origin.span.column
