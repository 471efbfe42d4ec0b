"""An interval that has to be a multiple of another one."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import key_number, reads

NAME = "interval-not-multiple"
NEEDS: tuple[str, ...] = ()
_MEGATRON = frozenset(("megatron",))
# Megatron-LM arguments.py validate_args: (the multiple, of what, the default of that).
_PAIRS = (
    ("save_retain_interval", "save_interval", None),
    ("log_memory_interval", "log_interval", 100),
)


def check(config: RunConfig) -> LintResult:
    """Megatron-LM refuses a multiple that is none with a bare assert."""
    if not reads(config, _MEGATRON):
        return NotChecked(("save_retain_interval",))
    judged = False
    for name, unit_name, default in _PAIRS:
        interval, unit = key_number(config, name), key_number(config, unit_name) or default
        if interval is None or not unit:
            continue
        judged = True
        if interval % unit:
            values = {"name": name, "interval": interval, "unit_name": unit_name, "unit": unit}
            return Fires(name, values)
    return Passes() if judged else NotChecked(("save_retain_interval",))
