"""A node rank that the batch script fills in itself, where it is 0, in place of the tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from medic.facts import Word
from medic.i18n import Text
from medic.run_config import Span
from medic.text.patterns import regex

from .launchers import ALIASES
from .script_text import ScriptText

_TASK_RANK = regex(r"^[\"']?\$\{?(SLURM_(?:PROCID|NODEID))\}?[\"']?$")
_READ_EARLY = Text(
    "the batch script itself fills in ${variable}, which is 0 there: {flag} is 0 on all {nodes} "
    "nodes (bash -c '…' leaves it to the tasks)",
    "${variable} 由批处理脚本自身展开，其值为 0：{nodes} 个节点的 {flag} 都是 0"
    "（写成 bash -c '…' 才会由各任务展开）",
)


def rank_of_batch(
    script: ScriptText, words: Sequence[Word], nodes: int, flag: str
) -> Iterator[tuple[Text, Span]]:
    """``$SLURM_PROCID`` that no inner shell is left to fill in: the batch script's own is 0, and
    ``srun`` gets that number for every task (sbatch manual, output environment variables). Double
    quotes fill it in as well: ``bash -c "…"``, ``CMD="…"``.
    """
    shell = any(_is_shell(word) for word in words)
    for before, word in pairwise(words):
        raw = _value(before, word, flag)
        found = _TASK_RANK.match(raw)
        if found is None:
            continue
        column = word.span.column + word.raw.index("$")
        if not shell or script.quote_at(word.span.line, column) == '"':
            what = _READ_EARLY.fill(nodes=nodes, flag=flag, variable=found[1])
            yield what, word.span


def _value(before: Word, word: Word, flag: str) -> str:
    """What is written for the flag: in the next word, or behind its =."""
    name, sign, rest = word.raw.partition("=")
    if sign and name.replace("_", "-") == flag:
        return rest
    return word.raw if before.raw.replace("_", "-") == flag else ""


def _is_shell(word: Word) -> bool:
    name = PurePosixPath(word.value or "").name
    return ALIASES.get(name, name) == "bash"
