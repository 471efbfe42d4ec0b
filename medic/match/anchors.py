"""What each match of a pattern holds: the literals by which most of a log is passed over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import NamedTuple

# A log of any training run: what it says cannot tell who printed a line, nor which block of a log
# is worth a look.
PLAIN_LOG = """\
2026-03-02 10:00:01,123 INFO Loading tokenizer and model config from /data/models/llama-7b
Epoch 1/3, step 100/5000: loss 2.31, lr 1.0e-05, grad_norm 0.82, 10.2 it/s
{'loss': 1.98, 'learning_rate': 2e-05, 'epoch': 0.12}
Saving model checkpoint to out/checkpoint-100
import torch, transformers; 8 GPUs (A100-SXM4-80GB), bf16, distributed training, this is rank 0
Map: tokenizing the dataset, num_proc=8: 5000/5000, data collator pads input_ids and labels
"""
SHORTEST = 3  # bytes of a literal; those of two stand in every log
MANY, MOST = 16, 64  # literals that are one text's spellings; that are alternatives
LETTERS = 2  # of a literal; figures and signs stand in every log
USUAL = 1_000_000  # the weight of what any log holds

_CLASSES, _EDGES = "dDsSwWtnrfv", "AbBz"  # escaped: one character of some; a place between two


class Anchor(NamedTuple):
    """A literal, of one character a byte; ``fold``: in lower case, and it stands in any."""

    text: str
    fold: bool


Cover = tuple[Anchor, ...]  # one of them stands in each match


class _Part(NamedTuple):
    """A part of a pattern: all texts that it matches, if they are few, else the covers of it."""

    exact: tuple[str, ...] | None
    fold: bool = False
    covers: tuple[Cover, ...] = ()


_EDGE, _OPEN = _Part(("",)), _Part(None)


class Anchors:
    """Finds the covers of patterns; a literal weighs as often as it stands in all of them."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._all = "\n".join(map(latin, patterns)).replace("\\", "")
        self._low = self._all.lower()
        self._usual = PLAIN_LOG.lower()
        self._weights: dict[Anchor, int] = {}

    def of(self, pattern: str) -> list[Cover]:
        """The covers of a pattern, the rarest first; none where it has none, or is not understood."""
        try:
            part = _Reader(latin(pattern), self._rarest).read()
        except (_UnknownError, IndexError):
            return []
        return sorted(dict.fromkeys(_covers(part)), key=self.weight)

    def weight(self, cover: Cover) -> tuple[int, int]:
        """How common what it holds is; of what is equally common the shorter is."""
        return sum(map(self._weigh, cover)), -min(len(one.text) for one in cover)

    def _weigh(self, one: Anchor) -> int:
        if one not in self._weights:
            said = (self._low if one.fold else self._all).count(one.text)
            letters = sum(not byte.isascii() or byte.isalpha() for byte in one.text)
            usual = letters < LETTERS or one.text.lower() in self._usual
            self._weights[one] = USUAL if usual else max(said, 1)
        return self._weights[one]

    def _rarest(self, covers: Sequence[Cover]) -> Cover | None:
        return min(covers, key=self.weight, default=None)


def latin(text: str) -> str:
    """Its bytes, each as a character: as RE2 matches them."""
    return text.encode().decode("latin-1")


class _UnknownError(Exception):
    """Syntax that is not read here, or is none of RE2."""


class _Run:
    """Parts one after the other, joined to literals as long as their spellings are few."""

    def __init__(self) -> None:
        self._held: tuple[str, ...] = ("",)
        self._fold = False
        self._covers: list[Cover] = []
        self._closed = True  # nothing but the literals so far

    def add(self, part: _Part) -> None:
        if part.exact is None:
            self._end()
            self._covers += part.covers
            return
        bare = self._held == ("",)
        if not bare and part.exact != ("",) and part.fold != self._fold:
            self._end()
        if len(self._held) * len(part.exact) > MANY:
            self._end()
        if self._held == ("",):
            self._fold = part.fold
        both = product(self._held, part.exact)
        self._held = tuple(dict.fromkeys(before + after for before, after in both))

    def _end(self) -> None:
        self._closed = False
        self._covers += _covers(_Part(self._held, self._fold))
        self._held = ("",)

    def part(self) -> _Part:
        if self._closed:
            return _Part(self._held, self._fold)
        self._end()
        return _Part(None, covers=tuple(self._covers))


def _covers(part: _Part) -> tuple[Cover, ...]:
    """The covers of a part; of spellings those that are long enough, all of them."""
    if part.exact is None:
        return part.covers
    if min(map(len, part.exact)) < SHORTEST:
        return ()
    return (tuple(Anchor(text, part.fold) for text in part.exact),)


