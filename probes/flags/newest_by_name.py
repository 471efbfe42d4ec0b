"""Launch scripts that take the last checkpoint of a list in the order of its names as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from medic.errors import Unreadable
from medic.facts import Repair
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.text.patterns import regex

from ..named_steps import UNPADDED, are_unpadded, is_stem
from ..programs import FILES, program_text
from .script_text import ScriptText, read_script
from .slip import replaced

CHECK = "older-checkpoint-resumed"
_WHAT = Text(
    "the names {pattern} are ordered as text, letter by letter: {stem}800 comes behind {stem}1200, and "
    "the last one is not the newest; sort -V orders their numbers",
    "{pattern} 按文本逐字符排序：{stem}800 排在 {stem}1200 之后，最后一个并不是最新的；sort -V 才按数字排序",
)
# NAME=$(… | …), also in quotes and with a `local` before it.
_TAKEN = regex(r"\b[A-Za-z_]\w*=[\"']?(?:\$\((?P<new>[^()]{4,300})\)|`(?P<old>[^`]{4,300})`)")
_PIPE = regex(r"(?<!\|)\|(?!\|)")
_ONE = regex(r"^(?P<end>tail|head)\s+(?:-n\s*1|-1|--lines=1)$")
_SORT = regex(r"^(?:LC_ALL=\S+\s+)?sort(?:\s+-(?P<how>[bdfrus]+))?$")
# No ls that orders by time or size, or by numbers itself.
_LIST = regex(r"^(?:\\?ls(?P<how>(?:\s+-[1AabdhlpRr]+)*)(?:\s+(?!-)\S+)*$|find\s)")
_FILTER = regex(r"^(?:grep|egrep|xargs|sed|cut|awk|tr|basename)\b")
_PATTERN = regex(r"([\w./${}-]*?)([\w.=-]*?[A-Za-z_=-])\*[\w.*-]*")
_WRITTEN = regex(r"[\"'/]([\w.=-]*?[A-Za-z_=-])\{(?![^{}\n]{0,80}:0\d)[^{}\n]{1,80}\}")


def run(look: Look) -> Iterator[Finding]:
    stems: set[str] | None = None
    for given in look.files("script"):
        script = read_script(look, given.path, given.name)
        if script is None:
            continue
        for line, pattern, stem, part in _lasts(script):
            if stems is None:
                stems = _unpadded(look)
            if not (stem in stems or stem.endswith(UNPADDED)):
                continue
            what = _WHAT.fill(pattern=pattern, stem=stem)
            place = script.span(line, part[0] + 1, part[1] + 1)
            yield Finding(
                CHECK,
                "fires",
                {"what": what},
                script.source(line),
                span=place,
                repair=_mended(script, line, part),
            )


def _lasts(script: ScriptText) -> Iterator[tuple[int, str, str, tuple[int, int]]]:
    """(line, names, what stands before their numbers, columns of the command) of each list whose
    last name goes into a variable."""
    for number, text in enumerate(script.code, 1):
        for found in _TAKEN.finditer(text):
            group = "new" if found["new"] else "old"
            parts = [
                p.strip() for p in _PIPE.split(script.line_text(number)[slice(*found.span(group))])
            ]
            told = _by_text(parts)
            if told is not None:
                yield number, *told, found.span(group)


def _by_text(parts: Sequence[str]) -> tuple[str, str] | None:
    """(names, stem) of a pipe whose result is the last of its names by text."""
    first, *between, last = parts
    listed, taken = _LIST.match(first), _ONE.match(last)
    if listed is None or taken is None:
        return None
    sorts = [one for part in between if (one := _SORT.match(part))]
    others = [p for p in between if not _SORT.match(p)]
    if len(sorts) > 1 or not all(_FILTER.match(p) and "sort" not in p for p in others):
        return None
    is_list = first.startswith(("ls", "\\ls"))
    if not sorts and not is_list:
        return None  # find gives no order
    how = sorts[0]["how"] if sorts else listed["how"]
    if ("r" in (how or "")) != (taken["end"] == "head"):
        return None
    pattern = next((m for part in (first, *others) for m in _PATTERN.finditer(part)), None)
    if pattern is None or not is_stem(pattern[2]):
        return None
    return pattern[0], pattern[2]


def _unpadded(look: Look) -> set[str]:
    """Stems behind which the programs of the case write a number as it is, or of which files with
    numbers of several widths are there."""
    found: set[str] = set()
    for file in look.files("python")[:FILES]:
        try:
            text = program_text(look, file.path)
        except Unreadable:
            continue
        found |= {m[1] for m in _WRITTEN.finditer(text) if is_stem(m[1])}
    names = [f.name.rpartition("/")[2] for f in look.files("checkpoint")]
    stems = {re.split(r"\d", name, maxsplit=1)[0] for name in names}
    return found | {stem for stem in stems if are_unpadded(stem, names)}


def _mended(script: ScriptText, line: int, part: tuple[int, int]) -> Repair | None:
    """``sort`` as ``sort -V``."""
    text = script.line_text(line)
    found = re.search(r"\bsort\b", text[part[0] : part[1]])
    if found is None:
        return None
    start = part[0] + found.start() + 1
    return replaced(script.span(line, start, start + len("sort")), "sort -V")


PROBE = Probe(
    name="newest-by-name",
    title=Text("which checkpoint the script takes", "脚本选取的检查点"),
    tells=(CHECK,),
    run=run,
    files=("script",),
    seconds=0.02,
    limit_seconds=5,
)
