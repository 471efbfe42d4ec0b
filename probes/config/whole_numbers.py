"""Whole numbers with a dot in a file whose loader converts nothing: ``max_steps: 1.0e+3`` is a float."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from medic.i18n import Text
from medic.probe import Finding
from medic.run_config import Setting

from .setting_faults import fault

OTHERWISE = "option-reads-otherwise"
_FILES = ("yaml", "json", "toml")
# transformers trainer.py counts these by range(), torch BatchSampler refuses a float; intervals are
# made whole by TrainingArguments (training_args.py __post_init__).
_COUNTED = frozenset(("total_steps", "micro_batch_size", "gradient_accumulation_steps"))
_FLOAT = Text(
    "{key}: {value} stays a float, and what counts by it takes whole numbers only: write {whole}",
    "{key}：{value} 读入后仍是浮点数，而用它计数的代码只接受整数：请写成 {whole}",
)
_STOPS = Text(
    "TypeError or ValueError as the training starts; without a length of the data set max_steps may pass",
    "训练一开始就报 TypeError 或 ValueError；数据集没有长度时 max_steps 可能例外",
)


def whole_with_dot(
    setting: Setting, fields: Collection[str], reads: Sequence[str]
) -> Finding | None:
    """``fields`` are those that the key states, ``reads`` what its framework's loader does."""
    value, origin = setting.value, setting.origin
    if "as-written" not in reads or origin.syntax not in _FILES or _COUNTED.isdisjoint(fields):
        return None
    if not isinstance(value, float) or not value.is_integer() or value <= 0:
        return None
    what = _FLOAT.fill(key=origin.key, value=str(value), whole=str(int(value)))
    return fault(OTHERWISE, setting, str(value), {"what": what, "then": _STOPS})
