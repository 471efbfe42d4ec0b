"""Changes -> edits of the user's files: shown as a diff, applied whole or not at all, undone.

What writes and what was written are loaded when first asked for: most edits are only shown.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from medic.edits.diff import changed, diff, differences
from medic.edits.patch import Patch, patch_for
from medic.edits.plan import EditPlan, edits_for

if TYPE_CHECKING:
    from medic.edits.records import ChangeRecord, changes
    from medic.edits.writing import apply, undo

_HOME = {"ChangeRecord": "records", "changes": "records", "apply": "writing", "undo": "writing"}

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


def __getattr__(name: str) -> Any:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(name)
    found = getattr(import_module(f"medic.edits.{module}"), name)
    globals()[name] = found  # from now on it is found without being asked for
    return found
