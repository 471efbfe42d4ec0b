"""The probe of scripts as text: what the shell refuses, commands cut short, variables unset."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from medic.errors import Unreadable
from medic.facts import Document, GivenFile, Launch
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip

from .argument_repairs import meant_variable
from .cuts import cuts
from .ended_early import ended_early
from .joins import rejoined
from .launches import launches_of
from .loose_flags import program_in
from .parted_commands import parted
from .refusals import REFUSED, stop
from .script_text import NEEDS_SCRIPT, ScriptText, read_script
from .slip import replaced
from .slurm import allocation_of, asks_for_gpus
from .unset import Misnamed, Unset, forgotten, misnamed, unset
from .unset_lists import unset_lists, unset_small

CUT = "command-cut-short"
UNSET = "unset-variable-takes-flag"
_CHECKS = (CUT, UNSET, REFUSED)
_MEANT = Text("{near} is meant: ", "应为 {near}；")
_NOT_SET = Text("", "")
_NEXT = Text("{flag} takes {takes} for its value", "{flag} 会把 {takes} 当作取值")
_CRLF = Text(
    "the lines end in CRLF, as Windows writes them: bash takes the CR for a part of the last word, "
    "and no backslash continues a line; convert the file: sed -i 's/\\r$//' FILE, or dos2unix",
    "行尾是 Windows 的 CRLF：bash 会把 CR 当成最后一个词的一部分，反斜杠也不能续行；"
    "请转换文件：sed -i 's/\\r$//' 文件，或用 dos2unix",
)
_NO_WORD = Text("nothing stands in its place", "该处什么也没有")
_ELEMENT = Text("the index is empty, which is element 0", "下标为空，即取第 0 个元素")
_NOTHING = Text("{flag} has no value", "{flag} 没有取值")


def run(look: Look) -> Iterator[Finding | Skip]:
    found: list[Finding] = []
    read = False
    for given in look.files("script"):
        script = read_script(look, given.path, given.name)
        document = _parsed(look, given.path)
        if script is None or document is None:
            continue
        read = True
        found += _refused(script, document)
        found += _cut(script, document)
        found += _windows_ends(script, given)
        found += _unset(script, document, _set_beside(look, document))
    yield from found
    told = {finding.name for finding in found}
    for name in _CHECKS:
        if name not in told:
            yield Finding(name, "passes") if read else Skip(needs=NEEDS_SCRIPT, check=name)


def _parsed(look: Look, path: str) -> Document | None:
    try:
        return look.parse(path)
    except Unreadable:
        return None


def _refused(script: ScriptText, document: Document) -> Iterator[Finding]:
    found = stop(script, document)
    if found is not None:
        source, span = script.at(found.span), found.span
        value = {"what": found.what}
        yield Finding(REFUSED, "fires", value, source, span=span, repair=found.repair)


def _cut(script: ScriptText, document: Document) -> Iterator[Finding]:
    ends = {cut.line: cut for cut in ended_early(script, document)}
    found = ends | {cut.line: cut for cut in (*parted(script), *cuts(script, document))}
    for cut in sorted(found.values(), key=lambda one: one.line):
        span = script.span(cut.line, cut.column, cut.end)
        source = script.source(cut.line)
        repair = rejoined(script, cut) if ends.get(cut.line) is not cut else None
        yield Finding(CUT, "fires", {"what": cut.what}, source, span=span, repair=repair)


def _windows_ends(script: ScriptText, given: GivenFile) -> Iterator[Finding]:
    """The first line that ends in CRLF. A terminal may have put them into what was pasted."""
    lines = script.text.split("\n") if not given.name.endswith(">") else []
    line = next((n for n, text in enumerate(lines, 1) if text.endswith("\r")), 0)
    if line:
        span = script.span(line, 1, len(script.line_text(line)) + 1)
        yield Finding(CUT, "fires", {"what": _CRLF}, script.source(line), span=span)


def _set_beside(look: Look, document: Document) -> frozenset[str]:
    """Variables that some line of a file gives a value which the script sources: also in a branch."""
    read = (read_script(look, path, path) for path in document.sourced)
    return frozenset(name for one in read if one is not None for name in one.assigned)


def _unset(
    script: ScriptText, document: Document, beside: Collection[str] = ()
) -> Iterator[Finding]:
    """``beside`` are variables that a file sets which the script sources."""
    seen: set[tuple[str, int]] = set()
    launches = launches_of(document)
    for launch in launches:
        for one in unset(script, launch):
            place = (one.variable, one.word.span.line)
            if place not in seen and one.variable not in beside:
                seen.add(place)
                yield _finding(script, one)
    told = {*beside, *(variable for variable, _ in seen)}
    found = [one for one in misnamed(script, document) if one.variable not in told]
    yield from _misnamed(script, found)
    told |= {one.variable for one in found}
    if not (launches or program_in(script) or asks_for_gpus(allocation_of(script))):
        return
    lists = [one for one in unset_lists(script, document) if one.variable not in told]
    yield from _misnamed(script, [one for one in lists if one.meant])
    told |= {one.variable for one in lists}
    left = [one for one in lists if not one.meant]
    lines = {n for one in launches for n in _lines(script, one)}
    left += (one for one in forgotten(script, document, told, lines) if one.variable not in beside)
    left += unset_small(script, document, told | {one.variable for one in left})
    for name in left:
        value = {"variable": name.variable, "meant": _NOT_SET, "so": _NO_WORD}
        source = script.at(name.span)
        yield Finding(UNSET, "fires", value, source, span=name.span)


def _lines(script: ScriptText, launch: Launch) -> Iterator[int]:
    """Those of a command, and of the texts that its words stand in."""
    words = (*launch.launcher_words, *launch.arguments)
    spans = [launch.span, *(w.span for w in words if w.span.file == script.file)]
    return (n for one in spans for n in range(one.line, one.end_line + 1))


def _misnamed(script: ScriptText, found: Sequence[Misnamed]) -> Iterator[Finding]:
    for one in found:
        meant = _MEANT.fill(near=one.text or f"${one.meant}")
        index = script.line_text(one.span.line)[: one.span.column - 1].endswith("[")
        value = {"variable": one.variable, "meant": meant, "so": _ELEMENT if index else _NO_WORD}
        source, span = script.at(one.span), one.span
        repair = replaced(span, one.text or one.raw.replace(one.variable, one.meant))
        yield Finding(UNSET, "fires", value, source, span=span, repair=repair)


def _finding(script: ScriptText, one: Unset) -> Finding:
    span = one.word.span
    then = (_NEXT if one.takes else _NOTHING).fill(flag=one.flag, takes=one.takes)
    meant = _MEANT.fill(near=one.near) if one.near else _NOT_SET
    value = {"variable": one.variable, "meant": meant, "so": then}
    source = script.at(span)
    return Finding(UNSET, "fires", value, source, span=span, repair=meant_variable(one))


PROBE = Probe(
    name="script-text",
    title=Text("text of the scripts", "脚本文本"),
    tells=_CHECKS,
    run=run,
    files=("script",),
    without=tuple(Skip(NEEDS_SCRIPT, name) for name in _CHECKS),
    seconds=0.05,
    limit_seconds=10,
)
