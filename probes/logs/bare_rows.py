"""Rows of metrics without a step: ``Epoch 3 | train loss 1.2 | lr 2e-4``, ``loss=1.2 lr=2e-4``.

A sentence has such words and numbers, too; a row has nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from medic.text.patterns import regex

LOSSES = frozenset({"loss", "eval_loss"})
BESIDE = frozenset({"learning_rate", "grad_norm", "tokens_per_s", "step_time", "eval_loss"})
WORDS, LENGTH = 4, 40  # of a name in a row, with the separator and unit beside it
_SENTENCE = regex(
    r"(?i)\b(?:at|is|was|are|with|and|from|to|after|before|the|of|in|my|i|on|then|but|goes|it|stays|"
    r"now|about|around|still|falls?|rises?|if|when|for|until|by|target|best|final|initial|min|max)\b|"
    r"[?!\u4e00-\u9fff]"
)


def is_row(parts: Sequence[str], metrics: Collection[str]) -> bool:
    """``parts``: the texts between the numbers of a line; ``metrics``: the canonical names of these."""
    if not LOSSES & set(metrics) or not BESIDE & (set(metrics) - {"loss"}):
        return False
    return all(
        len(part) <= LENGTH and len(part.split()) <= WORDS and not _SENTENCE.search(part)
        for part in parts
    )
