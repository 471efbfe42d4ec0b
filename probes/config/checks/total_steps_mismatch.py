"""total_steps against total_tokens / GB_tok."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import Change, RunConfig

from .numbers import differs, percent, product, unstated, whole

NAME = "total-steps-mismatch"
NEEDS = ("total_steps", "total_tokens", "global_batch_tokens")
_BATCH = ("micro_batch_size", "gradient_accumulation_steps", "data_parallel_size")


def check(config: RunConfig) -> LintResult:
    """total_steps = floor(total_tokens / GB_tok), flagged beyond max(1 step, 0.5%)."""
    missing = unstated(config, "total_steps", "total_tokens")
    if missing:
        return NotChecked(missing)
    steps, tokens = whole(config, "total_steps", "total_tokens")
    gb_tok = _tokens_a_step(config)
    expected = tokens // gb_tok if gb_tok else 0
    if not expected:
        return NotChecked(("total_tokens",))
    if not differs(steps, expected):
        return Passes()
    why = Text("{tokens} tokens / {gb_tok} tokens per step", "{tokens} token / 每步 {gb_tok} token")
    values = {
        "configured": steps,
        "expected": expected,
        "gb_tok": gb_tok,
        "total_tokens": tokens,
        "percent": percent(steps * gb_tok, tokens),
    }
    change = Change("total_steps", steps, expected, why.fill(tokens=tokens, gb_tok=gb_tok))
    return Fires("total_steps", values, (change,))


def _tokens_a_step(config: RunConfig) -> int:
    """The real product where it is known; a stated GB_tok may be what is wrong."""
    fields = (*_BATCH, "sequence_length")
    if config.missing(*fields):
        return whole(config, "global_batch_tokens")[0]
    return product(whole(config, *fields))
