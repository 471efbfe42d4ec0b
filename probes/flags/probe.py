"""Probes of the launch: its commands, the options of its scripts, and flags that do not fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from medic.errors import Unreadable
from medic.facts import Choice, GivenFile, Launch, Launches, LogHits, Parsers, ParserSpec
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, Unread
from medic.records import replace

from .launches import launches_of, not_all
from .outcome import misspelt, with_value
from .places import Places
from .read_as_true import read_as_true
from .refusals import stop
from .rejected import Complaint, read_refusals
from .script_text import NEEDS_SCRIPT, read_script, sourced
from .slurm import allocation_of, batch_words
from .suspects import (
    LOCAL_RANK,
    Checked,
    Suspect,
    check,
    flags_in,
    nearness,
    stray_switch,
    suspects,
)

MISSPELT, SWITCH = "misspelt-flag", "boolean-flag-with-value"
MAX_ENTRIES = 24  # Python files that are read as the start of a program
_NOT_SHELL = Text(
    "not understood as bash: what stands there was not checked",
    "这里不是能识别的 bash 写法，其内容没有检查",
)
_NOT_UTF8 = Text(
    "byte {byte} is no UTF-8: the script was read without such bytes",
    "字节 {byte} 不是 UTF-8：脚本已跳过这类字节读取",
)
NEEDS_PARSER = Text(
    "the training script's source or its usage text", "训练脚本的源码，或它打印的 usage 文本"
)
NEEDS_WHOLE = Text(
    "the source of all that adds options to the script's parser", "向脚本解析器添加选项的全部源码"
)


# --- launches -------------------------------------------------------------------------------


def run_launch(look: Look) -> Iterator[Launches | Skip | Unread]:
    """Reads the training commands of the given scripts."""
    found: list[Launch] = []
    choices: dict[str, tuple[Choice, ...]] = {}
    brought = sourced(look)
    for given in look.files("script"):
        if given.path in brought:
            continue
        read = _launches(look, given)
        if isinstance(read, Unread):
            yield read
        else:
            found += read
            document = look.parse(given.path)
            if document.choices:
                choices[given.path] = document.choices
            if (more := not_all(document)) is not None:
                yield Unread(given.name, more, partly=True)
            yield from _not_shell(look, given)
    if found:
        yield Launches(tuple(found), choices)
    else:
        yield Skip(needs=NEEDS_SCRIPT)


def _launches(look: Look, given: GivenFile) -> list[Launch] | Unread:
    try:
        found = launches_of(look.parse(given.path))
    except Unreadable as problem:
        return _unread(problem, given.name)
    script = read_script(look, given.path, given.name)
    if script is None:
        return found
    allocation = allocation_of(script)
    return [replace(one, batch=batch_words(one, allocation)) for one in found]


def _not_shell(look: Look, given: GivenFile) -> Iterator[Unread]:
    """The first line that is no shell, where the check of the syntax has nothing to say of it; the
    first byte that is no text."""
    document = look.parse(given.path)
    for problem in document.problems:
        if problem.kind == "not-utf-8":
            at = f"{given.name}:{problem.span.line}"
            why = _NOT_UTF8.fill(byte=problem.detail)
            yield Unread(at, why, partly=True, aside=True)
    script = read_script(look, given.path, given.name)
    if script is not None and stop(script, document) is not None:
        return
    for problem in document.problems:
        if problem.kind == "syntax":
            yield Unread(f"{given.name}:{problem.span.line}", _NOT_SHELL, partly=True)


def _unread(problem: Unreadable, name: str) -> Unread:
    return Unread(problem.at or name, Text(problem.en, problem.zh))


# --- parsers --------------------------------------------------------------------------------


def run_parsers(look: Look) -> Iterator[Parsers | Skip | Unread]:
    """Reads parsers from Python source and from usage texts in logs. Nothing is run."""
    found: list[ParserSpec] = []
    for read in _parsers(look, look.files("python")):
        if isinstance(read, Unread):
            yield read
        else:
            found.append(read)
        if look.cancelled():
            return
    found += read_refusals(look).usages
    if found:
        yield Parsers(tuple(found))
    else:
        yield Skip(needs=NEEDS_PARSER)


def _parsers(look: Look, given: Sequence[GivenFile]) -> Iterator[ParserSpec | Unread]:
    """The parsers of the programs that are started, of all where no command tells."""
    if not given:
        return
    # What reads a program is much to load.
    from .script.files import MAX_SOURCE, SourceFiles
    from .source import may_parse, read_parser

    files = SourceFiles(look, given)
    launched = _launched(look, given)
    for path in launched if launched is not None else _all(given)[:MAX_ENTRIES]:
        try:
            if not launched:
                with look.open(path, MAX_SOURCE) as file:
                    if not may_parse(file.read(MAX_SOURCE)):
                        continue
            read = read_parser(files, path)
        except Unreadable as problem:
            yield _unread(problem, files.name(path))
            continue
        if read is not None:
            yield read


def _all(given: Sequence[GivenFile]) -> list[str]:
    return [str(PurePosixPath(f.path)) for f in given]


def _launched(look: Look, given: Sequence[GivenFile]) -> list[str] | None:
    """Those of the given files that a command starts; None if no command is given."""
    if not look.has(Launches):
        return None
    found: list[str] = []
    for launch in look.fact(Launches).launches:
        shared = {p: nearness(launch, p) for p in _all(given)}
        best = max(shared.values(), default=0)
        found += [p for p, n in shared.items() if n == best and n > 0]
    return list(dict.fromkeys(found))[:MAX_ENTRIES]


# --- flags ----------------------------------------------------------------------------------


def run_flags(look: Look) -> Iterator[Finding | Skip]:
    """Compares the words after each script with what its parser accepts."""
    launches = look.fact(Launches).launches if look.has(Launches) else ()
    parsers = look.fact(Parsers) if look.has(Parsers) else Parsers()
    refusals = read_refusals(look)
    checked = check(launches, parsers, refusals)
    found = suspects(checked, parsers, refusals)
    places = Places(look)
    unknown = [s for s in found if not _is_switch(s)]
    switches = [s for s in found if _is_switch(s)]
    told = any(c.kind == "unrecognized" for c in refusals.complaints)
    if unknown:
        yield misspelt(unknown, look.nearest, places)
    else:
        yield _nothing(MISSPELT, checked, told=told)
    if switches:
        yield with_value(switches, places)
    else:
        yield _nothing(SWITCH, checked, told=False)
    if refusals.complaints:
        yield from _refused(refusals.complaints[-1], found)
    elif (read := read_as_true(look, launches)) is not None:
        yield read
    elif look.has(LogHits) and not _refusal_seen(look):
        yield Finding("rejected-argument", "none")


def _is_switch(suspect: Suspect) -> bool:
    switch = suspect.switch
    return switch is not None and (suspect.value is not None or suspect.flag in switch.names)


def _nothing(name: str, checked: Sequence[Checked], *, told: bool) -> Finding | Skip:
    """Passes only where every flag was seen and every parser is known whole."""
    if told:
        return Finding(name, "passes")
    if not checked:
        return Skip(needs=NEEDS_SCRIPT, check=name)
    for one in checked:
        if one.spec is None:
            return Skip(needs=NEEDS_PARSER, check=name)
        if not one.spec.complete or one.match.unread:
            return Skip(needs=NEEDS_WHOLE, check=name)
    return Finding(name, "passes")


def _refusal_seen(look: Look) -> bool:
    """Whether the scan saw a refusal, perhaps one in words that are not taken apart here."""
    names = ("unrecognized-arguments", "argument-error")
    return any(hit.symptom in names and not hit.benign for hit in look.fact(LogHits).hits)


def _refused(complaint: Complaint, found: Sequence[Suspect]) -> Iterator[Finding]:
    """What the parser's last complaint is about, as one outcome."""
    outcome = {
        "takes-no-value": "value-after-switch",
        "ambiguous": "unknown-flag",
        "missing-value": "missing-value",
        "value-refused": "value-refused",
        "command-cut": "command-cut",
    }.get(complaint.kind) or _unrecognized(complaint, found)
    if outcome:
        words = " ".join(complaint.words or complaint.names)
        value = {"arguments": words, "flag": next(iter(complaint.names or complaint.words), "")}
        yield Finding("rejected-argument", outcome, value, complaint.source)


