"""A kept consultation as it was: its case read anew, in the same order, and what was said of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from medic.case.collect import Case
from medic.records import replace
from medic.session.pasted import ANOTHER
from medic.session.recheck import Applied
from medic.session.revisit import OF_BEFORE, collect_again, still_before, without
from medic.session.said import say_again
from medic.session.saved import PASTED, Saved, folder_of
from medic.session.where import case_at, from_here

if TYPE_CHECKING:
    from medic.index.knowledge import Index
    from medic.session.consultation import Session

MAX_PASTED = 64 * 1024 * 1024


def case_of(saved: Saved, index: Index) -> Case:
    """The case as its files are now; one whose files are gone has what was pasted."""
    where, said = saved.data["case"], said_from_here(saved, saved.data["said"])
    case = collect_again(case_at(where, _pastes(saved)), index)
    case = replace(case, text=case.text or case.pasted)
    left_out = [from_here(where["cwd"], path) for path in where["left_out"]]
    case = without(without(case, left_out), [*said.get("aside", {})], ANOTHER)
    return without(case, [*still_before(case, said.get("before", {}))], OF_BEFORE)


def _pastes(saved: Saved) -> tuple[str, ...]:
    """What was pasted, each time by itself. What the state does not know of was not taken yet: it
    waits to be said again."""
    try:
        with (folder_of(saved.id) / PASTED).open("rb") as file:
            text = file.read(MAX_PASTED).decode("utf-8", "replace")
    except OSError:
        return ()
    lengths, pastes, at = saved.data["case"].get("pastes"), [], 0
    if lengths is None:
        return (text,) if text else ()
    for length in lengths:
        pastes.append(text[at : at + length])
        at += length + 1
    return tuple(filter(None, pastes))


def restore(session: Session, saved: Saved) -> None:
    """What was said and changed, back into a session over the case of ``saved``."""
    where, said = saved.data["case"], said_from_here(saved, saved.data["said"])
    session.left_out = [from_here(where["cwd"], path) for path in where["left_out"]]
    session.applied = [Applied.of(data) for data in saved.data["applied"]]
    say_again(session, said)


def said_from_here(saved: Saved, said: Mapping[str, Any]) -> dict[str, Any]:
    """What was said, with its paths as they are called from the folder of today."""
    cwd, found = saved.data["case"]["cwd"], dict(said)
    for name in ("paths", "left_out"):
        if name in said:
            found[name] = [from_here(cwd, path) for path in said[name]]
    for name in ("aside", "before"):
        if name in said:
            found[name] = {from_here(cwd, path): t for path, t in said[name].items()}
    return found
