"""Global ranks of what names local ranks: torchrun's ``--log-dir`` folders, and NCCL's lines.

``[NODE/]RUN_ID/attempt_N/LOCAL_RANK/stderr.log``: torch/distributed/elastic/multiprocessing/api.py.
Several nodes write folders of the same names, side by side or each below one of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from medic.facts import Source, StepLine, Traceback
from medic.records import replace
from medic.text.patterns import regex

from .ending import End
from .view import View

_PLACE = regex(r"(?:(.*)/)?attempt_\d+/(\d{1,5})/[^/]+$")
_NUMBER = regex(r"(\d+)")
_NODE = regex(r"(?:^|[^a-z])(?:node|host|worker|machine)[-_]?(\d{1,4})(?!\d)[^/]*$")

MOST_LOCAL = 16  # GPUs of one node (HGX-2): a rank beyond them is on another

Sourced = TypeVar("Sourced", StepLine, Traceback, End)


def place(path: str) -> tuple[str, int] | None:
    """(folder of one agent's run, local rank) of a worker's file."""
    found = _PLACE.match(path.replace("\\", "/"))
    return (found.group(1) or "", int(found.group(2))) if found else None


def settle(views: Sequence[View]) -> None:
    """Gives each worker's lines its global rank, where the lines of its node tell one."""
    _forget_devices(views)
    _forget_locals(views)
    for view in views:
        if view.prefixes.first and len(view.prefixes.firsts) == 1:
            _shift(view, view.prefixes.first)
    placed = [(view, *at) for view in views if (at := place(view.given.path))]
    first = _first_ranks([(view, root, local) for view, root, local in placed])
    for view, root, local in placed:
        if root in first and view.prefixes.rank == local:
            _move(view, local, first[root] + local)


def _forget_devices(views: Sequence[View]) -> None:
    """NCCL's ``host:pid:tid [device]`` tells no rank where the run has several nodes, unless a
    launcher's line told the first rank of this one."""
    hosts = {host for view in views for host in view.prefixes.devices}
    told = {rank for view in views for rank in view.prefixes.told}
    if len(hosts) < 2 and max(told, default=0) < MOST_LOCAL:
        return
    for view in views:
        prefixes = view.prefixes
        prefixes.several = True
        if not prefixes.firsts:
            devices = {d for found in prefixes.devices.values() for d in found}
            for device in sorted(devices - prefixes.told - {prefixes.rank}):
                _renumber(view, device, None)


def _forget_locals(views: Sequence[View]) -> None:
    """torchrun's ``[default3]:`` names a rank of its node: of several nodes, no rank of the run,
    but where the agent told with which one the node begins."""
    telling = [view for view in views if view.prefixes.local]
    of_nodes = any(v.prefixes.several or v.prefixes.nodes > 1 for v in telling)
    if not of_nodes and not _of_several_nodes(telling):
        return
    for view in telling:
        prefixes = view.prefixes
        if len(prefixes.firsts) != 1:
            prefixes.several = True
            forgotten = sorted(prefixes.local - prefixes.told - {prefixes.rank})
            _keep_one(view, forgotten)
            for local in forgotten:
                _renumber(view, local, None)


def _keep_one(view: View, forgotten: Sequence[int]) -> None:
    """The steps of one writer: of several that nothing tells apart they would go back and forth."""
    logging = [s.source.rank for s in view.steps if s.source.rank in forgotten]
    one = min((rank for rank in logging if rank is not None), default=None)
    view.steps = [
        s for s in view.steps if s.source.rank in (None, one) or s.source.rank not in forgotten
    ]


def _of_several_nodes(telling: Sequence[View]) -> bool:
    """Whether files are those of different nodes: by what the agents told, by the hosts that their
    lines name, or by their own names. One launch may write a file for each stream, too."""
    firsts = {first for view in telling for first in view.prefixes.firsts}
    hosts = {view.host for view in telling if view.host}
    named = {found[1] for v in telling if (found := _NODE.search(v.given.path.lower()))}
    return max(len(firsts), len(hosts), len(named)) > 1


def _first_ranks(placed: Sequence[tuple[View, str, int]]) -> dict[str, int]:
    """The global rank of local rank 0 by agent: as its lines say, else by the order of the names.

    Names tell it where there are several agents of equally many workers, and no line of another
    agent says otherwise.
    """
    told: dict[str, int] = {}
    workers: dict[str, set[int]] = {}
    for view, root, local in placed:
        workers.setdefault(root, set()).add(local)
        if len(view.prefixes.told) == 1:
            told.setdefault(root, next(iter(view.prefixes.told)) - local)
    sizes = {max(locals_) + 1 for locals_ in workers.values()}
    size = sizes.pop() if len(sizes) == 1 else None
    ordered = sorted(workers, key=_natural)
    by_name = {root: i * (size or 0) for i, root in enumerate(ordered)}
    if size is not None and all(by_name[root] == first for root, first in told.items()):
        return by_name
    return {root: first for root, first in told.items() if first >= 0}


def _natural(name: str) -> list[tuple[int, str]]:
    """Sorts node-2 before node-10."""
    return [(int(p), "") if p.isdecimal() else (-1, p) for p in _NUMBER.split(name)]


def _shift(view: View, first: int) -> None:
    """Lines that told a device of their node only, before the node's first rank was known."""
    told = {*view.prefixes.told, view.prefixes.rank}
    for local in sorted(r for r in view.ranks - told if r < first):
        _renumber(view, local, local + first)


def _move(view: View, local: int, rank: int) -> None:
    """Lines that had no rank of their own were taken for the folder's."""
    view.prefixes.rank = rank
    if local != rank:
        _renumber(view, local, rank)


def _renumber(view: View, local: int, rank: int | None) -> None:
    def source(old: Source) -> Source:
        return replace(old, rank=rank) if old.rank == local else old

    def moved(rows: Sequence[Sourced]) -> list[Sourced]:
        return [replace(row, source=source(row.source)) for row in rows]

    view.steps = moved(view.steps)
    view.tracebacks = moved(view.tracebacks)
    view.ends = moved(view.ends)
    view.tail = [source(line) for line in view.tail]
    last = view.last_of.pop(local, None)
    view.ranks = view.ranks - {local}
    if rank is None:
        return
    if last is not None:
        view.last_of[rank] = source(last)
    view.ranks |= {rank}
