"""A pasted message is explained as it is diagnosed: the same cause leads, here and there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from medic.text.safetext import columns

if TYPE_CHECKING:
    from medic.index.knowledge import Index

MESSAGE = 80  # columns from which one line is a whole message, with its numbers
NEAR = 0.05  # the chance from which another cause comes before the common ones


class Diagnosed(NamedTuple):
    """``symptom``: the one that the leader explains, "" where none; ``causes``: best first."""

    symptom: str = ""
    causes: tuple[str, ...] = ()


def diagnosed(words: str, index: Index) -> Diagnosed:
    """What the diagnosis of a pasted message names; nothing of words that are no message, and
    nothing where no cause leads."""
    if not _is_message(words):
        return Diagnosed()
    # A few words are looked up without a session, whose modules cost more than the look-up.
    from medic.case.collect import collect
    from medic.planner.verdict import NO_ANSWER, NOTHING_NAMED
    from medic.runner.registry import all_probes
    from medic.session.consultation import Session

    probes = [probe for probe in all_probes() if probe.reads == "artefacts"]
    session = Session(index, collect([], text=words, this_host=False, index=index), probes)
    session.look()
    found = session.diagnosis()
    if found.verdict in NO_ANSWER | NOTHING_NAMED or not found.causes:
        return Diagnosed()
    explained = next(iter(found.causes[0].explains), "")
    near = found.causes[:1] + tuple(c for c in found.causes[1:] if c.chance >= NEAR)
    return Diagnosed(explained, tuple(cause.name for cause in near))


def _is_message(words: str) -> bool:
    lines = [line for line in words.splitlines() if line.strip()]
    return len(lines) > 1 or columns(words) >= MESSAGE
