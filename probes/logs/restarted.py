"""Restarts of a launcher whose workers never found each other again.

torchrun starts all workers anew after a failure (``--max-restarts``, torch/distributed/elastic/
agent/server/api.py). Where these fail while they meet, what ended the first ones is the fault.
"""

from __future__ import annotations

from collections.abc import Sequence

from medic.facts import Hit, Traceback
from medic.records import replace

from .attempts import attempt_folder
from .verdict import hits_of
from .view import View

# How ranks that do not find each other end, and what is said of it.
_UNMET = frozenset(["network-unreachable", "rendezvous-failed"])
_MEETING = _UNMET | {"nccl-error", "rank-exited", "python-exception", ""}


def last_that_met(attempts: Sequence[tuple[int, Sequence[View]]]) -> int:
    """The number of the last attempt that got beyond its start, or failed there in another way;
    the last one of all where every one failed so. ``attempts``: number and files."""
    ordered = sorted(attempts, key=lambda one: one[0])
    met = [number for number, views in ordered if not _not_met(views)]
    return met[-1] if met else max((number for number, _ in ordered), default=0)


def not_of(hits: Sequence[Hit], views: Sequence[View], folders: int) -> list[Hit]:
    """The hits; a launcher's words on restarts (numbers up to ``folders``) that are not among the
    views are of another attempt."""
    kept = [number for v in views if (number := attempt_folder(v.given.path)) is not None]
    if not kept or max(kept) >= folders:
        return list(hits)
    own = {v.given.name for v in views if attempt_folder(v.given.path) is not None}
    return [
        replace(h, benign="other-attempt")
        if h.symptom in _UNMET and h.source.file not in own and not h.benign
        else h
        for h in hits
    ]


def _not_met(views: Sequence[View]) -> bool:
    """Whether no step was logged and all failures are of ranks that could not connect."""
    raised = [(v, t) for v in views for t in v.tracebacks if t.uncaught and not t.victim]
    if not raised or any(v.steps for v in views):
        return False
    roots = (h for v in views for h in v.scan.hits if h.role == "root" and not h.benign)
    return all(h.symptom in _MEETING for h in roots) and all(_meets(v, t) for v, t in raised)


def _meets(view: View, raised: Traceback) -> bool:
    return any(h.symptom in _UNMET for h in hits_of(raised, view.scan.hits))
