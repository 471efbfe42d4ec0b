"""Whether layers are recomputed, of a script whose own code can be read beside its arguments."""

from __future__ import annotations

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
