"""What a run's log says about its command line: usage texts and the parser's complaint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Literal

from medic.errors import Unreadable
from medic.facts import GivenFile, LogHits, ParserSpec, Source
from medic.probe import Look
from medic.records import dataclass, field, replace
from medic.text.patterns import regex

HEAD_LINES = 20_000  # read where no scan says which line holds the complaint
BEFORE = 600  # lines before the complaint in which its usage text stands
MAX_FILES = 64
MAX_LINE = 32 * 1024  # characters of a line that are looked at
MAX_WORDS = 400  # refused words of one line

Kind = Literal[
    "unrecognized", "takes-no-value", "ambiguous", "missing-value", "value-refused", "command-cut"
]


@dataclass(frozen=True)
class Complaint:
    """A command line that a parser refused.

    ``words`` are the words it did not know, or the value that an option does not take; ``names``
    the option that it names.
    """

    kind: Kind
    words: tuple[str, ...]
    source: Source
    names: tuple[str, ...] = ()
    program: str = ""
    hint: str = ""  # the option that the parser itself asks about


@dataclass
class Refusals:
    """Usage texts and complaints of all logs, in the order in which they were read."""

    usages: list[ParserSpec] = field(default_factory=list)
    complaints: list[Complaint] = field(default_factory=list)


# What launchers and clusters put before a line: [default0]:  [rank3]:  2:  [1,0]<stderr>:
_PREFIX = regex(
    r"^(?:\d{4}-\d\d-\d\d[ T][\d:.,]+Z?[ ]|\[(?!-)[^\]\s]{1,60}\](?:<std(?:err|out)>)?:?[ ]?|"
    r"\(\S+ pid=\d+[^)]*\)[ ]|(?:[\w.-]{1,60}[:@])?\d{1,5}:[ ]?(?=\S*usage|\s|\S+: error))+"
)
_USAGE = regex(r"^[uU]sage:[ ]*(?=\S)")
_ERROR = regex(r"^(?P<program>.{1,200}?): error: (?P<message>.*)$")
_UNRECOGNIZED = regex(r"[Uu]nrecognized arguments: (?P<words>.+)$")
_ABOUT_VALUES: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (
        regex(r"argument (?P<names>-\S+): ignored explicit argument (?P<value>'[^']*')"),
        "takes-no-value",
    ),
    (regex(r"argument (?P<names>-\S+): expected .*argument"), "missing-value"),
    (regex(r"the following arguments are required: (?P<names>.+)"), "missing-value"),
    (regex(r"ambiguous option: (?P<names>\S+) could match"), "ambiguous"),
    (regex(r"argument (?P<names>\S+): (?:invalid|Truthy value)"), "value-refused"),
)
_HF = regex(r"Some specified arguments are not used by the HfArgumentParser: (?P<list>\[.*\])")
_HINT = regex(r"Did you mean ['\"]?(?P<flag>--[\w.-]+)")
_CLICK: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (regex(r"[Nn]o such option:? ['\"]?(?P<flag>-{1,2}[\w.-]+)"), "unrecognized"),
    (
        regex(r"Option ['\"](?P<flag>-{1,2}[\w.-]+)['\"] does not take a value"),
        "takes-no-value",
    ),
    (
        regex(r"Option ['\"]?(?P<flag>-{1,2}[\w.-]+)['\"]? requires an? (?:argument|value)"),
        "missing-value",
    ),
    (regex(r"Invalid value for ['\"]?(?P<flag>-{1,2}[\w.-]+)"), "value-refused"),
    (regex(r"line \d+: (?P<flag>--?[A-Za-z][\w.-]*): command not found"), "command-cut"),
)


def read_refusals(look: Look) -> Refusals:
    """The refusals of all logs; only the part of a log that may hold one is read."""
    found = Refusals()
    for given, lines in _windows(look):
        _read(lines, given, found)
        if look.cancelled():
            break
    return found


def _windows(look: Look) -> Iterator[tuple[GivenFile, Iterator[tuple[int, str]]]]:
    logs = look.files("log")[:MAX_FILES]
    if not look.has(LogHits):
        yield from ((given, _head(look, given.path, HEAD_LINES)) for given in logs)
        return
    last: dict[str, int] = {}
    for hit in look.fact(LogHits).hits:
        if hit.symptom in ("unrecognized-arguments", "argument-error"):
            last[hit.source.file] = max(hit.source.line, last.get(hit.source.file, 0))
    for given in logs:
        line = last.get(given.name) or last.get(given.path)
        if line:
            yield given, _around(look, given.path, line)


def _head(look: Look, path: str, count: int) -> Iterator[tuple[int, str]]:
    with suppress(Unreadable):  # told by the probe that reads the log
        for number, text in look.lines(path):
            if number > count:
                return
            yield number, text


def _around(look: Look, path: str, line: int) -> Iterator[tuple[int, str]]:
    with suppress(Unreadable):
        for number, text in look.lines(path):
            if number > line + 2:
                return
            if number >= line - BEFORE:
                yield number, text


def _read(lines: Iterable[tuple[int, str]], given: GivenFile, found: Refusals) -> None:
    """Collects usage texts per line prefix, so that ranks which write in turns stay apart."""
    opened: dict[str, tuple[Source, list[str]]] = {}
    for number, whole in lines:
        raw = whole[:MAX_LINE]
        prefix = _PREFIX.match(raw)
        start = prefix[0].strip() if prefix else ""
        text = raw[prefix.end() :] if prefix else raw
        source = Source(given.name, number, given.rank, text=raw.strip()[:500])
        usage = _USAGE.match(text)
        if usage:
            _close(opened.pop(start, None), found)
            opened[start] = (source, [text[usage.end() :]])
        elif start in opened and _continues(text):
            opened[start][1].append(text)
        else:
            _close(opened.pop(start, None), found)
            complaint = complaint_in(text, source)
            if complaint is not None:
                found.complaints.append(complaint)
    for block in opened.values():
        _close(block, found)


def _continues(text: str) -> bool:
    """Usage goes on in indented lines; pasted text may have lost the indentation."""
    return text.startswith((" ", "\t", "[-", "--")) and bool(text.strip())


def _close(block: tuple[Source, list[str]] | None, found: Refusals) -> None:
    if block is None:
        return
    from .usage import MAX_USAGE, parse_usage  # only a log has one

    source, lines = block
    spec = parse_usage(" ".join(lines)[:MAX_USAGE], source)
    if spec is None:
        return
    # Ranks that write at once can cut a text short; the longest is whole.
    for index, other in enumerate(found.usages):
        if other.script == spec.script:
            if len(spec.options) > len(other.options):
                found.usages[index] = spec
            return
    found.usages.append(spec)


def complaint_in(text: str, source: Source) -> Complaint | None:
    """The complaint that a line holds: of argparse, HfArgumentParser, click or the shell."""
    error = _ERROR.match(text)
    if error:
        return _argparse(error["program"], error["message"], source)
    hf = _HF.search(text)
    if hf:
        return Complaint("unrecognized", _listed(hf["list"]), source)
    for pattern, kind in _CLICK:
        flag = pattern.search(text)
        if flag:
            named = kind != "unrecognized"
            words, names = ((), (flag["flag"],)) if named else ((flag["flag"],), ())
            hint = _HINT.search(text)
            return Complaint(kind, words, source, names, hint=hint["flag"] if hint else "")
    return None


def _argparse(program: str, message: str, source: Source) -> Complaint | None:
    script = PurePosixPath(program.rsplit(maxsplit=1)[-1]).name
    words = _UNRECOGNIZED.match(message)
    if words:
        return Complaint(
            "unrecognized", tuple(words["words"].split()[:MAX_WORDS]), source, program=script
        )
    for pattern, kind in _ABOUT_VALUES:
        found = pattern.match(message)
        if found:
            groups = found.groupdict()
            names = tuple(re.split(r"/|, ", groups["names"]))
            value = groups.get("value")
            given = (value.strip("'"),) if value is not None else ()
            return Complaint(kind, given, source, names, script)
    return None


def _listed(text: str) -> tuple[str, ...]:
    """The words of a printed Python list; what is no such list gives none."""
    import ast  # only a refusal has such a list

    try:
        words = ast.literal_eval(text[:20_000])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ()
    return tuple(str(w) for w in words[:MAX_WORDS]) if isinstance(words, list) else ()


def with_aliases(spec: ParserSpec, complaints: Iterable[Complaint]) -> ParserSpec:
    """``argument -c/--config: …`` tells more names of an option than the usage text."""
    options = list(spec.options)
    for names in (c.names for c in complaints if len(c.names) > 1):
        for index, option in enumerate(options):
            if set(names) & set(option.names):
                every = tuple(dict.fromkeys((*option.names, *names)))
                options[index] = replace(option, names=every)
    return replace(spec, options=tuple(options))
