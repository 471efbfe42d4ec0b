"""Keys that a framework writes with other letters: in capitals, or a word of theirs cut short."""

from __future__ import annotations

from collections.abc import Sequence

from medic.facts import Node
from medic.i18n import Text

from ..flags.key_names import AT_TOP, Framework, Names, lost_word, nearest_name, normal, plain_key

_LETTERS = Text(
    "{framework} has no key {key}: capital letters count, it is {meant}",
    "{framework} 没有 {key} 这个键：键名区分大小写，应为 {meant}",
)
_NEAR = Text(
    "{framework} has no key {key}; {meant} is meant", "{framework} 没有 {key} 这个键，应为 {meant}"
)
# In capitals a shorter name is a variable or a unit as likely as a key: LR, TP, GPU.
_SHORTEST = 4
# One word, or less than three letters of one, begins many others: lr, learning_rate, lora_r.
_MIN_WORDS, _MIN_LETTERS = 2, 3


def spelt_of(framework: Framework) -> frozenset[str]:
    """Every step of the framework's keys, in the letters in which it writes them."""
    below = framework.known_below.values()
    written = (
        *framework.known,
        *(plain_key(k) for k in framework.keys),
        *(n for b in below for n in b),
    )
    return frozenset(step for name in written for step in name.split("."))


def in_capitals(
    key: Node, parents: tuple[str, ...], names: Names, spelt: frozenset[str], framework: Framework
) -> tuple[Text, str] | None:
    """(what is wrong, the name that is meant) of a key in capital letters, which count; ``spelt``
    as ``spelt_of`` gives it."""
    name = str(key.value)
    small = normal(name)
    if name.lstrip("-+") == small or name in spelt or "-" in name or len(name) < _SHORTEST:
        return None
    if name == name.lower() or not names.has((*parents, small)) or small not in spelt:
        return None
    return _LETTERS.fill(framework=framework.title, key=name, meant=small), small


def in_full(
    key: Node,
    parents: tuple[str, ...],
    names: Names,
    framework: Framework,
    siblings: frozenset[str],
) -> tuple[Text, str] | None:
    """A word written out, or cut short, of a key that sets what every framework has:
    ``cutoff_length`` for ``cutoff_len``."""
    name = normal(str(key.value))
    if name in names.leaves or "_" not in name or (framework.keys_stand == AT_TOP and parents):
        return None
    own = {normal(plain_key(k)).rpartition(".")[2] for k in framework.keys}
    known = [one for one in names.candidates(parents) if one in own and one not in siblings]
    if nearest_name(name, names.candidates(parents)) or lost_word(name, known):
        return None  # told with the misspelt ones
    found = [one for one in known if _abbreviates(name.split("_"), one.split("_"))]
    if len(found) != 1:
        return None
    return _NEAR.fill(framework=framework.title, key=str(key.value), meant=found[0]), found[0]


def _abbreviates(written: Sequence[str], known: Sequence[str]) -> bool:
    """Whether the words are the same, but for some of which one begins with the other."""
    if len(written) != len(known) or len(known) < _MIN_WORDS:
        return False
    pairs = [(a, b) for a, b in zip(written, known, strict=True) if a != b]
    begins = [
        min(len(a), len(b)) >= _MIN_LETTERS and (a.startswith(b) or b.startswith(a))
        for a, b in pairs
    ]
    plural = any({a, b} == {a, f"{a}s"} or {a, b} == {b, f"{b}s"} for a, b in pairs)
    return len(pairs) == 1 and all(begins) and not plural
