"""What the user said or changed, to be taken back."""

from __future__ import annotations

from typing import Any

from medic.i18n import Text
from medic.records import dataclass


@dataclass(frozen=True)
class Move:
    """Something the user said or changed that can be taken back.

    ``before``: all that was said before it; ``change``: the id of a change of files, which has to
    be looked at again after it was taken back.
    """

    what: Text
    before: dict[str, Any] | None = None
    change: str = ""
