"""A hidden size that the attention heads do not divide."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import counted, heads_fit

NAME = "hidden-size-not-divisible-by-heads"
NEEDS = ("hidden_size", "num_heads")


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
    return Fires("hidden_size", {"hidden": hidden, "heads": heads})
