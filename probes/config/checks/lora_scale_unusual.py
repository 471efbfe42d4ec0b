"""LoRA's alpha far from its rank."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import counted, key_number, on

NAME = "lora-scale-unusual"
NEEDS = ("lora_rank",)
# alpha / rank of published recipes: 0.25 (QLoRA, 16 / 64) to 4; the update is multiplied by it.
LOW, HIGH = 0.1, 8.0
_LARGER = Text("the update is much larger than in known recipes", "更新幅度比常用配方大很多")
_SMALLER = Text("the update is much smaller than in known recipes", "更新幅度比常用配方小很多")
_NEGATIVE = Text(
    "the update is subtracted: no known recipe has a scale below 0",
    "更新会被减去：常用配方的缩放系数没有小于 0 的",
)


def check(config: RunConfig) -> LintResult:
    """Scale alpha / rank of Hu et al. (2021); of rank-stabilised LoRA only its sign. A scale of 0
    is told as an impossible value."""
    alpha, rank = key_number(config, "lora_alpha"), counted(config, "lora_rank")
    if rank is None or alpha is None:
        return NotChecked(("lora_alpha",))
    scale = alpha / rank
    if LOW <= scale <= HIGH or alpha == 0 or (alpha > 0 and on(config.setting("use_rslora"))):
        return Passes()
    effect = _LARGER if scale > HIGH else _SMALLER if scale > 0 else _NEGATIVE
    values = {"alpha": f"{alpha:g}", "rank": rank, "scale": f"{scale:.3g}", "effect": effect}
    return Fires("lora_alpha", values)
