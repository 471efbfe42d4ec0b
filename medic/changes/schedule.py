"""Total steps, decay and warmup."""

from __future__ import annotations

from medic.changes.batch import tokens_per_step
from medic.changes.known import Computed, ImpossibleError, Known, MissingError
from medic.i18n import Text
from medic.run_config import RunConfig

# Warmup of 1% of the run, at least 2/(1 - beta2) steps (the memory of Adam's second moment), at
# most 2,000 steps (LLaMA, OPT, OLMo 2) and 5% of the run.
WARMUP_SHARE = 0.01
WARMUP_MOST = 2_000
WARMUP_MOST_SHARE = 0.05


def stated_form(config: RunConfig, field: str) -> str:
    """Warmup as the run states it: as a share where only that is written down."""
    as_share = config.stated("warmup_ratio") and not config.stated("warmup_steps")
    return "warmup_ratio" if field == "warmup_steps" and as_share else field


def total_steps(known: Known) -> int:
    """Steps of the run, from its tokens where they are not stated. Raises MissingError."""
    if known.has("total_steps"):
        return known.whole("total_steps")
    if known.has("total_tokens"):
        return known.whole("total_tokens") // tokens_per_step(known)
    raise MissingError("total_steps")


def steps_from_tokens(known: Known, _: str) -> Computed:
    """total_steps = floor(total_tokens / GB_tok)."""
    tokens, step = known.whole("total_tokens"), tokens_per_step(known)
    if tokens < step:
        raise ImpossibleError(
            Text(
                f"{tokens:,} tokens are less than one step of {step:,}",
                f"{tokens:,} token 不足一步（{step:,}）",
            )
        )
    why = Text(f"{tokens:,} tokens / {step:,} per step", f"{tokens:,} token / 每步 {step:,}")
    return Computed(tokens // step, why)


def tokens_from_steps(known: Known, _: str) -> Computed:
    """total_tokens = total_steps * GB_tok."""
    steps, step = known.whole("total_steps"), tokens_per_step(known)
    return Computed(steps * step, Text(f"{steps:,} x {step:,}", f"{steps:,} x {step:,}"))


def decay_to_total(known: Known, _: str) -> Computed:
    return Computed(total_steps(known), Text("the last step of the run", "训练的最后一步"))


def warmup_share(known: Known, field: str) -> Computed:
    """Warmup in steps, or as a share of the run for ``warmup_ratio``."""
    total = total_steps(known)
    beta2 = known.config.number("adam_beta2")
    least = round(2 / (1 - beta2)) if beta2 is not None and 0 < beta2 < 1 else 1
    steps = min(max(round(total * WARMUP_SHARE), least), WARMUP_MOST)
    steps = max(1, min(steps, int(total * WARMUP_MOST_SHARE)))
    why = Text(f"about 1% of {total:,} steps, at most 5%", f"{total:,} 步的约 1%，不超过 5%")
    return Computed(round(steps / total, 6) if field == "warmup_ratio" else steps, why)
