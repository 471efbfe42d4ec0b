"""A sequence that context or sequence parallelism cannot cut into equal parts."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import MEGATRON_CORE, counted, fits_world, indivisible, label, on, reads, size

NAME = "sequence-not-divisible-by-parallel-size"
NEEDS = ("sequence_length",)
_UNPADDED = Text("a framework that does not pad", "不自动补齐序列的框架")
_READERS = MEGATRON_CORE | {"torchtitan"}


def check(config: RunConfig) -> LintResult:
    """Megatron-LM arguments.py (2 x context parallel size: causal parts are paired), its
    mappings.py (reduce-scatter over tensor ranks), torchtitan trainer.py. Others pad.
    """
    length = counted(config, "sequence_length")
    if length is None or not reads(config, _READERS):
        return NotChecked(NEEDS if length is None else (_UNPADDED,))
    if not fits_world(config):
        return Passes()  # told by its own check
    context, tensor = size(config, "context_parallel_size"), size(config, "tensor_parallel_size")
    name = label(config, "sequence_length")
    halves = 2 * context if context > 1 else 1
    if length % halves:
        divisor = f"2 x {label(config, 'context_parallel_size')}"
        return Fires("sequence_length", indivisible(name, length, divisor, halves))
    spread = tensor > 1 and (
        on(config.setting("sequence_parallel")) or config.framework == "torchtitan"
    )
    if spread and (length // context) % tensor:
        what = indivisible(name, length // context, label(config, "tensor_parallel_size"), tensor)
        return Fires("sequence_length", what)
    return Passes()
