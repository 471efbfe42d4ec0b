"""Answers that grew to the limit of new tokens, and whether the reward went with them."""

from __future__ import annotations

from medic.probe import Finding, Look, config_of
from medic.records import replace

from .plan import source_at
from .tracks import Track

# As TRL, verl, OpenRLHF and generation configs call the most tokens of an answer.
_KEYS = (
    "max_completion_length", "max_new_tokens", "max_response_length", "response_length",
    "generate_max_len", "max_tokens",
)  # fmt: skip
FULL, SHORT = 0.95, 0.5  # of the limit: nearly all are cut; room that was left at the beginning
MOST = 0.5  # of the run
EARNED = 0.5  # of the whole gain of the reward, while the answers grew


def filled(look: Look, lengths: Track) -> bool:
    """Whether the mean length began well below the limit, and stands at it for most of the run."""
    found = (config_of(look).setting(name) for name in _KEYS)
    limit = next((s.value for s in found if s is not None and type(s.value) in (int, float)), None)
    if not isinstance(limit, (int, float)) or limit <= 0 or max(lengths.values) > limit:
        return False
    full = sum(value >= FULL * limit for value in lengths.values)
    begun = lengths.values[0] <= SHORT * limit
    return begun and lengths.last >= FULL * limit and full >= MOST * len(lengths.values)


def earns(lengths: Track, reward: Track | None) -> bool:
    """Whether most of what the reward gained was gained while the answers grew to the limit."""
    if reward is None:
        return False
    top = max(lengths.values)
    at = next(s for s, v in zip(lengths.steps, lengths.values, strict=True) if v >= FULL * top)
    first = reward.values[0]
    then = next((v for s, v in zip(reward.steps, reward.values, strict=True) if s >= at), first)
    gain = max(reward.values) - first
    return gain > 0 and then - first >= EARNED * gain


def from_the_first(look: Look, found: Finding, lengths: Track) -> Finding:
    """The finding with the first row: answers may fill the limit within a tenth of the run."""
    first = {"first": lengths.values[0], "first_step": int(lengths.steps[0])}
    at = lengths.series.steps.index(lengths.steps[0])
    return replace(
        found, value=dict(found.value) | first, more=(source_at(look, lengths.series, at),)
    )
