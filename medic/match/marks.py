"""Every signature of the knowledge with what it tells, whole or as a scan needs it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, overload

from medic.entries import Role, Signature
from medic.entries.decode import decode
from medic.entries.words import TELLTALE
from medic.index.knowledge import Index
from medic.match.landmarks import LANDMARKS
from medic.records import replace
from medic.text.systemwords import in_both

_NO_FAILURE: frozenset[Role] = frozenset({"advice", "context"})


class Watched(NamedTuple):
    """A signature with what it tells: a symptom, a check's outcome, or both."""

    signature: Signature
    symptom: str = ""
    check: str = ""
    outcome: str = ""
    goes_on: bool = False  # seen while training goes on: it ends no process

    @property
    def mark(self) -> bool:
        """A place in the log, which tells nothing."""
        return not (self.symptom or self.check)


def watched(index: Index) -> list[Watched]:
    """Every signature: of symptoms, of causes' telltales, of check outcomes."""
    symptoms = index.raw["symptoms"]
    goes_on = {name: bool(raw.get("goes_on")) for name, raw in symptoms.items()}
    found = [Watched(m, n, goes_on=goes_on[n]) for n, raw in symptoms.items() for m in _marks(raw)]
    for name, raw in index.telltales.items():
        first = raw["shows"][0]["symptom"]
        for mark in _marks(raw["telltale"]):
            shown = "" if mark.role in _NO_FAILURE else first
            found.append(Watched(mark, shown, TELLTALE, name, goes_on[first]))
    for name, raw in index.raw["checks"].items():
        for answer, outcome in raw["outcomes"].items():
            found += [Watched(mark, "", name, answer) for mark in _marks(outcome)]
    return found


def _marks(raw: Mapping[str, Any]) -> list[Signature]:
    found = (decode(Signature, one) for one in raw.get("signatures", ()))
    return [replace(one, pattern=in_both(one.pattern)) for one in found]


def patterns_of(marks: Sequence[Watched]) -> list[str]:
    """All that a matcher of the marks looks for, by number."""
    return [one.pattern for one in (*LANDMARKS, *(mark.signature for mark in marks))]


class Rows(Sequence[Watched]):
    """Signatures by number, each made when it is first looked at: a log shows a few of them."""

    def __init__(self, rows: Sequence[Any]) -> None:
        self._rows = rows
        self._made: dict[int, Watched] = {}

    @overload
    def __getitem__(self, at: int) -> Watched: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Watched]: ...
    def __getitem__(self, at: int | slice) -> Watched | Sequence[Watched]:
        if isinstance(at, slice):
            return Rows(self._rows[at])
        if at not in self._made:
            self._made[at] = _read(*self._rows[at])
        return self._made[at]

    def __len__(self) -> int:
        return len(self._rows)


def scanned(index: Index) -> Sequence[Watched]:
    """The same without their examples: to decode every entry for them takes longer than a scan of
    a short log."""
    rows = index.raw.get("marks")
    return watched(index) if rows is None else Rows(rows)


def written(found: Iterable[Watched]) -> list[list[Any]]:
    """What ``scanned`` reads, as JSON data."""
    return [
        [
            s.id,
            s.pattern,
            s.role,
            dict(s.captures),
            s.not_in,
            s.at_least,
            [s.shared, s.unless],
            *told,
        ]
        for s, *told in found
    ]


def _read(
    name: str,
    pattern: str,
    role: Role,
    captures: Any,
    not_in: Any,
    at_least: int,
    doubt: tuple[bool, str],
    *told: Any,
) -> Watched:
    without = Signature(
        name,
        pattern,
        role,
        match=(),
        captures=captures,
        not_in=tuple(not_in),
        at_least=at_least,
        shared=doubt[0],
        unless=doubt[1],
    )
    return Watched(without, *told)
