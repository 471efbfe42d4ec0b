"""What is recomputed: whether layers are, of a script whose own code can be read beside its arguments, and
the words of frameworks for it."""

from __future__ import annotations

from medic.memory import details
from medic.run_config import MORE, RunConfig

RECOMPUTES = "model_recomputes"  # medic/syntax/python_trainer.py


def by_code(config: RunConfig) -> bool | None:
    """What the script's calls say; None where it takes arguments from a file that is not here."""
    told = config.setting(RECOMPUTES)
    if told is None or not isinstance(told.value, bool):
        return None
    if config.setting(MORE) is None:
        return told.value
    micro = config.origin("micro_batch_size")
    if micro is None or micro.span is None or told.origin.span is None:
        return None
    return told.value if micro.span.file != told.origin.span.file else None


def by_hand(config: RunConfig) -> bool:
    """Whether a person says, beside a file's granularity of recomputation, that all is recomputed or
    nothing is."""
    keys = (*details.KEYS["recompute"], *details.KEYS["recompute_attention"])
    stated = next(filter(None, map(config.setting, keys)), None)
    said = config.origin("activation_checkpointing")
    given = said is not None and said.source == "given"
    return given and (stated is None or stated.origin.source != "given")


def granularity(config: RunConfig) -> str:
    """What a file says is recomputed: ``full``, ``selective`` or another word; "" where a person says
    otherwise. Megatron's ``--recompute-activations`` is selective (``arguments.py``, validate_args)."""
    if by_hand(config):
        return ""
    own = any(word in config.framework for word in ("megatron", "slime"))
    if own and details.flag(config, "recompute_attention") is True:
        return "selective"
    return details.word(config, "recompute")
