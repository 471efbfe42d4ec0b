"""Whether a run learns from rewards or preferences: its loss is no likelihood of text."""

from __future__ import annotations

from medic.facts import Curve
from medic.run_config import RunConfig

# Series that only such runs log, whatever their loss is called, and words of their settings.
_OF_POLICY = ("reward", "sequence_kl", "update_kl", "policy_loss")
_POLICY = ("num_generations", "reward", "grpo", "ppo", "rollout", "kl_coef")
_OF_PAIRS = ("reward_margin", "pair_accuracy")


def is_policy(curve: Curve, config: RunConfig) -> bool:
    """Whether a policy is trained on rewards: its loss has no level, and need not fall."""
    if any(name in curve.series for name in _OF_POLICY):
        return True
    return any(word in ".".join(s.path) for s in config.settings for word in _POLICY)


def is_rewarded(curve: Curve, config: RunConfig) -> bool:
    """Whether it is that, or is trained on pairs: ln(vocabulary) is no level of its loss, and zero is
    no lack of mistakes."""
    return is_policy(curve, config) or any(name in curve.series for name in _OF_PAIRS)
