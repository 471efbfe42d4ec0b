"""Probes of the launch: its commands, the options of its scripts, and flags that do not fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from medic.errors import Unreadable
from medic.facts import GivenFile, Launch, Launches, LogHits, Parsers, ParserSpec
from medic.probe import Finding, Look, Probe, Skip

from .launch import launches_of
from .match import boolean
from .outcome import misspelt, with_value
from .places import Places
from .rejected import Complaint, read_refusals
from .script.files import MAX_SOURCE, SourceFiles
from .source import may_parse, read_parser
from .suspects import (
    LOCAL_RANK,
    Checked,
    Suspect,
    check,
    common_tail,
    flags_in,
    script_parts,
    stray_switch,
    suspects,
)

MAX_ENTRIES = 24  # Python files that are read as the start of a program
NEEDS_SCRIPT = "a launch script"
NEEDS_PARSER = "the training script's source or its usage text"
NEEDS_WHOLE = "the source of all that adds options to the script's parser"


# --- launches -------------------------------------------------------------------------------


def run_launch(look: Look) -> Iterator[Launches | Skip]:
    """Reads the training commands of the given scripts."""
    found: list[Launch] = []
    for given in look.files("script"):
        try:
            found += launches_of(look.parse(given.path))
        except Unreadable as problem:
            yield Skip(needs=f"{given.name}: {problem.en}")
    if found:
        yield Launches(tuple(found))
    else:
        yield Skip(needs=NEEDS_SCRIPT)


# --- parsers --------------------------------------------------------------------------------


def run_parsers(look: Look) -> Iterator[Parsers | Skip]:
    """Reads parsers from Python source and from usage texts in logs. Nothing is run."""
    found: list[ParserSpec] = []
    given = look.files("python")
    files = SourceFiles(look, given)
    for path in _entries(look, given):
        try:
            if _mentions_parser(look, path):
                spec = read_parser(files, path)
                found += [spec] if spec is not None else []
        except Unreadable as problem:
            yield Skip(needs=f"{problem.at or files.name(path)}: {problem.en}")
        if look.cancelled():
            return
    found += read_refusals(look).usages
    if found:
        yield Parsers(tuple(found))
    else:
        yield Skip(needs=NEEDS_PARSER)


def _entries(look: Look, given: Sequence[GivenFile]) -> list[str]:
    """Files to start from: the scripts that are launched; if none is given, every file."""
    paths = [str(PurePosixPath(f.path)) for f in given]
    launches = look.fact(Launches).launches if look.has(Launches) else ()
    launched = []
    for launch in launches:
        parts = script_parts(launch)
        shared = {p: common_tail(parts, PurePosixPath(p).parts) for p in paths}
        best = max(shared.values(), default=0)
        launched += [p for p, n in shared.items() if n == best and n > 0]
    return list(dict.fromkeys(launched or ([] if launches else paths)))[:MAX_ENTRIES]


def _mentions_parser(look: Look, path: str) -> bool:
    with look.open(path, MAX_SOURCE) as file:
        return may_parse(file.read(MAX_SOURCE))
