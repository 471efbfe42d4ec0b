"""A sequence longer than the positions, where the framework refuses it."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import counted

NAME = "sequence-longer-than-position-limit"
NEEDS = ("sequence_length", "max_position_embeddings")
_COMPARING = Text("a framework that compares them", "会比较二者的框架")
REFUSING = frozenset(("megatron", "gpt-neox"))


def check(config: RunConfig) -> LintResult:
    """Megatron-LM arguments.py validate_args and gpt-neox arguments.py validate_values assert it,
    whatever the position embedding.
    """
    length = counted(config, "sequence_length")
    limit = counted(config, "max_position_embeddings")
    if length is None or limit is None or config.framework not in REFUSING:
        return NotChecked((_COMPARING,))
    if length <= limit:
        return Passes()
    return Fires("sequence_length", {"length": length, "limit": limit})
