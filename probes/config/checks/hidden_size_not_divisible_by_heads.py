"""A hidden size that the attention heads do not divide."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import counted, heads_fit

NAME = "hidden-size-not-divisible-by-heads"
NEEDS = ("hidden_size", "num_heads")
_ROUND = 16


def check(config: RunConfig) -> LintResult:
    """Megatron-LM arguments.py, gpt-neox arguments.py validate_values, litgpt config.py, the
    attention of transformers: asserted unless the head size is stated. State-space layers of
    gpt-neox have no heads.
    """
    hidden, heads = counted(config, "hidden_size"), counted(config, "num_heads")
    if hidden is None or heads is None:
        return NotChecked(NEEDS)
    if heads_fit(config) or config.setting("mamba_selective_scan_fusion") is not None:
        return Passes()
    # A round hidden size was meant as it is; the heads are the slip then.
    at = "num_heads" if hidden % _ROUND == 0 and config.stated("num_heads") else "hidden_size"
    return Fires(at, {"hidden": hidden, "heads": heads})
