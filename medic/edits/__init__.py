"""Changes -> edits of the user's files: shown as a diff, applied whole or not at all, undone."""

from medic.edits.apply import apply, undo
from medic.edits.diff import changed, diff, differences
from medic.edits.patch import Patch, patch_for
from medic.edits.plan import EditPlan, edits_for
from medic.edits.records import ChangeRecord, changes

__all__ = [
    "ChangeRecord",
    "EditPlan",
    "Patch",
    "apply",
    "changed",
    "changes",
    "diff",
    "differences",
    "edits_for",
    "patch_for",
    "undo",
]
