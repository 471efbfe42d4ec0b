"""A sequence longer than the positions that the model was trained on."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .completions_cut_at_limit import PROMPT as _PROMPT
from .completions_cut_at_limit import RESPONSE
from .models import counted, on
from .rollout_layout import is_verl_rl, number
from .sequence_longer_than_position_limit import REFUSING

NAME = "positions-beyond-trained"
NEEDS: tuple[str, ...] = ()
_LIMIT = "max_position_embeddings"
_SEQUENCE = "sequence_length"
_PACKING = ("sample_packing", "packing", "neat_packing", "packing_samples", "pack_sequences")
_MANY = 4  # contexts of the model in one packed sequence: few who pack take as many
_LONG_SAMPLES = Text(
    "packed samples begin anew at position 0, but one longer than {limit} tokens is kept whole and"
    " runs past them",
    "打包的每条样本各自从位置 0 开始，但超过 {limit} 个 token 的样本会被完整保留并越界",
)
_FULL_PROMPTS = Text(
    "only a prompt and an answer of full length run past them",
    "只有 prompt 和回答都达到上限时才会越界",
)
PROMPT = "max_prompt_length"
# What a prompt and an answer may have, where a framework cuts both: TRL (grpo_config.py), OpenRLHF
# (cli/train_ppo_ray.py), slime (utils/arguments.py).
_PAIRS = {
    "trl": (PROMPT, "max_completion_length"),
    "openrlhf": ("prompt_max_len", "generate_max_len"),
    "slime": ("rollout_max_prompt_len", "rollout_max_response_len"),
}
PROMPTS = tuple(prompt for prompt, _ in _PAIRS.values())
# torchtitan models/<name>/model/args.py max_seq_len, of all flavors.
_OF_TITAN = {"llama3": 131_072}
_UNSCALED = (None, False, "default", "none", 1)


def check(config: RunConfig) -> LintResult:
    """Not for nanotron, which sets the model's positions to the sequence length (trainer.py), and
    not for NeMo's rotary positions, which have no limit.
    """
    length, at = _length(config)
    limit = counted(config, _LIMIT) or _of_torchtitan(config)
    if length is None or limit is None or config.framework == "nanotron":
        return NotChecked((_SEQUENCE,) if length is None else (_LIMIT,))
    kind = config.setting("position_embedding_type")
    unlearned = kind is not None and kind.value != "learned_absolute"
    refused = config.framework in REFUSING or unlearned  # told by the check of what is refused
    if refused or length <= limit or scaled(config):
        return Passes()
    told: dict[str, object] = {"length": length, "limit": limit}
    if at in PROMPTS:
        return Fires(at, told | {"mild": _FULL_PROMPTS})
    if not _packed(config):
        return Fires(at, told)
    if length <= _MANY * limit:
        return Passes()
    return Fires(at, told | {"mild": _LONG_SAMPLES.fill(limit=limit)})


def _length(config: RunConfig) -> tuple[int | None, str]:
    """(tokens, where they are stated); of verl those of a full prompt and a full response, which its
    rollout compares with the positions (verl workers/rollout/vllm_rollout)."""
    if is_verl_rl(config):
        prompt, response = number(config, _PROMPT), number(config, RESPONSE)
        return (None if prompt is None or response is None else prompt + response), RESPONSE
    if (names := _PAIRS.get(config.framework)) is not None:
        prompt, answer = (number(config, name) for name in names)
        if prompt is not None and answer is not None:
            return prompt + answer, names[0]  # prompts are cut there, and answers at the other
    return counted(config, _SEQUENCE), _SEQUENCE


def _of_torchtitan(config: RunConfig) -> int | None:
    """What its model of that name has: torchtitan warns of a longer sequence and trains on it."""
    name = config.setting("model.name", "torchtitan")
    return _OF_TITAN.get(str(name.value)) if name is not None else None


def _packed(config: RunConfig) -> bool:
    """Whether a model that is only named gets several samples in a sequence: positions begin anew
    with each of them."""
    origin = config.origin("max_position_embeddings")
    named = origin is not None and origin.source == "derived"
    return named and any(on(config.setting(name)) for name in _PACKING)


def scaled(config: RunConfig) -> bool:
    """Whether a setting stretches the rotary positions: any of rope_scaling, a type or factor of
    rope_parameters, rope_factor and the like.
    """
    return any(
        "rope_scaling" in s.path
        or (s.path[-1] in ("rope_type", "factor") and "rope_parameters" in s.path)
        or any(word in s.path[-1] for word in ("rope_factor", "rope_scaling", "interpolation"))
        for s in config.settings
        if s.value not in _UNSCALED
    )
