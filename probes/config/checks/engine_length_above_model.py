"""An engine that is asked for more tokens than the model has positions."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import counted
from .positions_beyond_trained import scaled
from .rollout_layout import ROLLOUT, number, written

NAME = "engine-length-above-model"
NEEDS: tuple[str, ...] = ()
# verl, ms-swift (of either release), TRL, axolotl; vLLM's own server.
LENGTHS = (
    f"{ROLLOUT}.max_model_len",
    "vllm_max_model_len",
    "vllm_max_model_length",
    "vllm.max_model_len",
    "max_model_len",
)
_POSITIONS = Text("the positions of the model", "模型的位置数")
# Of an engine's model itself they stretch its positions.
_OVERRIDES = ("hf_overrides", "rope_parameters", "engine_kwargs", "vllm_engine_kwargs")


def check(config: RunConfig) -> LintResult:
    """vLLM config/model.py _get_and_verify_max_len: a length above the derived one is refused, and so it
    is by SGLang (model_config.py), unless a variable allows it; -1 and auto take the model's."""
    key = written(config, *LENGTHS)
    length = number(config, key) if key is not None else None
    limit = counted(config, "max_position_embeddings")
    if key is None or length is None:
        return NotChecked((LENGTHS[0],))
    if limit is None:
        return NotChecked((_POSITIONS,))
    overridden = any(name in s.path for s in config.settings for name in _OVERRIDES)
    if length <= limit or overridden or scaled(config):
        return Passes()
    return Fires(key, {"key": key, "length": length, "limit": limit})
