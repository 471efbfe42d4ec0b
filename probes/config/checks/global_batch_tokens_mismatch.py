"""A stated number of tokens per step against what the batch really holds."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import Change, RunConfig

from .numbers import differs, independent, product, unstated, whole

NAME = "global-batch-tokens-mismatch"
_FACTORS = (
    "micro_batch_size",
    "gradient_accumulation_steps",
    "data_parallel_size",
    "sequence_length",
)
NEEDS = ("global_batch_tokens", *_FACTORS)


def check(config: RunConfig) -> LintResult:
    """GB_tok = micro batch x accumulation x replicas x sequence length."""
    missing = (
        *unstated(config, "global_batch_tokens"),
        *independent(config, "micro_batch_size", "gradient_accumulation_steps"),
    )
    if missing:
        return NotChecked(missing)
    (configured,) = whole(config, "global_batch_tokens")
    micro, accumulation, dp, seq = whole(config, *_FACTORS)
    expected = product([micro, accumulation, dp, seq])
    if not differs(configured, expected):
        return Passes()
    values = {
        "configured": configured,
        "expected": expected,
        "micro": micro,
        "accumulation": accumulation,
        "dp": dp,
        "seq": seq,
    }
    why = Text("the product of the batch", "batch 各因子之积")
    change = Change("global_batch_tokens", configured, expected, why)
    return Fires("global_batch_tokens", values, (change,))
