"""Experts that have less room than there are tokens for them."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import key_number

NAME = "capacity-drops-tokens"
NEEDS: tuple[str, ...] = ()
# As Megatron, its forks and nanotron, mesh models of transformers, MaxText, OpenMoE and code of one's own
# call it; not that of the evaluation.
_KEYS = (
    "moe_expert_capacity_factor", "moe_capacity_factor", "moe_train_capacity_factor",
    "expert_capacity_factor", "train_capacity_factor", "capacity_factor_train",
    "router_capacity_factor", "capacity_factor",
)  # fmt: skip
_EXPERTS = (
    "num_experts", "num_moe_experts", "n_routed_experts", "num_local_experts", "moe_num_experts",
    "n_expert", "n_experts", "expert_num",
)  # fmt: skip
# Where experts choose their tokens, a factor is how many experts a token has on average
# (Zhou et al. 2022): below 1 is a choice.
_ROUTERS = (
    "router_type",
    "moe_router_type",
    "routing",
    "gate_type",
    "moe_router_load_balancing_type",
)


def check(config: RunConfig) -> LintResult:
    """Room of an expert = factor x tokens x experts of a token / experts (Switch Transformers, 2.2;
    Megatron moe_utils.get_capacity; DeepSpeed sharded_moe): all of them hold ``factor`` of the tokens
    at most, however evenly they are used. 0, -1 and null are without a limit."""
    key = next((name for name in _KEYS if config.setting(name) is not None), "")
    factor = key_number(config, key) if key else None
    if factor is None or not _is_mixture(config, key):
        return NotChecked((_KEYS[0],))
    if not 0 < factor < 1 or _experts_choose(config) or _keeps_all(config):
        return Passes()
    setting = config.setting(key)
    name = setting.origin.key if setting is not None else key
    return Fires(key, {"key": name, "factor": f"{factor:g}", "share": f"{1 - factor:.0%}"})


def _is_mixture(config: RunConfig, key: str) -> bool:
    named = "expert" in key or "moe" in key or "router" in key
    counts = (key_number(config, name) for name in _EXPERTS if config.setting(name) is not None)
    return named or any(count is not None and count > 1 for count in counts)


def _experts_choose(config: RunConfig) -> bool:
    found = (config.setting(name) for name in _ROUTERS)
    words = [str(one.value).lower().replace("_", "").replace("-", "") for one in found if one]
    return any("expertchoice" in word or "expertschoose" in word for word in words)


def _keeps_all(config: RunConfig) -> bool:
    """DeepSpeed's ``drop_tokens: false`` makes room for the busiest expert."""
    off = (config.setting(name) for name in ("drop_tokens", "moe_drop_tokens", "token_dropping"))
    return any(one is not None and one.value is False for one in off)
