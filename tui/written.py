"""A previewed change in words, and as a file beside the user."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from medic.i18n import Text

from . import words_more
from .lines import Line, joined

if TYPE_CHECKING:
    from medic.run_config import Change

    from .offers import Offer


def number(change: Change) -> Line:
    """One value with where the number comes from; a flag by the words of the command."""
    kind, _, flag = change.field.partition(":")
    old = "?" if change.old is None else str(change.old)
    if kind == "flag":
        text = words_more.BECOMES.fill(old=old, new=change.new)
    elif kind == "flag-value":
        old = f"{flag} {old}"
        text = words_more.BECOMES.fill(old=old, new=change.new or flag)
    else:
        text = words_more.VALUE_BECOMES.fill(field=change.field, old=old, new=change.new)
    if change.new is None and kind != "flag-value":
        text = words_more.LEFT_OUT.fill(name=old if kind == "flag" else change.field)
    told = words_more.BECAUSE.fill(text=text, why=change.why) if str(change.why) else text
    return Line(told, mark="= ")


def files_of(diff: str) -> list[str]:
    """The files that a unified diff changes."""
    return [row[4:] for row in diff.splitlines() if row.startswith("+++ ")]


def write_patch(offer: Offer) -> Text:
    """Writes the diff beside the user, never over a file that is there."""
    name = offer.fix.remedy.name
    for i in range(1, 100):
        file = Path(f"medic-{name}.patch" if i == 1 else f"medic-{name}-{i}.patch")
        try:
            with file.open("x", encoding="utf-8", newline="") as out:
                out.write(offer.fix.diff)
        except FileExistsError:
            continue
        except OSError as problem:
            return words_more.NOT_WRITTEN.fill(why=problem.strerror or str(problem))
        told = words_more.WRITTEN.fill(file=str(file.absolute()))
        if any(name.startswith("/") for name in files_of(offer.fix.diff)):
            return told  # patch refuses such names
        apply = words_more.APPLY_IT.fill(command=f"patch -p0 < {file}")
        return joined([told, apply], "; ", "；")
    return words_more.NOT_WRITTEN.fill(why=name)
