"""Whether the run stood in an evaluation when a line was written, by the bar drawn last before it."""

from __future__ import annotations

from collections.abc import Sequence

from medic.errors import Unreadable
from medic.facts import Hit, LogHits, Source, StepLine
from medic.probe import Look
from medic.text.patterns import regex

from . import windows

# tqdm's "NAME:  12%|█▏  | 24/200 [" and the bars of rich, "NAME ━━━━ 24/200 0:00:10".
_BAR = regex(
    r"(?P<name>[^|%\r\n━]{0,80}?):?\s*(?:(?P<share>\d{1,3})%\|[^|\r\n]{0,300}\||━[━╸╺ ]{1,200}?)\s*"
    r"(?P<at>\d+)/(?P<all>\d+)\b"
)
_EVALUATES = regex(
    r"(?i)\b(?:sanity check(?:ing)?|valid(?:ation|ating)?|val|eval(?:uation|uating|uate)?|test(?:ing)?|"
    r"predict(?:ing|ion)?)\b|验证|评估|测试"
)
# A bar of the data's preparation may name the split, too.
_PREPARES = regex(
    r"(?i)train|\b(?:map|tokeniz\w*|load\w*|process\w*|filter\w*|split|dataset|download\w*|sav(?:e|ing)|"
    r"pack\w*|cach\w*|generating)\b|训练|加载|处理|下载"
)
NEAR = 80  # lines between a bar and what ended its loop: a deep traceback stands between


def evaluates(look: Look, logs: LogHits, hit: Hit) -> Source | None:
    """The bar of an evaluation that was under way at a line, or None: another bar or a step of the
    training came after it, it was full, or there is none."""
    given = next((f for f in look.files("log") if f.name == hit.source.file), None)
    if given is None or not hit.source.line:
        return None
    found: Source | None = None
    try:
        starts = look.scan(given.path).starts
        for row in windows.read(look, given, (hit.source.line,), starts):
            if row is None:
                continue
            number, text = row
            if number >= hit.source.line:
                break
            if "%|" in text or "━" in text:
                found = _under_way(text, hit.source, number) if _BAR.search(text) else found
    except Unreadable:
        return None
    if found is None or hit.source.line - found.line > NEAR:
        return None
    return None if _trained_since(logs.steps, found, hit.source) else found


def _under_way(text: str, at: Source, number: int) -> Source | None:
    """The last bar of a text, if it is an evaluation's and not full."""
    bar = list(_BAR.finditer(text))[-1]
    name = bar.group("name")
    full = int(bar.group("at")) >= int(bar.group("all"))
    if full or not _EVALUATES.search(name) or _PREPARES.search(name):
        return None
    return Source(at.file, number, at.rank, None, text.strip()[:200])


def _trained_since(steps: Sequence[StepLine], bar: Source, end: Source) -> bool:
    """Whether a step was logged between a bar and a line, by any rank."""
    sources = (step.source for step in steps)
    return any(s.file == bar.file and bar.line < s.line < end.line for s in sources)
