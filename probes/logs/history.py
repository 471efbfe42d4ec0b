"""How each attempt of a run failed, for comparison: the same place again, or the same node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from medic.facts import AttemptEnd, Source, Traceback
from medic.text.patterns import regex

from .launches import Launch
from .same_run import is_same_run
from .view import View

MAX_ATTEMPTS = 50
_DIGITS = regex(r"0x[0-9a-fA-F]+|\d+(?:\.\d+)?")
_NODE = regex(
    r"^([A-Za-z][\w.-]{1,60}):\d+:\d+ \[\d+\] NCCL |srun: error: ([\w.-]+): tasks? |"
    r"^([A-Za-z][\w-]*\d[\w.-]*): "
)
_FOLDER = regex(r"(?:^|[/._-])((?:node|host|gpu|dgx)[_-]?\w*\d)(?=[/._-])", 2)
_BEYOND = 1 << 60

Part = tuple[View, int, int]  # a file, and the lines of it that belong to the attempt
LONG = 1000  # steps; who trains on for so many saves between them
_WORK = ("serial-work", "serial-done")
_SAVES = regex(
    r"(?i)\bsav(?:e|ed|ing)\b.{0,60}(?:checkpoint|ckpt|state)|checkpoint.{0,40}\bsave|保存"
)


def endings(
    earlier: Sequence[Launch], views: Sequence[View], begun: Mapping[int, Sequence[int]]
) -> tuple[AttemptEnd, ...]:
    """The failures of all attempts that tell one, oldest first."""
    attempts: list[list[Part]] = [
        [(view, 0, _BEYOND) for view in launch.views] for launch in earlier[-MAX_ATTEMPTS:]
    ]
    back = min(max((len(begun.get(v.index, ())) for v in views), default=0), MAX_ATTEMPTS)
    attempts += [
        [part for v in views if (part := _part(v, begun.get(v.index, ()), n))]
        for n in range(back, -1, -1)
    ]
    found = (_ending(parts) for parts in attempts)
    return tuple(end for end in found if end is not None)


def _part(view: View, begins: Sequence[int], back: int) -> Part | None:
    """The lines of the attempt that is so many before the last one."""
    edges = [0, *begins, _BEYOND]
    at = len(edges) - 2 - back
    return (view, edges[at], edges[at + 1]) if at >= 0 and not view.machine else None


def _ending(parts: Sequence[Part]) -> AttemptEnd | None:
    failures: list[tuple[tuple[float, int, int], str, Source]] = []
    steps: list[int] = []
    texts: list[str] = []
    for view, low, high in parts:
        steps += [s.step for s in view.steps if low <= s.source.line < high]
        failures += [
            (tb.order, _fingerprint(tb), tb.source)
            for tb in view.tracebacks
            if low <= tb.source.line < high and tb.uncaught and not tb.victim
        ]
        hits = [h for h in view.scan.hits if low <= h.source.line < high and not h.benign]
        texts += [h.source.text for h in hits]
        failures += [
            (view.order(h.source.line), h.signature, h.source)
            for h in hits
            if h.role == "root" and not h.goes_on
        ]
    if not failures:
        return None
    # An exception says more than the signature of one of its lines.
    first = min(failures, key=lambda f: (f[0], ":" not in f[1]))
    node = _node([first[2].text, *texts], first[2].file, [view.host for view, _, _ in parts])
    return AttemptEnd(first[1], max(steps, default=None), node, first[2])


def _fingerprint(tb: Traceback) -> str:
    """Exception, message without its numbers, and the innermost place."""
    last = tb.frames[-1] if tb.frames else None
    place = f"{last.file.rpartition('/')[2]}:{last.line}" if last else ""
    return f"{tb.exception}: {_DIGITS.sub('#', tb.message[:120])} {place}".strip()


def _node(texts: Sequence[str], file: str, hosts: Sequence[str]) -> str:
    for text in texts:
        if found := _NODE.search(text):
            return next(g for g in found.groups() if g)
    if found := _FOLDER.search(file.replace("\\", "/")):
        return found.group(1)
    return next((host for host in hosts if host), "")


def resumable(earlier: Sequence[View], views: Sequence[View]) -> bool:
    """Whether the last launch of the run that ``views`` are of left something to go on from, and
    neither ended well nor was interrupted by hand."""
    now = max((v for v in views if v.steps), key=lambda v: v.order(v.last_line), default=None)
    earlier = [v for v in earlier if now is not None and is_same_run(v, now)]
    if not earlier:
        return False
    view = max(earlier, key=lambda v: (v.order(v.last_line)[0], v.given.modified, v.index))
    if not view.steps or any(e.how in ("well", "interrupted") for e in view.ends):
        return False
    saved = any(_SAVES.search(h.source.text) for h in view.scan.marks if h.signature in _WORK)
    return saved or view.steps[-1].step >= LONG
