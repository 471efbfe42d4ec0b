"""Files of a job array's tasks: named as those of a job's ranks are, and each a run of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from medic.errors import Unreadable
from medic.facts import GivenFile
from medic.probe import Look
from medic.text.patterns import regex

from .prefix import Prefixes

HEAD = 200  # lines of a file, in which a run tells what it is
# Seconds between the first lines of two: ranks of one job begin within a minute.
APART = 120.0
# sbatch --output=slurm-%A_%a.out, the default of an array; srun --output=slurm-%j_%t.out of ranks.
_NAMED = regex(r"(?:^|.*/)slurm-(\d+)_(\d+)\.(?:out|err)$")
_STEP = regex(r"(?i)\b(?:step|iter(?:ation)?|epoch)s?\b\W{0,4}\d.{0,200}\bloss\b")


def tasks(look: Look, files: Sequence[GivenFile]) -> frozenset[str]:
    """Paths of the files that are an array's tasks: at least two of a job tell several ranks of
    their own, or train and begin minutes apart. Whatever does not tell is a rank's: one that only
    its failure makes speak begins late, too, and has no step before it."""
    jobs: dict[str, list[GivenFile]] = {}
    for given in files:
        if found := _NAMED.match(given.path.replace("\\", "/")):
            jobs.setdefault(found.group(1), []).append(given)
    return frozenset(
        given.path
        for group in jobs.values()
        if len(group) > 1 and _are_runs(look, group)
        for given in group
    )


def _are_runs(look: Look, group: Sequence[GivenFile]) -> bool:
    heads = [_head(look, given) for given in group]
    if sum(len(ranks) > 1 for ranks, _ in heads) > 1:
        return True
    began = sorted(at for _, at in heads if at is not None)
    return len(began) > 1 and began[-1] - began[0] > APART


def _head(look: Look, given: GivenFile) -> tuple[set[int], float | None]:
    """Ranks that the first lines tell, and the first time where there are steps."""
    prefixes, first, trains = Prefixes(), None, False
    for text in _lines(look, given):
        at = prefixes.read(text).time
        first = at if first is None else first
        trains = trains or _STEP.search(text[:400]) is not None
    return prefixes.told, first if trains else None


def _lines(look: Look, given: GivenFile) -> Iterator[str]:
    try:
        yield from (text for _, text in islice(look.lines(given.path), HEAD))
    except Unreadable:
        return
