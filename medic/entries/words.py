"""The closed lists of words that entries are written in."""

from __future__ import annotations

from typing import Any, Literal

Role = Literal["root", "either", "victim", "advice", "context"]
Level = Literal["always", "usually", "sometimes", "rarely"]
Weight = Literal["confirms", "strong", "weak", "against", "strongly-against", "rules-out"]
SPEAKS_AGAINST: frozenset[Weight] = frozenset({"against", "strongly-against", "rules-out"})
Otherwise = Literal["never", "rarely", "sometimes", "often"]
Prior = Literal["common", "occasional", "rare"]
Phase = Literal["launch", "first-steps", "steady", "save-or-eval", "after-resume"]
Severity = Literal["error", "warning", "info"]
NotIn = Literal["help-text", "echoed-config", "source-line"]
# Names of the functions in medic/changes that compute a field's value.
Compute = Literal[
    "halve-to-divisor",
    "keep-global-batch",
    "split-global-batch",
    "steps-from-tokens",
    "tokens-from-steps",
    "decay-to-total",
    "warmup-share",
    "half-learning-rate",
    "minimum-below-peak",
    "tenfold-learning-rate",
    "global-batch-product",
    "accumulation-from-global",
    "world-from-nodes",
    "gpus-from-host",
    "workers-from-cores",
    "fewer-workers",
    "next-free-port",
    "nearest-flag",
    "drop-flag-value",
    "negate-flag",
    "doubled-timeout",
]


# Experiments that are written as changed copies of the user's own files.
Experiment = Literal["lr-range-test", "smallest-repro"]
# The check whose outcomes are the causes that words of their own name.
TELLTALE = "telltale"

CONFIG: dict[str, Any] = {
    "extra": "forbid",
    "strict": True,
    "alias_generator": lambda name: name.replace("_", "-"),
}
