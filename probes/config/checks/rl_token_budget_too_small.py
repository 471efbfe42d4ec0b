"""A token budget per GPU that a full prompt and response do not fit into."""

from __future__ import annotations

from collections.abc import Sequence

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .rollout_layout import ACTOR, ROLLOUT, is_on, is_verl_rl, number, written

NAME = "rl-token-budget-too-small"
NEEDS: tuple[str, ...] = ()
_PROMPT, _RESPONSE = "data.max_prompt_length", "data.max_response_length"
# (budget, the switch without which it counts for nothing)
_BUDGETS = (
    (f"{ACTOR}.ppo_max_token_len_per_gpu", f"{ACTOR}.use_dynamic_bsz"),
    (f"{ROLLOUT}.log_prob_max_token_len_per_gpu", f"{ROLLOUT}.log_prob_use_dynamic_bsz"),
    ("actor_rollout_ref.ref.log_prob_max_token_len_per_gpu", "ref.log_prob_use_dynamic_bsz"),
)
_ACTOR_DEFAULT = 16384


def check(config: RunConfig) -> LintResult | Sequence[Fires]:
    """verl utils/seqlen_balancing.py rearrange_micro_batches: max_token_len, which is the budget
    times the sequence parallel size, must be at least the longest sequence. The switches of the
    log probabilities follow that of the actor (trainer/config/rollout/rollout.yaml).
    """
    if not is_verl_rl(config):
        return NotChecked((_RESPONSE,))
    prompt, response = number(config, _PROMPT), number(config, _RESPONSE)
    if prompt is None or response is None:
        return NotChecked((_PROMPT, _RESPONSE))
    if not is_on(config, f"{ACTOR}.use_dynamic_bsz"):
        return Passes()
    ranks = config.integer("context_parallel_size") or 1
    found = []
    for key, switch in _BUDGETS:
        budget = _budget(config, key)
        off = written(config, switch) and not is_on(config, switch)
        if budget and not off and budget * ranks < prompt + response:
            at = key if written(config, key) else _RESPONSE
            values = {"key": key.rpartition(".")[2], "budget": budget, "ranks": ranks}
            found.append(Fires(at, {**values, "needed": prompt + response}))
    return found or Passes()


def _budget(config: RunConfig, key: str) -> int | None:
    """As written; the actor's has a default, which an interpolation or null hides."""
    if key.startswith(ACTOR) and written(config, key) is None:
        return _ACTOR_DEFAULT
    return number(config, key)
