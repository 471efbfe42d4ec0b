"""A head size that attention kernels are not made for."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import beside, counted

NAME = "head-size-unsuited"
NEEDS = ("hidden_size", "num_heads")
_STATED = ("head_dim", "kv_channels", "head_size", "d_kv")


def check(config: RunConfig) -> LintResult:
    """Fused kernels take head sizes that are multiples of 8, up to 256 (flash-attn
    flash_api.cpp; torch sdp_utils.cpp); others are padded or computed without them.
    """
    hidden, heads = counted(config, "hidden_size"), counted(config, "num_heads")
    if hidden is None or heads is None or not beside(config, *NEEDS):
        return NotChecked(NEEDS)
    if any(config.setting(name) is not None for name in _STATED) or hidden % heads:
        return Passes()  # not divisible: told by its own check
    size = hidden // heads
    if size % 8 == 0 and (size <= 256 or heads == 1):
        return Passes()
    return Fires("num_heads", {"size": size, "hidden": hidden, "heads": heads})
