"""Whether the run stood in an evaluation or a save when a line was written, by the bar drawn last
before it, or by the line that told that a save began."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

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
# What transformers (``Trainer._save``, ``_save_checkpoint``), Megatron (``save_checkpoint``), DeepSpeed
# (``_create_checkpoint_file`` and its kin) and loops of one's own print before a save, and after it.
_SAVES = regex(
    r"(?i)\bsaving\b[^|\n]{0,40}?\b(?:model|checkpoints?|weights|state|snapshot)\b|"
    r"(?:开始|正在)保存[^\n]{0,20}(?:模型|检查点|权重|checkpoint)|保存(?:模型|检查点|权重)到"
)
_SAVED = regex(
    r"(?i)\bsuccessfully saved\b|\bsav(?:ing|ed)\b[^|\n]{0,80}\b(?:done|finished|complete[d]?|took)\b|"
    r"\bcheckpoint\b[^|\n]{0,80}\bsaved\b|\bsaved (?:the )?(?:model )?checkpoint\b|"
    r"保存(?:完成|成功|完毕)|已保存"
)
NEAR = 80  # lines between a bar and what ended its loop: a deep traceback stands between


def evaluates(look: Look, logs: LogHits, hit: Hit) -> Source | None:
    """The bar of an evaluation that was under way at a line, or None: another bar or a step of the
    training came after it, it was full, or there is none."""
    found: Source | None = None
    for number, text in _above(look, hit):
        if "%|" in text or "━" in text:
            found = _under_way(text, hit.source, number) if _BAR.search(text) else found
    return _still(found, logs.steps, hit.source)


def saves(look: Look, logs: LogHits, hit: Hit) -> Source | None:
    """The line that told that a save began, or None: it was through, a step of the training came
    after it, or there is none."""
    found: Source | None = None
    for number, text in _above(look, hit):
        if _SAVED.search(text):
            found = None
        elif _SAVES.search(text):
            at = hit.source
            found = Source(at.file, number, at.rank, None, text.strip()[:200])
    return _still(found, logs.steps, hit.source)


def _above(look: Look, hit: Hit) -> Iterator[windows.Numbered]:
    """The lines that were read above a line; those that could be, of a file that breaks off."""
    given = next((f for f in look.files("log") if f.name == hit.source.file), None)
    if given is None or not hit.source.line:
        return
    with suppress(Unreadable):
        starts = look.scan(given.path).starts
        for row in windows.read(look, given, (hit.source.line,), starts):
            if row is None:
                continue
            if row[0] >= hit.source.line:
                return
            yield row


def _still(found: Source | None, steps: Sequence[StepLine], at: Source) -> Source | None:
    if found is None or at.line - found.line > NEAR:
        return None
    return None if _trained_since(steps, found, at) else found


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
