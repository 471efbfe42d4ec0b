"""Two checkpoints side by side: names, shapes, dtypes, states and step."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping

from medic.facts import CheckpointIndex, GivenFile
from medic.probe import Look
from medic.records import dataclass, replace

from . import adapters
from .compare import Comparison, compare, is_head
from .fusing import join_for, split_for
from .heads import says_tied, with_own_heads
from .keys import shapes
from .reader import Reader, refuse_empty
from .remap import rule_for
from .row_orders import TOLD, Orders, orders_of
from .source import named
from .units import Unit, are_parts_of_one, gather


@dataclass(frozen=True)
class Difference:
    """``dtypes``: (dtype of the first, of the second) -> how many tensors. ``fused``: projections
    that are one tensor on one side and several on the other."""

    first: CheckpointIndex
    second: CheckpointIndex
    comparison: Comparison
    dtypes: tuple[tuple[str, str, int], ...] = ()
    fused: int = 0
    unordered: int = 0
    is_one_file: bool = False
    tied: tuple[str, ...] = ()


def unit_of(files: tuple[GivenFile, ...] | list[GivenFile]) -> Unit | None:
    """The newest checkpoint among the files, or None; of the parts of one, the first rank's."""
    found = gather(f for f in files if f.kind == "checkpoint")
    if not found:
        return None
    parts = [u for u in found if are_parts_of_one(u.path, found[0].path)]
    return min((found[0], *parts), key=lambda u: u.name)


def diff(look: Look, first: Unit, second: Unit) -> Difference:
    """Reads the headers of both. Raises Unreadable, ``at`` the one that cannot be read."""
    with named(first.name):
        ours = Reader(look).read(first)
        refuse_empty(ours)
    with named(second.name):
        theirs = Reader(look).read(second)
        refuse_empty(theirs)
    have, wanted = shape_of(ours), shape_of(theirs)
    one = os.path.realpath(first.path) == os.path.realpath(second.path)
    beside = adapters.beside(have, wanted)
    if beside is not None:
        return Difference(ours, theirs, beside, is_one_file=one)
    found = compare(shapes(ours), shapes(theirs))
    rule = rule_for(have, wanted) if found.outcome == "different-model" else found.rule
    names = rule.mapping(ours.tensors, theirs.tensors)
    found = with_own_heads(look, found, (first, second), names)
    counts: Counter[tuple[str, str]] = Counter()
    for name, tensor in ours.tensors.items():
        other = theirs.tensors.get(names[name])
        hollow = ours.hollow or theirs.hollow  # a placeholder's dtype is not the weights'
        if other is not None and other.dtype != tensor.dtype and not hollow:
            counts[tensor.dtype, other.dtype] += 1
    dtypes = tuple((a, b, n) for (a, b), n in counts.most_common())
    renamed = {names[n]: s for n, s in have.items()}
    fused, sources = _fused(renamed, wanted, TOLD)
    known, _ = _fused(renamed, wanted, orders_of(look, first, second))
    if fused:
        found = _explained(replace(found, rule=rule), fused, sources, len(wanted))
    return Difference(
        ours,
        theirs,
        found,
        dtypes,
        len(fused),
        unordered=len(fused - known),
        is_one_file=one,
        tied=_tied(look, found, first, second),
    )


def _tied(look: Look, found: Comparison, first: Unit, second: Unit) -> tuple[str, ...]:
    sides = (("A", first, found.missing), ("B", second, found.unexpected))
    return tuple(
        s for s, unit, lacks in sides if any(map(is_head, lacks)) and says_tied(look, unit)
    )


def shape_of(index: CheckpointIndex) -> dict[str, tuple[int, ...]]:
    return {name: tensor.shape for name, tensor in index.tensors.items()}


def _fused(
    have: Mapping[str, tuple[int, ...]], wanted: Mapping[str, tuple[int, ...]], orders: Orders
) -> tuple[set[str], set[str]]:
    """(tensors of the second that are rows or joins of some of the first, these)."""
    made: set[str] = set()
    sources: set[str] = set()
    for name in wanted.keys() - have.keys():
        cut = split_for(name, have, wanted, orders)
        join = None if cut else join_for(name, have, wanted, orders)
        if cut or join:
            made.add(name)
            sources.update((cut.source,) if cut else join.sources if join else ())
    return made, sources


def _explained(found: Comparison, made: set[str], sources: set[str], total: int) -> Comparison:
    """The comparison without the projections that are only joined otherwise."""
    missing = tuple(n for n in found.missing if n not in made)
    left = tuple(n for n in found.unexpected if n not in sources)
    outcome = "layers-missing" if missing or left else "fused-or-split"
    if found.mismatched:
        outcome = "shapes-differ"
    return replace(
        found, outcome=outcome, missing=missing, unexpected=left, total=total,
        matched=total - len(missing) - len(made),
    )  # fmt: skip
