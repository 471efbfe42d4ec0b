"""Which option was meant by a flag that the parser does not know. Right, or nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from medic.facts import Option, ParserSpec
from medic.records import dataclass

from .match import Unknown, boolean
from .spelling import negated, plain
from .synonyms import FILLERS, GROUPS, VOCABULARY, WORDS, settings

Nearest = Callable[[str, Sequence[str], int], list[str]]

# A single word that many settings share tells nothing by itself.
_GENERIC = frozenset(
    {
        "path",
        "dir",
        "name",
        "size",
        "type",
        "file",
        "steps",
        "num",
        "mode",
        "rank",
        "len",
        "ckpt",
        "max",
        "min",
        "iters",
        "interval",
        "freq",
        "list",
        "id",
        "val",
        "eval",
        "params",
    }
)
_BATCHES = frozenset({"BATCH", "MICRO_BATCH", "GLOBAL_BATCH"})


@dataclass(frozen=True)
class _Name:
    """A flag taken apart: its own words, the setting they name, and the group it is in."""

    flag: str
    words: tuple[str, ...]
    core: tuple[str, ...]
    groups: frozenset[str]

    @property
    def joined(self) -> str:
        return "".join(self.words)


def _take_apart(flag: str, words: tuple[str, ...] | None = None) -> _Name:
    own = words or tuple(w for w in plain(flag).split("-") if w)
    found = settings(own)
    groups = frozenset(w for w in found if w in GROUPS)
    core = tuple(sorted(w for w in found if w not in GROUPS and w not in FILLERS))
    return _Name(flag, own, core or tuple(sorted(found)), groups if core else frozenset())


def meant(unknown: Unknown, spec: ParserSpec, used: frozenset[str], nearest: Nearest) -> str:
    """The option's name, or "" if none is plainly meant.

    Tried in turn: the same letters, the same setting under another name, the same with a slip of
    the fingers. More than one answer is none.
    """
    names = [
        name
        for option in spec.options
        if _fits(option, unknown) and not used & {*option.names}
        for name in option.names
        if name.startswith("-") and name not in ("-h", "--help", unknown.flag)
        # The opposite of what was written is never what was meant.
        if negated(name) == negated(unknown.flag)
    ]
    same = [n for n in names if plain(n) == plain(unknown.flag)]
    if same:
        return same[0]
    allowed = frozenset(names)
    several = [_take_apart(n) for o in spec.options if (n := _shown(o, allowed, unknown.flag))]
    name = _take_apart(unknown.flag)
    everything = [_take_apart(o.names[0]) for o in spec.options]
    for choose in (_same_setting, _batch_size):
        found = choose(name, several, everything)
        if found:
            return found
    repaired = _repair(name, several)
    found = _same_setting(repaired, several, everything) if repaired else ""
    if found:
        return found
    near = nearest(unknown.flag, [n.flag for n in several], 8)
    return _slip(name, [n for n in several if n.flag in near], spec.prefixes)


def _shown(option: Option, allowed: frozenset[str], flag: str) -> str:
    """The name to write: a long one, in the spelling (``_`` or ``-``) of the flag if there is."""
    own = [n for n in option.names if n in allowed]
    long = [n for n in own if n.startswith("--")] or own
    mark = "_" if "_" in flag else "-" if "-" in flag.lstrip("-") else ""
    alike = [n for n in long if mark and mark in n.lstrip("-")]
    return (alike or long or [""])[0]


def _fits(option: Option, unknown: Unknown) -> bool:
    """Whether the option can take what was given with the unknown flag."""
    value = unknown.value
    if option.takes == "none":
        return value is None or boolean(value) is not None
    if value is None:
        return option.takes != "value"
    return not option.choices or value in option.choices or value.startswith("$")


def _same_setting(name: _Name, several: Sequence[_Name], _: Sequence[_Name]) -> str:
    if len(name.core) == 1 and name.core[0] in _GENERIC:
        return ""
    found = [n for n in several if n.core == name.core and _groups_agree(n, name)]
    exact = [n for n in found if n.groups == name.groups]
    return _only(exact) or _only(found)


def _groups_agree(one: _Name, other: _Name) -> bool:
    return one.groups <= other.groups or other.groups <= one.groups


def _only(found: Sequence[_Name]) -> str:
    return found[0].flag if len(found) == 1 else ""


def _batch_size(name: _Name, several: Sequence[_Name], everything: Sequence[_Name]) -> str:
    """``batch size`` and ``micro batch size`` are the same where there is only one of them."""
    if len(name.core) != 1 or name.core[0] not in _BATCHES - {"GLOBAL_BATCH"}:
        return ""
    sizes = [n for n in everything if set(n.core) & _BATCHES]
    found = [n for n in several if len(n.core) == 1 and n.core[0] in _BATCHES - {"GLOBAL_BATCH"}]
    return _only(found) if len(sizes) == 1 and found and _groups_agree(found[0], name) else ""


# --- slips ----------------------------------------------------------------------------------


def distance(one: str, other: str) -> int:
    """Letters added, left out, changed or swapped with a neighbour (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        older, before, row = before, row, [i] + [0] * len(other)
        for j, against in enumerate(other, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != against))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == against:
                row[j] = min(row[j], older[j - 2] + 1)
    return row[-1]


def _close(one: str, other: str) -> bool:
    """Whether two words differ by a slip. Digits and short words must agree."""
    if one == other:
        return True
    longer = max(len(one), len(other))
    allowed = 0 if longer <= 3 else 1 if longer <= 7 else 2
    if abs(len(one) - len(other)) > allowed or re.findall(r"\d", one) != re.findall(r"\d", other):
        return False
    return distance(one, other) <= allowed


def _repair(name: _Name, several: Sequence[_Name]) -> _Name | None:
    """The flag with misspelt words put right by the words that settings and options use."""
    known = VOCABULARY | {w for n in several for w in n.words if len(w) > 3}
    words = tuple(_right_word(w, known) for w in name.words)
    return _take_apart(name.flag, words) if words != name.words else None


def _right_word(word: str, known: frozenset[str] | set[str]) -> str:
    if len(word) < 4 or word in known or word in WORDS:
        return word
    found = [k for k in known if _close(word, k)]
    return found[0] if len(found) == 1 else word


def _slip(name: _Name, near: Sequence[_Name], prefixes: bool) -> str:
    found = [n for n in near if _same_words(name, n)]
    if not found and not prefixes and len(name.joined) >= 5:
        found = [n for n in near if plain(n.flag).startswith(plain(name.flag))]
    if len(found) > 1:
        ordered = sorted(found, key=lambda n: distance(name.joined, n.joined))
        first, second = (distance(name.joined, n.joined) for n in ordered[:2])
        found = ordered[:1] if first < second else []
    return _only(found)


def _same_words(one: _Name, other: _Name) -> bool:
    """Word by word the same but for slips, or the same letters with the dashes elsewhere."""
    if one.joined == other.joined:
        return True
    if len(one.words) == len(other.words):
        return all(_close(a, b) for a, b in zip(one.words, other.words, strict=True))
    return min(len(one.joined), len(other.joined)) >= 8 and _close(one.joined, other.joined)
