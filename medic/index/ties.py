"""What beliefs read of all causes and checks, in a form that a start can afford: plain words.

Decoding every entry for its links takes longer than everything else that a diagnosis computes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from medic.entries import Cause, Check, ToldBy


class CauseTies(NamedTuple):
    """``shows``: (symptom, level); ``links``: (check, outcome, weight), its own checks among them;
    ``remedy``: the first; ``conditional``: only some contexts or versions have the cause;
    ``prints``: it fails with a message of its own."""

    remedy: str
    prior: Mapping[str, str]
    phases: Sequence[str]
    shows: Sequence[tuple[str, str]]
    links: Sequence[tuple[str, str, str]]
    conditional: bool
    prints: bool


class CheckTies(NamedTuple):
    """``outcomes``: each with the word for how often an unrelated case shows it, if one is said;
    ``minutes``: what an answer costs a person; None: nobody is asked."""

    family: str
    outcomes: Mapping[str, str | None]
    minutes: float | None


class Ties(NamedTuple):
    """By name, in the order of the names."""

    causes: Mapping[str, CauseTies]
    checks: Mapping[str, CheckTies]


def ties_of(
    causes: Mapping[str, Cause],
    links: Callable[[str], Sequence[ToldBy]],
    checks: Mapping[str, Check],
) -> Ties:
    return Ties(
        {name: _of_cause(causes[name], links(name)) for name in sorted(causes)},
        {name: _of_check(check) for name, check in sorted(checks.items())},
    )


def _of_check(check: Check) -> CheckTies:
    outcomes = {name: outcome.otherwise for name, outcome in check.outcomes.items()}
    return CheckTies(check.family, outcomes, check.ask.minutes if check.ask else None)


def _of_cause(cause: Cause, links: Sequence[ToldBy]) -> CauseTies:
    return CauseTies(
        remedy=cause.remedies[0],
        prior={scale: level for scale, level in cause.prior.items()},  # noqa: C416 - of its own type
        phases=cause.phases,
        shows=[(one.symptom, one.level) for one in cause.shows],
        links=[(one.check, one.outcome, one.weight) for one in links],
        conditional=bool(cause.applies_when or cause.versions),
        prints=_prints(cause),
    )


def _prints(cause: Cause) -> bool:
    own = cause.telltale
    if own is None or own.weight != "confirms":
        return False
    return any(one.role != "context" for one in own.signatures)


def read(raw: Sequence[Mapping[str, Any]]) -> Ties:
    """From JSON, which keeps a tuple as a list."""
    causes, checks = raw
    return Ties(
        {name: CauseTies(*row) for name, row in causes.items()},
        {name: CheckTies(*row) for name, row in checks.items()},
    )
