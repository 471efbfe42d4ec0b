"""A context of the rollout engine that a full prompt and response do not fit into."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .rollout_layout import ROLLOUT, is_verl_rl, number

NAME = "completions-cut-at-limit"
NEEDS: tuple[str, ...] = ()
PROMPT, RESPONSE = "data.max_prompt_length", "data.max_response_length"
_CONTEXT = f"{ROLLOUT}.max_model_len"


def check(config: RunConfig) -> LintResult:
    """verl workers/rollout/vllm_rollout/vllm_async_server.py generate: a response has at most
    max_model_len less the length of its prompt, whatever max_response_length says.
    """
    if not is_verl_rl(config):
        return NotChecked((_CONTEXT,))
    context = number(config, _CONTEXT)
    prompt, response = number(config, PROMPT), number(config, RESPONSE)
    if context is None or prompt is None or response is None:
        return NotChecked((_CONTEXT, PROMPT, RESPONSE))
    if context >= prompt + response:
        return Passes()
    return Fires(_CONTEXT, {"context": context, "needed": prompt + response})
