"""What lint found, as data: findings at their places, and what was checked and read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from medic.case.collect import NotRead
from medic.i18n import Text
from medic.records import dataclass
from medic.run_config import RunConfig

if TYPE_CHECKING:
    from medic.fixes import Fix

ORDER = {"error": 0, "warning": 1, "info": 2}


@dataclass(frozen=True)
class LintFinding:
    """One fired check at its place. Columns are 1-based; 0 where the line has none.

    ``shown`` are the fix's changes as (key as written, old text, new text); see ``edits.shown``.
    ``by_hand`` says, where there is no fix, why not, and what may be written.
    ``also``: (file, line) of the other places of the same fault.
    """

    name: str
    code: str
    severity: str
    file: str
    line: int
    column: int
    end_column: int
    message: Text
    consequence: Text
    fix: Fix | None = None
    shown: tuple[tuple[str, str, str], ...] = ()
    by_hand: tuple[Text, ...] = ()
    also: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Idle:
    """A comment that turns no finding off; ``unknown``: it names a check that does not exist."""

    file: str
    line: int
    text: Text
    unknown: bool = False


@dataclass(frozen=True)
class LintReport:
    """``ignored`` findings carry the place that turned them off."""

    findings: tuple[LintFinding, ...]
    not_checked: tuple[tuple[str, str], ...]
    passed: tuple[str, ...]
    run_config: RunConfig
    facts: dict[type[Any], Any]
    read: dict[str, int]
    not_read: tuple[NotRead, ...]
    failed: tuple[tuple[str, str], ...]
    ignored: tuple[tuple[LintFinding, str], ...] = ()
    idle: tuple[Idle, ...] = ()
    parts: tuple[LintReport, ...] = ()  # of several launches, one each
    apart: Text | None = None  # what is said where the files cannot be one launch


def exit_matters(findings: Sequence[LintFinding]) -> bool:
    return any(f.severity in ("error", "warning") for f in findings)


def may_launch(report: LintReport) -> bool:
    """Whether no error or warning stands in the way, and everything could be read and checked."""
    return not (exit_matters(report.findings) or report.not_read or report.failed)
