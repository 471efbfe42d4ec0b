"""Lines that say that an update was skipped: what they tell of it is not of the curve."""

from __future__ import annotations

import math

from medic.text.patterns import regex

from .steps import Step

# Megatron and DeepSpeed count them in every row: "number of skipped iterations: 0", "skipped=0".
_SKIPPED = regex(
    r"(?i)\b(?:update|step|batch) (?:is |was )?skipped\b(?!\s{0,3}[:=]?\s{0,3}\d)|"
    r"\bskip(?:s|ping|ped)? (?:this |the |optimi[sz]er )?(?:update|step|batch)\b(?!\s{0,3}[:=])|"
    r"跳过(?:本次|该次|这次|此次)?(?:更新|该步|这一步|该批|更新步)|(?:更新|该步)(?:已)?跳过"
)


def is_skipped(words: str) -> bool:
    """Whether a line says it."""
    return ("skip" in words.lower() or "跳过" in words) and _SKIPPED.search(words) is not None


def without_skipped(step: Step | None) -> Step | None:
    """The step without the finite loss and norm of a batch that changed nothing; a NaN stays."""
    if step is None:
        return None
    kept = {
        name: value
        for name, value in step.values.items()
        if name not in ("loss", "grad_norm") or not math.isfinite(value)
    }
    return step._replace(values=kept)
