"""LoRA's alpha far from its rank."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import counted, key_number, on

NAME = "lora-scale-unusual"
NEEDS = ("lora_rank",)
# alpha / rank of published recipes: 0.25 (QLoRA, 16 / 64) to 4; the update is multiplied by it.
LOW, HIGH = 0.1, 8.0


def check(config: RunConfig) -> LintResult:
    """Scale alpha / rank of Hu et al. (2021); not for rank-stabilised LoRA."""
    alpha, rank = key_number(config, "lora_alpha"), counted(config, "lora_rank")
    if rank is None or alpha is None:
        return NotChecked(("lora_alpha",))
    if LOW <= alpha / rank <= HIGH or on(config.setting("use_rslora")) or alpha <= 0:
        return Passes()
    values = {"alpha": f"{alpha:g}", "rank": rank, "scale": f"{alpha / rank:.3g}"}
    return Fires("lora_alpha", values)
