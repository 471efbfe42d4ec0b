"""The first look at a block: which patterns it may hold.

One automaton of RE2 for all of them has as many states as a varied log has characters, and each
costs as much as all patterns together. So it holds the rarest literals of each pattern only, a few
to a member; the rest of a pattern is looked at where one of them stands. A pattern whose literals
any log holds is a member itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from medic.match.anchors import USUAL, Anchors, Cover
from medic.text.patterns import regex

TOGETHER = 4  # literals of one member: more are fewer members, and more to look for where one hits
ENOUGH = 12  # bytes of a literal that are sought at first
FURTHER = 2  # other covers of a pattern that must be there
# Not a brace that is escaped, or one of a set of characters: a search for braces is a fast one.
_REPEATED = regex(rb"{(?<![\\\[].)(\d+),\d+}")


def source(pattern: str) -> bytes:
    """A pattern as it is matched: an edge is one of a line."""
    return b"(?m)" + pattern.encode()


def loose(pattern: bytes) -> bytes:
    """A pattern that matches all that this one does: without upper bounds of its repetitions.

    ``.{0,200}`` is 200 states of the Set, which is a third as fast with them. What it finds is
    looked at again with the pattern itself.
    """
    return _REPEATED.sub(rb"{\1,}", pattern)


def sieve_of(patterns: Sequence[str]) -> Mapping[str, Any]:
    """What a Sieve of the patterns is made of, as JSON data: ``whole`` are the numbers of those
    that are members themselves, ``groups`` the literals of the others with their numbers, and
    ``further`` by number what else must be there."""
    anchors = Anchors(patterns)
    whole: list[int] = []
    owners: dict[tuple[bool, str], list[int]] = {}
    further: dict[str, list[Any]] = {}
    for number, pattern in enumerate(patterns):
        covers = anchors.of(pattern)
        if not covers or anchors.weight(covers[0])[0] >= USUAL:
            whole.append(number)
            continue
        for one in covers[0]:
            owners.setdefault((one.fold, one.text), []).append(number)
        if more := [_written(cover) for cover in covers[1 : 1 + FURTHER]]:
            further[str(number)] = more
    return {"whole": whole, "groups": list(_groups(owners)), "further": further}


def _written(cover: Cover) -> list[list[Any]]:
    return [[one.text, one.fold] for one in cover]


def _groups(owners: Mapping[tuple[bool, str], list[int]]) -> Iterable[list[Any]]:
    """[member, fold, [[literal, numbers], …]]: neighbours by name, which begin alike."""
    for fold in (False, True):
        names = sorted(text for folds, text in owners if folds == fold)
        for start in range(0, len(names), TOGETHER):
            own = names[start : start + TOGETHER]
            begins = dict.fromkeys("".join(map(_quoted, text[:ENOUGH])) for text in own)
            member = f"(?{'i' if fold else ''}:{'|'.join(begins)})"
            yield [member, fold, [[text, owners[fold, text]] for text in own]]


def _quoted(byte: str) -> str:
    return byte if byte.isascii() and byte.isalnum() else f"\\x{ord(byte):02x}"


class Sieve:
    """Tells which patterns a block may hold: all that it holds, and few others."""

    def __init__(
        self,
        made: Mapping[str, Any],
        source_of: Callable[[int], bytes],
        only: Collection[int] | None = None,
    ) -> None:
        self._made = made
        self._source_of = source_of
        self._only = only
        self._whole = [n for n in made["whole"] if only is None or n in only]
        self._set: Any = None

    def compile(self, options: Any) -> None:
        """Raises re2.error."""
        import re2

        found = re2.Set.SearchSet(options)
        for number in self._whole:
            found.Add(loose(self._source_of(number)))
        for member, _, _ in self._members:
            found.Add(member)
        found.Compile()
        self._set = found

    @cached_property
    def _members(self) -> Sequence[Sequence[Any]]:
        only = self._only
        if only is None:
            members: Sequence[Sequence[Any]] = self._made["groups"]
            return members
        wanted = only.__contains__
        return [g for g in self._made["groups"] if any(any(map(wanted, o)) for _, o in g[2])]

    def match(self, view: bytes) -> list[int]:
        """The numbers of the patterns that a block may hold, in their order."""
        members = self._set.Match(view)
        if not members:
            return []
        block = _Block(view)
        found: set[int] = set()
        for member in members:
            if member < len(self._whole):
                found.add(self._whole[member])
                continue
            _, fold, literals = self._members[member - len(self._whole)]
            for literal, numbers in literals:
                if block.holds(literal, fold):
                    found.update(numbers)
        allowed = found if self._only is None else found.intersection(self._only)
        return sorted(n for n in allowed if self._all_there(n, block))

    def _all_there(self, number: int, block: _Block) -> bool:
        """Whether a block has one literal of each further cover."""
        rows = self._made["further"].get(str(number), ())
        return all(any(block.holds(*one) for one in row) for row in rows)


class _Block:
    """A block, a byte a character as in literals, and in lower case once that is asked for."""

    def __init__(self, view: bytes) -> None:
        self._bytes = view
        self._seen: dict[tuple[str, bool], bool] = {}

    @cached_property
    def _text(self) -> str:
        return self._bytes.decode("latin-1")

    @cached_property
    def _lower(self) -> str:
        return self._bytes.lower().decode("latin-1")  # ASCII alone, as RE2 and the literals

    def holds(self, literal: str, fold: bool) -> bool:
        """Whether a literal stands there; many patterns have the same ones."""
        found = self._seen.get((literal, fold))
        if found is None:
            found = self._seen[literal, fold] = literal in (self._lower if fold else self._text)
        return found
