"""Causes that what a person wrote leaves no room for, however alike their own words are.

A likeness is one of words: "hangs after six hours" is much like what stops a launch, "bf16" like the
fp16 that it replaces. Here are the reasons that the likeness of words cannot see.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from medic.beliefs.conditions import Context, allows
from medic.match import sayings_of, without_harmless, without_healthy
from medic.planner.questions import of_rl
from medic.text.patterns import regex

if TYPE_CHECKING:
    from medic.beliefs.likelihoods import Seen
    from medic.index.knowledge import Index
    from medic.match.sayings import Sayings

HAD_RUN, RESUMING, IN_BF16 = "had-run", "of-resuming", "computes-in-bf16"
OF_RL = ("of-rl", "of-engines")
SETTINGS = (
    "of-sharding", "of-fp8", "of-offloading", "of-compiling", "of-adapters", "of-pipelines",
    "of-quantising",
)  # fmt: skip
# ln of the odds of a cause whose setting a text does not name, as of one level less common.
UNNAMED = math.log(1 / 4)
# Families of the checks that tell in which phase a run failed, how it is set up, and what its GPUs
# hold: an answer to one is no opinion, and words that are alike do not outweigh it.
OF_THE_RUN = frozenset({"run-phase", "run-settings", "gpu-state", "moe-config"})
# What acts in the first steps alone, and never before them, may show itself at any later time.
START = frozenset({"launch", "first-steps"})
# ln of the odds that are left to a cause of the start of a run that had been running, or of another
# precision: one text in fifty is misread.
MISREAD = math.log(1 / 50)


# The numbers of the allocator's sentence are a check of their own, and its words are the same of
# every cause: a description that quotes it is no more alike for that.
_ALLOCATOR = regex(r"(CUDA out of memory)\. Tried to allocate [^\n]*")


def read_alike(text: str, index: Index) -> str:
    """What of a pasted text is compared with the descriptions of the causes: a warning that every
    load on the CPU prints has nearly the words of the error without a GPU. Nor does the name of a
    model or a GPU tell of a fault, nor a setting of another model."""
    from medic.told.owners import without_others
    from medic.told.stated import without_names

    bare = without_healthy(without_others(_ALLOCATOR.sub(r"\1", text)))
    return without_harmless(without_names(bare, index), index)


def without_settings(text: str, index: Index) -> str:
    """The text without the names of settings and parts that any run may have."""
    named = [name for name in SETTINGS if name in index.sayings]
    return sayings_of(index).without(named, text)


def fitted(likeness: Mapping[str, float], text: str, index: Index) -> dict[str, float]:
    """The log ratios of a likeness; a cause without room gets a negative one, alike or not. What
    shows itself in rewards, rollouts or engines is half as alike to a text without a word of these,
    and so is what is of a setting that the text does not name."""
    room = _Room(text, index)
    say = sayings_of(index)
    of_rl_told = any(say.says(subject, text) for subject in OF_RL)
    asked: Mapping[str, Sequence[str]] = index.told["of"]
    unnamed = {c for c in asked if not any(say.says(one, text) for one in asked[c])}

    def half(cause: str) -> bool:
        return cause in unnamed or not (of_rl_told or cause in asked or not _is_of_rl(cause, index))

    likeness = {n: r / 2 if r > 0 and half(n) else r for n, r in likeness.items()}
    likeness |= {n: likeness.get(n, 0.0) + UNNAMED for n in sorted(unnamed)}
    return {**likeness, **{name: MISREAD for name in index.ties.causes if not room.fits(name)}}


# Families of checks about what every training has, put to the training of a policy.
OF_A_POLICY = ("rl-onset", "rl-rate", "rl-gradient", "rl-kl-setting")


def out_of_place(check: str, text: str, index: Index) -> bool:
    """Whether a check is of the training of a policy, and the text has no word of reinforcement
    learning: "the gradient norm jumped" is what moved before a reward fell only where there is a
    reward."""
    if index.checks[check].family not in OF_A_POLICY:
        return False
    say = sayings_of(index)
    return not any(say.says(subject, text) for subject in OF_RL)


def _is_of_rl(cause: str, index: Index) -> bool:
    first, _ = index.ties.causes[cause].shows[0]
    return of_rl(index, first)


def of_the_run(
    likeness: Mapping[str, float], seen: Sequence[Seen], index: Index
) -> dict[str, float]:
    """The log ratios of a likeness without those that lift a cause which acts in another phase of
    the run, or under other settings, than what is ``seen``."""
    told = {(one.name, one.outcome) for one in seen}
    return {n: r for n, r in likeness.items() if r <= 0 or not _of_another_run(n, told, index)}


def _of_another_run(cause: str, seen: Collection[tuple[str, str]], index: Index) -> bool:
    return any(
        weight == "strongly-against" and (check, outcome) in seen and _is_of_the_run(check, index)
        for check, outcome, weight in index.ties.causes[cause].links
    )


def _is_of_the_run(check: str, index: Index) -> bool:
    ties = index.ties.checks.get(check)
    return ties is not None and ties.family in OF_THE_RUN


class _Room:
    """What a text leaves room for."""

    def __init__(self, text: str, index: Index) -> None:
        self._index = index
        say = sayings_of(index)
        self._ran = say.says(HAD_RUN, text)
        self._resumed = say.says(RESUMING, text)
        self._context = Context(_conditions(text, say))

    def fits(self, cause: str) -> bool:
        """Whether the text speaks of a time, and a precision, in which the cause acts."""
        ties, known = self._index.ties.causes[cause], self._context
        asked = known.facts and ties.conditional  # else it need not be decoded
        if asked and not allows(self._index.causes[cause].applies_when, known):
            return False
        phases = set(ties.phases)
        if self._ran and "launch" in phases and phases <= START:
            return False
        return self._resumed or phases != {"after-resume"}


def _conditions(text: str, say: Sayings) -> dict[str, str]:
    """What a text tells of the run that conditions causes."""
    return {"precision": "bf16"} if say.says(IN_BF16, text) else {}
