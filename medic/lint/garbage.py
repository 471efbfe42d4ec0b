"""Files of a configuration's ending that hold none: they are told, whatever else they might be."""

from __future__ import annotations

from pathlib import PurePath

from medic.case.collect import Case, NotRead
from medic.errors import Unreadable
from medic.records import replace
from medic.runner.look import MAX_CONFIG, open_regular
from medic.syntax import parse

# What of a text that nothing else claims becomes.
_AS_A_LOG = "log"


def without_garbage(case: Case) -> Case:
    """The case without the files that the user named, that are called ``.json``, and that are not:
    what begins like no object is taken for a log, which a lint does not read."""
    refused = {}
    for file in case.files:
        if file.named and file.kind == _AS_A_LOG and PurePath(file.path).suffix == ".json":
            problem = _problem(file.path)
            if problem is not None:
                refused[file.path] = NotRead(problem.at or file.path, problem.en, problem.zh)
    if not refused:
        return case
    kept = tuple(file for file in case.files if file.path not in refused)
    return replace(case, files=kept, not_read=(*case.not_read, *refused.values()))


def _problem(path: str) -> Unreadable | None:
    try:
        with open_regular(path) as file:
            parse(file.read(MAX_CONFIG), path, "json")
    except Unreadable as problem:
        return problem
    return None
