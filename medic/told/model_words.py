"""Open models and GPUs that a person names in words: "qwen3 8b on 4 A100 80G"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from medic.index.knowledge import Index
from medic.text.patterns import regex
from medic.told.field_words import CARD

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
_NO_MEMORY = regex(r"(?:(?:nvidia|tesla|amd)[\s-])?([a-z]+)[\s-]?(\d+)s?(?:[\s-]gpus?)?", re.I)
_ALIKE = str.maketrans("\u0130\u0131\u017f\u212a", "iisk")  # what a pattern takes for these, too
_SIZE = r"\d+(?:\.\d+)?b"
# Behind a size: a model of "7b", and no amount of "500b tokens".
_BEHIND_SIZE = r"(?![\w-]|\.[a-z]|/|\s*tok)"
# As models are named on a hub: one organisation, a capital somewhere, a size.
_ON_HUB = regex(
    r"(?<![\w./~-])(?=[\w-]*[A-Z]|[\w-]+/[\w.-]*[A-Z])[A-Za-z][\w-]+/[A-Za-z][\w.]*(?:-[\w.]+)*?"
    rf"-(?i:{_SIZE})(?:-[A-Za-z]\w*)*{_BEHIND_SIZE}"
)


def named(text: str, index: Index) -> Iterator[tuple[str, str, str, Place]]:
    """(field, name as medic knows it, words, place) of each model and GPU in a text; of two that
    overlap the longer. A model keeps the name it was called by: that of the same sizes is another."""
    if not _NUMBERED.search(text):
        return
    models = _of(text, index.models.values(), _BEFORE_MODEL, _MORE)
    found = [(MODEL, said.lower(), place) for _, said, place in models]
    found += [
        (GPU, n, place)
        for n, said, place in _of(text, index.gpus.values(), _BEFORE, "s?")
        if len(_sizes(said, index)) < 2
    ]
    kept: list[tuple[str, str, str, Place]] = []
    for field, name, (start, end) in sorted(found, key=lambda one: one[2][0] - one[2][1]):
        if all(end <= a or b <= start for *_, (a, b) in kept):
            kept.append((field, name, text[start:end].strip(), (start, end)))
    yield from sorted(kept, key=lambda one: one[3])


def _sizes(card: str, index: Index) -> list[int]:
    """The amounts of memory, in GB, that cards of this name are known with."""
    sized = re.compile(rf"{re.escape(card)}-(\d+)g", re.I)
    return sorted(int(hit[1]) for name in index.gpus if (hit := sized.fullmatch(name)))


def of_several_sizes(said: str, index: Index) -> tuple[str, list[int]] | None:
    """A card that is named without its memory, and the amounts in GB that it may have: an A100 has
    40 or 80. None for one of a single size, and for what is no card."""
    hit = _NO_MEMORY.fullmatch(said)
    card = f"{hit[1]}{hit[2]}".lower() if hit else ""
    sizes = _sizes(card, index) if card else []
    return (card, sizes) if len(sizes) > 1 else None


def not_known(text: str, index: Index) -> list[str]:
    """Words that name a model or a GPU of which medic knows no sizes: another size of a family that
    it knows, or a name as on a hub. "dolma 500b" may be anything."""
    places = [place for *_, place in named(text, index)]
    found = [hit.span() for hit in _ON_HUB.finditer(text)]
    found += [hit.span() for hit in _of_family(_families(index)).finditer(text)]
    found += [hit.span() for hit in _CARD.finditer(text) if not hit[0].isdecimal()]
    new = [(a, b) for a, b in found if all(b <= start or end <= a for start, end in places)]
    new = [
        (a, b) for a, b in new if not any(c <= a and b <= d and (a, b) != (c, d) for c, d in new)
    ]
    return list(dict.fromkeys(text[a:b].strip() for a, b in sorted(new)))


def _families(index: Index) -> tuple[str, ...]:
    """What the names of the known models begin with: qwen, llama, gpt."""
    names = (name for model in index.models.values() for name in (model.name, *model.says))
    return tuple(sorted({_PARTS.findall(name.lower())[0] for name in names}))


@lru_cache(maxsize=4)
def _of_family(families: tuple[str, ...]) -> Pattern[str]:
    """A family, its version, and a size of it: "llama2 34b", "Qwen1.5-110B"."""
    return re.compile(
        rf"(?<![\w./-])(?:{'|'.join(families)})(?![a-z])(?:[\s_-]?v?\d[\d.]*(?![\d.]*b))?"
        rf"(?:[_-][a-z]\w*){{0,2}}[\s_-]{{0,3}}{_SIZE}(?:-[a-z]\w*)*{_BEHIND_SIZE}",
        re.I,
    )


def _of(
    text: str, entries: Iterable[Model] | Iterable[Gpu], before: str, more: str
) -> Iterator[tuple[str, str, Place]]:
    """(name of the entry, that of its names which is said, place) of what the entries are called."""
    small = text.translate(_ALIKE).lower()
    for one in entries:
        for name in (one.name, *one.says):
            if name.isdecimal():  # 4090 may count anything
                continue
            first, *others = _parts(name)
            if first in small and all(part in small for part in others):
                for hit in _pattern(name, before, more).finditer(text):
                    yield one.name, name, hit.span()


@cache
def _parts(name: str) -> tuple[str, ...]:
    return tuple(_PARTS.findall(name.lower()))


@cache  # of hundreds of names few stand in a text: a pattern of each is compiled for milliseconds
def _pattern(name: str, before: str, more: str) -> Pattern[str]:
    """The parts of a name with what people put between them, or leave out."""
    parts = [re.escape(part) for part in _parts(name)]
    if re.search(r"\d-?g$", name):  # of a card's memory
        parts[-1] = r"gi?b?"
    return re.compile(f"{before}{_GAP.join(parts)}{more}{_BEHIND}", re.I)
