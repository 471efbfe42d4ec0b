"""Models and GPUs that are named and that nothing can be reckoned with: of a card that comes with
several sizes the size is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.i18n import plain
from medic.text.patterns import regex

from . import words_keep
from .lines import joined

if TYPE_CHECKING:
    from .consultation import Consultation

MAX_NAMED = 600  # characters; in what is longer no name of a model is looked for
_SIZE = regex(r"(?i)\s*(\d{2,3})\s*(?:g|gb|gib)?[\W\u4e00-\u9fff]{0,4}")


def not_used(talk: Consultation, text: str) -> bool:
    """Tells of models and GPUs in a text that medic knows no sizes of, and asks for that of a card
    that may have several; whether there are any."""
    from medic.told.model_words import not_known, of_several_sizes

    index, talk.which_size = talk.session.index, ""
    names = not_known(text, index) if len(text) <= MAX_NAMED else []
    sizes = {name: found for name in names if (found := of_several_sizes(name, index))}
    if sizes:
        talk.which_size, known = next(iter(sizes.values()))
        either = joined([plain(str(n)) for n in known], " or ", " 还是 ")
        asked = {"card": plain(talk.which_size.upper()), "sizes": either, "one": known[-1]}
        talk.tell(words_keep.WHICH_SIZE.fill(asked), "strong")
    if unknown := [plain(name) for name in names if name not in sizes]:
        talk.tell(words_keep.NOT_USED.fill(names=joined(unknown)), "warn")
    return bool(names)


def with_size(talk: Consultation, text: str) -> str:
    """The card in full, where the text is the size that was asked for; else the text."""
    size = _SIZE.fullmatch(text)
    if not talk.which_size or size is None:
        return text
    return f"{talk.which_size.upper()}-{size[1]}G"
