"""LoRA on layers by the names of another library, which torchtune passes over."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

NAME = "option-reads-otherwise"
NEEDS: tuple[str, ...] = ()
_KEY = "lora_attn_modules"
_OWN = ("q_proj", "k_proj", "v_proj", "output_proj")
_CALLED = {"o_proj": "output_proj", "out_proj": "output_proj", "wo": "output_proj"}
_MLP = ("gate_proj", "up_proj", "down_proj", "w1", "w2", "w3", "mlp")
_PASSED = Text(
    "torchtune puts LoRA on {own} by this key and passes over {names}{meant}",
    "torchtune 按此键只在 {own} 上加 LoRA，会忽略 {names}{meant}",
)
_IS = Text("; it calls that {name}", "；它的名字是 {name}")
_BY_SWITCH = Text(
    "; apply_lora_to_mlp is for those of the MLP", "；MLP 的层由 apply_lora_to_mlp 控制"
)


def check(config: RunConfig) -> LintResult:
    """torchtune models/*/_component_builders.py: each of four names is looked for in the list."""
    listed = config.setting(_KEY)
    if "torchtune" not in config.frameworks or listed is None or not isinstance(listed.value, str):
        return NotChecked((_KEY,))
    names = [one.strip("'\"") for one in listed.value.strip("[]").replace(",", " ").split()]
    passed = [one for one in names if one in _CALLED or one in _MLP]
    if not passed:
        return Passes()
    called = next((_CALLED[one] for one in passed if one in _CALLED), "")
    meant = _IS.fill(name=called) if called else _BY_SWITCH
    what = _PASSED.fill(own=", ".join(_OWN), names=", ".join(passed), meant=meant)
    return Fires(_KEY, {"what": what})
