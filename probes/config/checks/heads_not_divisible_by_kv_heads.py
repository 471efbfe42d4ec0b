"""Attention heads that do not divide into the groups of grouped-query attention."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import counted, groups_fit, heads_fit

NAME = "heads-not-divisible-by-kv-heads"
NEEDS = ("num_heads", "num_kv_heads")


def check(config: RunConfig) -> LintResult:
    """Each key/value head serves the same number of query heads (Ainslie et al., 2023); Megatron
    Core, gpt-neox, nanotron and litgpt assert it, transformers fails in repeat_kv.
    """
    heads, kv = counted(config, "num_heads"), counted(config, "num_kv_heads")
    if heads is None or kv is None:
        return NotChecked(NEEDS)
    if groups_fit(config) or not heads_fit(config):
        return Passes()  # heads that do not fit the hidden size: told by its own check
    return Fires("num_kv_heads", {"heads": heads, "kv": kv})
