"""Names that end in a step's number, and what an order by text makes of them.

"ckpt-800.pt" stands behind "ckpt-1200.pt" where names are compared letter by letter: only names
whose numbers are padded with zeros to one width keep the order of the steps.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from medic.text.patterns import regex

# The last number of a name, behind a word that says what it counts.
_NAME = regex(
    r"(?i)^(?P<stem>.*?(?:ckpt|check-?point|step|iter(?:ation)?|epoch|model|state|save)[-_=.]{0,2})"
    r"(?P<number>\d{1,12})(?P<rest>(?:\.[a-z]\w{0,11}){0,2})$"
)
_STEM = regex(r"(?i)(?:ckpt|check-?point|step|iter(?:ation)?|epoch)s?[-_=.]{0,2}$")
# transformers' trainer_utils.py PREFIX_CHECKPOINT_DIR with its step; DeepSpeed's engine.py, the tag
# of save_checkpoint; Lightning's model_checkpoint.py, "{epoch}-{step}": none of them pads.
UNPADDED = ("checkpoint-", "global_step", "step=", "epoch=")


def parted(name: str) -> tuple[str, str, str] | None:
    """(what stands before the number, the number as it is written, what stands behind)."""
    found = _NAME.match(name.rstrip("/").rpartition("/")[2])
    return (found["stem"], found["number"], found["rest"]) if found else None


def is_stem(text: str) -> bool:
    """Whether a number behind the text counts steps or checkpoints."""
    return _STEM.search(text) is not None


def are_unpadded(stem: str, names: Collection[str]) -> bool:
    """Whether names of a stem show numbers of several widths, none with a leading zero."""
    numbers = [p[1] for name in names if (p := parted(name)) is not None and p[0] == stem]
    return len({len(n) for n in numbers}) > 1 and not any(re.match(r"0\d", n) for n in numbers)
