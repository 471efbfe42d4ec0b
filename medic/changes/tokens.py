"""What a change makes of the tokens per step: GB_tok, to which the learning rate belongs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from medic.changes.batch import GLOBAL, MICRO, REPLICAS, SEQUENCE, STEPS, TOKENS
from medic.changes.known import ImpossibleError, Known
from medic.i18n import Text
from medic.run_config import Change, RunConfig, Scalar

_BATCH = (MICRO, STEPS, GLOBAL, TOKENS, REPLICAS, SEQUENCE)
_RANKS = ("world_size", "nodes", "gpus_per_node")


def tokens_told(config: RunConfig, changes: Sequence[Change]) -> Text | None:
    """By how much the tokens per step differ after the changes; None if they stay, or are unknown.

    Sequences are counted where their length is not known.
    """
    new = {c.field: c.new for c in changes if c.field in (*_BATCH, *_RANKS)}
    if not new:
        return None
    try:
        before, after = batch_of(config, {}), batch_of(config, new)
    except ImpossibleError:  # places disagree: there is no one batch
        return None
    if before is None or after is None or before == after:
        return None
    unit = "tokens" if Known(config).has(SEQUENCE) or config.stated(TOKENS) else "sequences"
    share = f"{after / before:.3g}"
    text = Text(
        "{unit} per step {before} -> {after} (x{share}): set the learning rate and steps for it",
        "每步 {unit} {before} -> {after}（x{share}）：学习率与总步数需相应调整",
    )
    words = {"tokens": Text("tokens", "token"), "sequences": Text("sequences", "序列数")}
    return text.fill(unit=words[unit], before=f"{before:,}", after=f"{after:,}", share=share)


def batch_of(config: RunConfig, new: Mapping[str, Scalar]) -> int | None:
    """Tokens of a step (sequences without their length) once the new values are written.

    What is written down as the whole batch rules over the product of its parts. Raises
    ImpossibleError where two places state a part differently.
    """
    known = Known(config, new=new)
    if known.has(TOKENS) and (TOKENS in new or known.states(TOKENS)):
        return known.whole(TOKENS)
    length = known.whole(SEQUENCE) if known.has(SEQUENCE) else 1
    if known.has(GLOBAL) and (GLOBAL in new or known.states(GLOBAL)):
        return known.whole(GLOBAL) * length
    if not known.has(MICRO, STEPS, REPLICAS):
        return None
    product = math.prod(known.wholes(MICRO, STEPS)) * _replicas(known)
    return int(product * length) if product == int(product) else None


def _replicas(known: Known) -> float:
    """Data parallel replicas; derived ones follow the ranks."""
    replicas = known.whole(REPLICAS)
    if REPLICAS in known.new or known.states(REPLICAS):
        return replicas
    ranks = ("world_size",) if "world_size" in known.new else ("nodes", "gpus_per_node")
    ratio = 1.0
    for name in ranks:
        old = known.config.integer(name)
        if name in known.new and old:
            ratio *= known.whole(name) / old
    return replicas * ratio