class _Reader:
    """Reads one pattern; what it does not know it refuses."""

    def __init__(self, pattern: str, rarest: Callable[[Sequence[Cover]], Cover | None]) -> None:
        self._pattern = pattern
        self._rarest = rarest
        self._at = 0
        self._fold = False

    def read(self) -> _Part:
        part = self._alternatives()
        if self._at < len(self._pattern):
            raise _UnknownError
        return part

    def _ahead(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _next(self) -> str:
        self._at += 1
        return self._pattern[self._at - 1]

    def _takes(self, text: str) -> bool:
        found = self._pattern.startswith(text, self._at)
        self._at += len(text) if found else 0
        return found

    def _alternatives(self) -> _Part:
        """Up to the end of a group. Flags hold up to there, over the alternatives, too."""
        parts = [self._sequence()]
        while self._takes("|"):
            parts.append(self._sequence())
        if len(parts) == 1:
            return parts[0]
        exact = [text for part in parts for text in part.exact or ()]
        known = all(part.exact is not None for part in parts)
        if known and len(exact) <= MANY and len({part.fold for part in parts}) == 1:
            return _Part(tuple(dict.fromkeys(exact)), parts[0].fold)
        best = [self._rarest(_covers(part)) for part in parts]
        joined = tuple(dict.fromkeys(one for cover in best for one in cover or ()))
        fit = all(cover is not None for cover in best) and len(joined) <= MOST
        return _Part(None, covers=(joined,)) if fit else _OPEN

    def _sequence(self) -> _Part:
        run = _Run()
        while self._ahead() not in ("", "|", ")"):
            run.add(self._repeated(self._atom()))
        return run.part()

    def _repeated(self, part: _Part) -> _Part:
        """A part with what says how often it stands there."""
        sign = self._ahead()
        if not sign or sign not in "*+?{":
            return part
        self._at += 1
        least, most = {"*": (0, 2), "+": (1, 2), "?": (0, 1)}.get(sign) or self._bounds()
        self._takes("?")
        if (least, most) == (0, 1) and part.exact is not None and len(part.exact) < MANY:
            return part._replace(exact=tuple(dict.fromkeys((*part.exact, ""))))
        return _Part(None, covers=_covers(part)) if least else _OPEN

    def _bounds(self) -> tuple[int, int]:
        """Of ``{n}``, ``{n,}`` or ``{n,m}``; a brace that is none of them stands for itself in RE2."""
        inner, end, _ = self._pattern[self._at :].partition("}")
        low, comma, high = inner.partition(",")
        if not end or not low.isdecimal() or (high and not high.isdecimal()):
            raise _UnknownError
        self._at += len(inner) + 1
        return int(low), int(high or 2) if comma else int(low)

    def _atom(self) -> _Part:
        one = self._next()
        if one == "(":
            return self._group()
        if one == "[":
            return self._set()
        if one == ".":
            return _OPEN
        if one in "^$":
            return _EDGE
        if one in "*+?{":
            raise _UnknownError  # it repeats a repetition
        return self._escaped() if one == "\\" else self._literal(one)

    def _literal(self, one: str) -> _Part:
        """A byte; where case is nothing, those beyond ASCII match others, too."""
        if self._fold and not one.isascii():
            return _OPEN
        return _Part((one.lower() if self._fold else one,), self._fold)

    def _escaped(self) -> _Part:
        one = self._next()
        if one in _CLASSES:
            return _OPEN
        if one in _EDGES:
            return _EDGE
        if one.isascii() and not one.isalnum():
            return self._literal(one)
        raise _UnknownError

    def _group(self) -> _Part:
        before = self._fold
        if self._takes("?"):
            if self._takes("P<") or self._takes("<"):
                name, _, _ = self._pattern[self._at :].partition(">")
                if not name.isidentifier():
                    raise _UnknownError  # it looks behind
                self._at += len(name) + 1
            elif self._flags():
                return _EDGE  # up to the end of the group around it
        part = self._alternatives()
        if not self._takes(")"):
            raise _UnknownError
        self._fold = before
        return part

    def _flags(self) -> bool:
        """Reads ``i:`` or ``i)``; whether it ends there."""
        while (one := self._next()) not in ":)":
            if one not in "imsU":
                raise _UnknownError
            self._fold = self._fold or one == "i"
        return one == ")"

    def _set(self) -> _Part:
        """A set of characters: their spellings where they are few and written one by one."""
        found: list[str] = []
        plain = not self._takes("^")
        first = True
        while first or self._ahead() != "]":
            first = False
            one = self._next()
            if one == "[" and self._ahead() == ":":
                raise _UnknownError
            if one == "\\":
                one = self._next()
                plain = plain and not one.isalnum()
            elif one == "-" and found and self._ahead() != "]":
                plain = False
            found.append(one)
        self._at += 1
        spelt = "".join(found)
        if not plain or len(found) > MANY or (self._fold and not spelt.isascii()):
            return _OPEN
        return _Part(tuple(dict.fromkeys(spelt.lower() if self._fold else spelt)), self._fold)
