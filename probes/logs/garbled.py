"""An object that a collective received and that is none: the ranks were in different calls.

torch sends objects as pickles (distributed_c10d.py ``_tensor_to_object``, optim/
zero_redundancy_optimizer.py ``_broadcast_object``). Bytes that another call sent do not unpickle,
with the very words of a broken file.
"""

from __future__ import annotations

from collections.abc import Sequence

from medic.facts import Frame, Hit, Traceback
from medic.i18n import Text
from medic.records import replace
from medic.text.patterns import regex

from .evidence import is_library

_RECEIVES = regex(
    r"^(?:_tensor_to_object|_broadcast_object|broadcast_object_list|(?:all_)?gather_object|"
    r"scatter_object_list|recv_object_list)$"
)
_TOLD = Text(
    "rank {rank}: {call} at {site} got bytes that are no object",
    "rank {rank}：{call}，位于 {site}，收到的字节不是对象",
)
_BROKEN = ("EOFError", "UnpicklingError", "UnicodeDecodeError")


def first(tracebacks: Sequence[Traceback]) -> Traceback | None:
    """The first such exception that ended a rank."""
    return next((t for t in tracebacks if t.uncaught and received(t)), None)


def received(told: Traceback) -> bool:
    """Whether it was raised while torch unpickled what a rank had sent."""
    if told.exception.rpartition(".")[2] not in _BROKEN:
        return False
    return any(_RECEIVES.match(f.function) and "torch/distributed/" in f.file for f in told.frames)


def excused(hits: Sequence[Hit], tracebacks: Sequence[Traceback]) -> list[Hit]:
    """The hits; a line that such an exception wrote is no word on a file, but on the calls."""
    lines = {(t.source.file, t.source.line) for t in tracebacks if received(t)}
    return [
        replace(h, symptom="collective-mismatch", role="either", check="", outcome="", captures={})
        if (h.source.file, h.source.line) in lines and not h.benign and h.symptom
        else h
        for h in hits
    ]


def words(told: Traceback) -> Text:
    """ "rank 0: consolidate_state_dict at train.py:96 got bytes that are no object"."""
    own = next((f for f in reversed(told.frames) if not is_library(f.file)), Frame("?", 0, "?"))
    called = [f.function for f in told.frames[told.frames.index(own) + 1 :]] if own.line else []
    return _TOLD.fill(
        rank=told.source.rank if told.source.rank is not None else "?",
        call=called[0] if called else own.function,
        site=f"{own.file}:{own.line}",
    )