def _unrecognized(complaint: Complaint, found: Sequence[Suspect]) -> str:
    flags = {flag for flag, _ in flags_in(complaint.words)}
    own = [s for s in found if s.log is not None and s.log == complaint.source]
    if flags and flags <= LOCAL_RANK and not own:
        return "local-rank"
    if own:
        return "value-after-switch" if all(_is_switch(s) for s in own) else "unknown-flag"
    if flags:
        return "unknown-flag"
    return "value-after-switch" if stray_switch(complaint.words) else ""


PROBES = (
    Probe(
        name="launch",
        title=Text("the launch command", "启动命令"),
        tells=(),
        run=run_launch,
        gives=(Launches,),
        files=("script",),
        without=(Skip(NEEDS_SCRIPT),),
        seconds=0.05,
        limit_seconds=10,
    ),
    Probe(
        name="parsers",
        title=Text("the training script", "训练脚本"),
        tells=(),
        run=run_parsers,
        wants=(Launches, LogHits),
        gives=(Parsers,),
        files=("python", "log"),
        without=(Skip(NEEDS_PARSER),),
        seconds=0.3,
        limit_seconds=20,
    ),
    Probe(
        name="flags",
        title=Text("flags of the training script", "训练脚本的参数"),
        tells=(MISSPELT, SWITCH, "rejected-argument"),
        run=run_flags,
        wants=(Launches, Parsers, LogHits),
        files=("script", "log"),
        without=(Skip(NEEDS_SCRIPT, MISSPELT), Skip(NEEDS_SCRIPT, SWITCH)),
        seconds=0.05,
        limit_seconds=10,
    ),
)
