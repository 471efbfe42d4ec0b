"""A kept consultation as it was: its case read anew, in the same order, and what was said of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medic.case.collect import Case
from medic.records import replace
from medic.session.pasted import ANOTHER
from medic.session.recheck import Applied
from medic.session.revisit import OF_BEFORE, collect_again, still_before, without
from medic.session.said import say_again
from medic.session.saved import PASTED, Saved, folder_of

if TYPE_CHECKING:
    from medic.index.knowledge import Index
    from medic.session.consultation import Session

MAX_PASTED = 64 * 1024 * 1024


def case_of(saved: Saved, index: Index) -> Case:
    """The case as its files are now; one whose files are gone has what was pasted."""
    where, said = saved.data["case"], from_here(saved, saved.data["said"])
    root = _from_here(saved, where["root"]) if where["root"] else where["root"]
    case = Case(
        given=dict(where["given"]),
        run=where["run"],
        runs=(where["run"],) if where["run"] else (),
        this_host=where["this_host"],
        root=root,
        paths=tuple(_from_here(saved, path) for path in where["paths"]),
        pastes=_pastes(saved),
    )
    case = collect_again(case, index)
    case = replace(case, text=case.text or case.pasted)
    left_out = [_from_here(saved, path) for path in where["left_out"]]
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
    said = from_here(saved, saved.data["said"])
    session.left_out = [_from_here(saved, path) for path in saved.data["case"]["left_out"]]
    session.applied = [Applied.of(data) for data in saved.data["applied"]]
    say_again(session, said)


def from_here(saved: Saved, said: Mapping[str, Any]) -> dict[str, Any]:
    """What was said, with its paths as they are called from the folder of today."""
    found = dict(said)
    for name in ("paths", "left_out"):
        if name in said:
            found[name] = [_from_here(saved, path) for path in said[name]]
    for name in ("aside", "before"):
        if name in said:
            found[name] = {_from_here(saved, path): t for path, t in said[name].items()}
    return found


def _from_here(saved: Saved, path: str) -> str:
    cwd = saved.data["case"]["cwd"]
    return path if cwd == str(Path.cwd()) or path.startswith("<") else str(Path(cwd) / path)
