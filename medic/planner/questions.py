"""What a person may be asked: a look as a question, its answers, and which runs it is about."""

from __future__ import annotations

from collections.abc import Iterable

from medic.beliefs.likelihoods import Seen
from medic.entries import Check
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.planner.looks import NextLook
from medic.records import dataclass

METHOD = "training-method"  # the check whose outcome names it
# Beginnings of families: of reinforcement learning, and of learning from preferences.
OF_RL = ("rl-", "rollout-", "engine-", "ray-", "preference-")
# Short forms in outcome names, as symptoms spell them out.
SHORT_NAMES = {"oom": "out-of-memory"}


@dataclass(frozen=True)
class Question:
    """What only a person can answer, with the outcomes as choices."""

    name: str
    say: Text
    how: Text
    minutes: float
    choices: tuple[tuple[str, Text], ...]
    look: NextLook


def of_rl(index: Index, name: str) -> bool:
    """Whether a check or symptom is about reinforcement learning or preferences: rollouts, rewards,
    engines."""
    check = index.ties.checks.get(name)
    if check is not None:
        return check.family.startswith(OF_RL)
    return name.startswith("rl-") or (
        name in index.raw["symptoms"] and index.raw["symptoms"][name]["family"].startswith(OF_RL)
    )


def speaks_of_rl(index: Index, seen: Iterable[Seen]) -> bool:
    """Whether any finding is of reinforcement learning."""
    return any(
        (s.name, s.outcome) == (METHOD, "reinforcement")
        or (of_rl(index, s.name) and not index.is_normal(s.name, s.outcome))
        for s in seen
    )


NONE_OF_THEM = Text("none of these", "都不是")


def choices(check: Check | None, present: set[str]) -> tuple[tuple[str, Text], ...]:
    """The outcomes that a person may answer, less those that the symptoms seen deny, and less "not
    known", which everyone may answer to every question. What else that outcome stands for is "none
    of these"."""
    if check is None:
        return (("present", Text("yes", "是")), ("absent", Text("no", "否")))
    asked = {
        name: outcome
        for name, outcome in check.outcomes.items()
        if not (outcome.normal and denies(name, present))
    }
    known = [(name, outcome.title) for name, outcome in asked.items() if not outcome.unknown]
    if not any(asked[name].normal for name, _ in known):
        rest = (name for name, outcome in asked.items() if outcome.unknown and outcome.normal)
        known += [(name, NONE_OF_THEM) for name in rest]
    return tuple(known)


def denies(outcome: str, present: set[str]) -> bool:
    """Whether ``not-nan`` and the like deny one of these symptoms."""
    start, _, what = outcome.partition("-")
    if start not in ("not", "no") or not what:
        return False
    what = SHORT_NAMES.get(what, what)
    return any(f"-{what}-" in f"-{name}-" for name in present)
