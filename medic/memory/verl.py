"""verl's actor: the tokens of its micro batches, and what its loss makes of the logits.

Sources: ``workers/actor/dp_actor.py`` (logits in bf16 of the tokens without padding, divided in place;
``calculate_entropy`` where ``entropy_coeff`` is not 0; with padding a slice of them that is copied),
``utils/torch_functional.py`` (flash-attn's cross entropy, whose gradient takes the logits' place unless the
entropy needs them; ``entropy_from_logits``, compiled by default), ``utils/seqlen_balancing.py``
(``use_dynamic_bsz``: as many sequences as ``ppo_max_token_len_per_gpu`` holds, for each of the ranks that share a
sequence), ``trainer/config/actor/actor.yaml`` (16,384 of them; an entropy of weight 0). None of it is measured.
"""

from __future__ import annotations

from medic.memory import details
from medic.run_config import RunConfig, Scalar

FRAMEWORK = "verl"
MOST_TOKENS = 16384  # the default of ppo_max_token_len_per_gpu
# Bytes of a logit, low, likely and high. The logits, 2, whose gradient takes their place, or not; beside an
# entropy its gradient too, and where it is not compiled its softmax and their product in fp32.
IN_PLACE = (2, 2, 4)
WITH_ENTROPY = (4, 6, 14)
# Of padded batches: the slice's copy, and a gradient of all behind that of the slice.
PADDED = (2, 6, 14)


def micro_batch(config: RunConfig) -> dict[str, Scalar]:
    """The micro batch and the sequence of the actor. Where batches are filled by their tokens, as many of the
    longest sequences as hold so many: less than one too many."""
    prompt, response = (details.count(config, n) for n in ("prompt_length", "response_length"))
    longest = prompt + response if prompt and response else 0
    found: dict[str, Scalar] = {"sequence_length": longest} if longest else {}
    micro = details.count(config, "actor_micro_batch")
    if _value(config, "actor.use_dynamic_bsz") is True:
        tokens = int(_number(config, "actor.ppo_max_token_len_per_gpu") or MOST_TOKENS)
        tokens *= config.integer("context_parallel_size") or 1
        found.setdefault("sequence_length", tokens)
        micro = max(1, -(-tokens // (longest or tokens)))
    return {**found, "micro_batch_size": micro} if micro else found


def logit_bytes(config: RunConfig) -> tuple[int, int, int]:
    """Bytes of a logit in the actor's update, low, likely and high; 0 of other losses than its own."""
    if config.framework != FRAMEWORK or details.megatron_actor(config):
        return 0, 0, 0
    weight = _number(config, "actor.entropy_coeff")
    packed = _value(config, "model.use_remove_padding")
    told = weight is not None and packed is not None
    likely = PADDED if packed is False else IN_PLACE
    if weight:
        likely = WITH_ENTROPY
    return likely if told else (likely[0], likely[1], WITH_ENTROPY[2])


def _value(config: RunConfig, key: str) -> Scalar:
    found = config.setting(key)
    return found.value if found is not None else None


def _number(config: RunConfig, key: str) -> float | None:
    """A number, also one that a command's word is."""
    value = _value(config, key)
    try:
        return None if value is None or isinstance(value, bool) else float(value)
    except ValueError:
        return None
