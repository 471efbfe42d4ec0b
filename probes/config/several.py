"""Findings of several launches: each is judged as a run of its own, what all say is said once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from medic.probe import Finding, Skip
from medic.records import replace
from medic.run_config import RunConfig


def of_each(
    config: RunConfig, judged: Callable[[RunConfig], Iterable[Finding | Skip]]
) -> Iterable[Finding | Skip]:
    """All of the run, and what fires in the other launches."""
    return _of_several(config, judged) if config.others else judged(config)


def _of_several(
    config: RunConfig, judged: Callable[[RunConfig], Iterable[Finding | Skip]]
) -> Iterator[Finding | Skip]:
    """A repair that is computed changes the run's own fields: of the others only those stay that say
    where they stand in the file.
    """
    own = list(judged(config))
    told = {(f.name, f.span) for f in own if isinstance(f, Finding)}
    more: list[Finding] = []
    for other in config.others:
        for found in judged(other):
            if not isinstance(found, Finding) or found.outcome != "fires" or found.span is None:
                continue
            if (found.name, found.span) not in told:
                told.add((found.name, found.span))
                more.append(replace(found, changes=()))
    fired = {f.name for f in more}
    for found in own:
        name = found.name if isinstance(found, Finding) else found.check
        if name not in fired or (isinstance(found, Finding) and found.outcome == "fires"):
            yield found
    yield from more
