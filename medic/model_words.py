"""Open models and GPUs that a person names in words: "qwen3 8b on 4 A100 80G"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from medic.field_words import CARD
from medic.index import Index
from medic.patterns import regex

if TYPE_CHECKING:
    from re import Pattern

    from medic.entries import Gpu, Model

MODEL, GPU = "model_name", "gpu"
Place = tuple[int, int]
_PARTS = regex(r"[a-z]+|\d+(?:\.\d+)?")
_GAP = r"[\s_-]*"
# What stands behind a model's name without changing its sizes.
_MORE = rf"(?:{_GAP}(?:instruct|chat|hf|base|it|sft|dpo)(?![a-z]))*"
_BEFORE = r"(?:(?<![a-z0-9_./])|(?<=\d[x×*]))"
_BEFORE_MODEL = r"(?<![a-z0-9_.])(?<![\w.]/)(?:[a-z]\w+/)?"
_BEHIND = r"(?![a-z0-9]|[.-][a-z0-9]|/)"
_NUMBERED = regex(r"[a-z]\D{0,20}\d", re.I)  # all names have a number behind letters
_CARD = regex(rf"{_BEFORE}{CARD}(?![a-z0-9])".replace(" ?", r"[\s-]*"), re.I)
# A name with a size in billions: of letters, so that "100b tokens" is none.
_SIZED = regex(
    r"(?<![\w./-])(?:[a-z]\w+/)?([a-z][a-z]+[a-z0-9.]*(?:[_-][a-z0-9.]+){0,2}[\s_-]?\d+(?:\.\d+)?b)(?![\w-]|\.[a-z])",
    re.I,
)
_NO_NAME = regex(
    r"(?:a|an|the|our|my|this|is|of|on|with|for|in|train(?:ing)?|tun(?:e|ing)|finetun(?:e|ing)|model|"
    r"about|only|size|has|than|to|and|moe|dense|layer|token|param|batch|step|lora|full|sft|rl|dpo|"
    r"grpo|ppo)s?[\s_-]*\d",
    re.I,
)


def named(text: str, index: Index) -> Iterator[tuple[str, str, str, Place]]:
    """(field, name as medic knows it, words, place) of each model and GPU in a text; of two that
    overlap the longer."""
    if not _NUMBERED.search(text):
        return
    found = [(MODEL, *hit) for hit in _of(text, index.models.values(), _BEFORE_MODEL, _MORE)]
    found += [(GPU, *hit) for hit in _of(text, index.gpus.values(), _BEFORE, "s?")]
    kept: list[tuple[str, str, str, Place]] = []
    for field, name, (start, end) in sorted(found, key=lambda one: one[2][0] - one[2][1]):
        if all(end <= a or b <= start for *_, (a, b) in kept):
            kept.append((field, name, text[start:end].strip(), (start, end)))
    yield from sorted(kept, key=lambda one: one[3])


def not_known(text: str, index: Index) -> list[str]:
    """Words that name a model or a GPU of which medic knows no sizes."""
    places = [place for *_, place in named(text, index)]
    found = [hit.span(1) for hit in _SIZED.finditer(text) if not _NO_NAME.match(hit[1])]
    found += [hit.span() for hit in _CARD.finditer(text) if not hit[0].isdecimal()]
    new = [(a, b) for a, b in found if all(b <= start or end <= a for start, end in places)]
    return list(dict.fromkeys(text[a:b].strip() for a, b in sorted(new)))


def _of(
    text: str, entries: Iterable[Model] | Iterable[Gpu], before: str, more: str
) -> Iterator[tuple[str, Place]]:
    for one in entries:
        for name in (one.name, *one.says):
            if not name.isdecimal():  # 4090 may count anything
                for hit in _pattern(name, before, more).finditer(text):
                    yield one.name, hit.span()


def _pattern(name: str, before: str, more: str) -> Pattern[str]:
    """The parts of a name with what people put between them, or leave out."""
    parts = [re.escape(part) for part in _PARTS.findall(name.lower())]
    if re.search(r"\d-?g$", name):  # of a card's memory
        parts[-1] = r"gi?b?"
    return re.compile(f"{before}{_GAP.join(parts)}{more}{_BEHIND}", re.I)
