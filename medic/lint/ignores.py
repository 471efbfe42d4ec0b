"""Findings that the user turned off: ``# medic: ignore[name]`` in a file, and its project's
``[tool.medic]``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from medic.errors import UsageError
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.lint.found import Idle, LintFinding, LintReport
from medic.lint.selection import Projects, named
from medic.records import dataclass, field, replace
from medic.text.patterns import regex

MAX_BYTES = 2 * 1024 * 1024
_MARK = regex(r"(?:^|\s)(?:#|//)\s*medic:\s*ignore(?![\w-])(?:\s*\[(?P<names>[^\]\n]*)\])?")
_COMMENT = regex(r"\s*(?:#(?!SBATCH|PBS|BSUB|!)|//)")


@dataclass
class Directive:
    """One comment. ``names`` is None where it turns every check off; ``used`` are those it did."""

    file: str
    line: int
    words: tuple[str, ...]
    names: frozenset[str] | None
    unknown: tuple[Text, ...] = ()
    used: set[str] = field(default_factory=set)

    def covers(self, name: str) -> bool:
        return self.names is None or name in self.names


class Comments:
    """The directives of one text, by line.

    One holds for its own line, or, alone on its line, for the line below it. Lines that a
    backslash joins are one line: no comment can stand inside them, so the one above the first and
    the one behind the last hold for all.
    """

    def __init__(self, file: str, text: str, index: Index) -> None:
        self.lines = text.split("\n")
        self.by_line: dict[int, Directive] = {}
        if "medic:" in text:
            for number, line in enumerate(self.lines, start=1):
                if found := _MARK.search(line):
                    self.by_line[number] = _directive(file, number, found["names"], index)

    def over(self, line: int) -> Iterator[Directive]:
        """The directives that hold for a line."""
        if not self.by_line or not 0 < line <= len(self.lines):
            return
        first, last = line, line
        while first > 1 and _goes_on(self.lines[first - 2]):
            first -= 1
        while last < len(self.lines) and _goes_on(self.lines[last - 1]):
            last += 1
        while first > 1 and _COMMENT.match(self.lines[first - 2]):
            first -= 1
        yield from (self.by_line[n] for n in range(first, last + 1) if n in self.by_line)


def _goes_on(line: str) -> bool:
    return not _COMMENT.match(line) and (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _directive(file: str, line: int, listed: str | None, index: Index) -> Directive:
    if listed is None:
        return Directive(file, line, (), None)
    words = tuple(w.strip() for w in listed.split(",") if w.strip())
    found = [_resolved(index, word) for word in words]
    names = frozenset().union(*(f for f in found if not isinstance(f, Text)))
    return Directive(file, line, words, names, tuple(f for f in found if isinstance(f, Text)))


def _resolved(index: Index, word: str) -> frozenset[str] | Text:
    """The checks of a word, or what is wrong with it."""
    try:
        return named(index, word)
    except UsageError as problem:
        return Text(problem.en, problem.zh)


def silenced(
    report: LintReport,
    index: Index,
    names: frozenset[str] | None = None,
    texts: Mapping[str, str] | None = None,
    *,
    selected: bool = False,
) -> LintReport:
    """The report without the findings that a comment or a project turns off.

    ``names`` are the checks that ran, ``texts`` pasted parts by name. ``selected``: the command
    line chose the checks, so a project's ``select`` does not hold. Raises UsageError for a wrong
    ``[tool.medic]``.
    """
    files = dict.fromkeys(
        (*report.read, *(texts or {}), *(f.file for f in report.findings if f.file))
    )
    comments = {file: _comments(file, texts or {}, index) for file in files}
    projects = Projects(index)
    first = next(iter(report.read), "")
    kept: list[LintFinding] = []
    ignored: list[tuple[LintFinding, str]] = []
    for finding in report.findings:
        by = _comment_on(finding, comments)
        settings = projects.of(finding.file or first)
        if settings is not None and not by:
            if not selected and settings.select is not None and finding.name not in settings.select:
                continue
            line = settings.ignores(finding.name, finding.file or first)
            by = f"{settings.file}:{line}" if line else ""
        if by:
            ignored.append((finding, by))
        else:
            kept.append(finding)
    every = [d for found in comments.values() for d in found.by_line.values()]
    idle = tuple(_idle(every, report, names))
    return replace(report, findings=tuple(kept), ignored=tuple(ignored), idle=idle)


def _comments(file: str, texts: Mapping[str, str], index: Index) -> Comments:
    if file in texts:
        return Comments(file, texts[file], index)
    try:
        with Path(file).open("rb") as handle:
            data = handle.read(MAX_BYTES)
    except (OSError, ValueError):
        data = b""
    return Comments(file, data.decode("utf-8", "replace") if b"medic:" in data else "", index)


def _comment_on(finding: LintFinding, comments: Mapping[str, Comments]) -> str:
    by = ""
    found = comments.get(finding.file)
    for directive in found.over(finding.line) if found else ():
        if directive.covers(finding.name):
            directive.used.add(finding.name)
            by = f"{directive.file}:{directive.line}"
    return by


def _idle(
    directives: list[Directive], report: LintReport, names: frozenset[str] | None
) -> Iterator[Idle]:
    """Comments that turn nothing off. One whose check could not be made, or was not chosen, may
    yet be of use."""
    open_ones = {name for name, _ in report.not_checked}
    for one in directives:
        for unknown in one.unknown:
            yield Idle(one.file, one.line, unknown, unknown=True)
        made = None if one.names is None else {n for n in one.names if names is None or n in names}
        if one.used or (made is not None and (not made or made & open_ones)):
            continue
        words = f"[{', '.join(one.words)}]" if one.words else ""
        text = Text(
            "medic: ignore{w} ignores nothing here", "medic: ignore{w} 在此处没有忽略任何问题"
        )
        yield Idle(one.file, one.line, text.fill(w=words))
