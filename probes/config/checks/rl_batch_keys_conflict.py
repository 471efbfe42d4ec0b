"""The same RL micro batch stated by the old key and by the one per GPU."""

from __future__ import annotations

from collections.abc import Sequence

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .rollout_layout import ACTOR, ROLLOUT, is_on, is_verl_rl, number

NAME = "rl-batch-keys-conflict"
NEEDS: tuple[str, ...] = ()
_KEYS = (
    (ACTOR, "ppo_micro_batch_size", "use_dynamic_bsz"),
    ("critic", "ppo_micro_batch_size", "use_dynamic_bsz"),
    (ROLLOUT, "log_prob_micro_batch_size", "log_prob_use_dynamic_bsz"),
    ("actor_rollout_ref.ref", "log_prob_micro_batch_size", "log_prob_use_dynamic_bsz"),
)


def check(config: RunConfig) -> LintResult | Sequence[Fires]:
    """verl utils/config.py validate_config check_mutually_exclusive; workers/config/actor.py
    ActorConfig.__post_init__. With dynamic batches neither counts.
    """
    if not is_verl_rl(config):
        return NotChecked((f"{ACTOR}.ppo_micro_batch_size_per_gpu",))
    if is_on(config, f"{ACTOR}.use_dynamic_bsz"):
        return Passes()
    found = []
    for path, old, switch in _KEYS:
        new = f"{old}_per_gpu"
        both = all(number(config, f"{path}.{key}") for key in (old, new))
        if both and not is_on(config, f"{path}.{switch}"):
            found.append(Fires(f"{path}.{old}", {"path": path, "old": old, "new": new}))
    return found or Passes()
