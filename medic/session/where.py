"""The case of a consultation as plain data that is kept: what its paths are called from, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from medic.case.collect import Case


def where_of(case: Case) -> dict[str, Any]:
    """The case without what can be read again, and the folder that it is called from."""
    return {
        "cwd": str(Path.cwd()),
        "paths": list(case.paths),
        "root": case.root,
        "run": case.run,
        "given": dict(case.given),
        "this_host": case.this_host,
    }


def case_at(where: Mapping[str, Any], pastes: Sequence[str]) -> Case:
    """The same case, unread, as it is called from the folder of today."""
    return Case(
        given=dict(where["given"]),
        run=where["run"],
        runs=(where["run"],) if where["run"] else (),
        this_host=where["this_host"],
        root=from_here(where["cwd"], where["root"]) if where["root"] else "",
        paths=tuple(from_here(where["cwd"], path) for path in where["paths"]),
        pastes=tuple(pastes),
    )


def from_here(cwd: str, path: str) -> str:
    """A path of the folder ``cwd``; the names of what was pasted are none."""
    return path if cwd == str(Path.cwd()) or path.startswith("<") else str(Path(cwd) / path)
