"""``--set FIELD=VALUE``: values that no file states, as canonical fields."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from medic.errors import UsageError

# What people write for a field whose own name is no nearer word of it.
_SAME = {"model": "base_model", "seq_len": "sequence_length", "seq_length": "sequence_length"}
LARGEST = 2**63  # beyond it no program counts


def parse_given(pairs: Sequence[str]) -> dict[str, Any]:
    """``--set FIELD=VALUE`` pairs as canonical values. Raises UsageError with the nearest name."""
    from medic.run_config import FIELDS

    given: dict[str, Any] = {}
    for pair in pairs:
        name, sign, raw = pair.partition("=")
        name = _SAME.get(name, name)
        if name not in FIELDS or not sign:
            raise _no_field(name, sign)
        if name in given:
            raise UsageError(
                f"--set {name} is given twice: leave one of them out",
                f"--set {name} 给了两次：请去掉其中一个",
            )
        given[name] = typed(name, raw)
    return given


def _no_field(name: str, sign: str) -> UsageError:
    """That there is no such field, or no value, with the nearest and where all are listed."""
    from medic.nearest import nearest
    from medic.run_config import FIELDS

    if name in FIELDS and not sign:
        return UsageError(
            f"--set {name} has no value: write {name}=VALUE",
            f"--set {name} 缺少值：应写作 {name}=值",
        )
    near = nearest(name, FIELDS)
    en = f', the nearest is "{near[0]}"' if near else ""
    zh = f"，最接近的是 “{near[0]}”" if near else ""
    return UsageError(
        f'--set: no field "{name}"{en}; medic explain fields lists all',
        f"--set：没有字段 “{name}”{zh}；medic explain fields 列出全部",
    )


# What people call a word that a field takes.
_ALSO = {"quantization": {"nf4": "4bit", "fp4": "4bit", "int4": "4bit", "4": "4bit", "qlora": "4bit",
                          "int8": "8bit", "8": "8bit", "fp16": "none", "bf16": "none"}}  # fmt: skip


def typed(name: str, raw: str) -> Any:
    """A value of a canonical field from how it is written. Raises UsageError."""
    from medic.run_config import FIELDS

    kind, unit, _ = FIELDS[name]
    value = _of_kind(name, _ALSO.get(name, {}).get(raw.lower(), raw), kind)
    if not isinstance(value, str) and value < 0:
        raise UsageError(f"--set {name}: {raw} is below 0", f"--set {name}：{raw} 小于 0")
    if "|" in unit and value not in unit.split("|"):
        values = unit.replace("|", ", ")
        raise UsageError(
            f"--set {name}: {raw!r} is none of {values}",
            f"--set {name}：{raw!r} 不是可选值（{values}）",
        )
    return value


def _of_kind(name: str, raw: str, kind: type) -> Any:
    try:
        if kind is bool:
            return {"true": True, "false": False}[raw.lower()]
        if kind is int:
            number = float(raw.replace("_", "").replace(",", ""))
            if number != int(number) or abs(number) > LARGEST:
                raise ValueError(raw)
            return int(number)
        value = kind(raw)
        if kind is float and not isfinite(value):
            raise UsageError(
                f"--set {name}: {raw!r} is no finite number",
                f"--set {name}：{raw!r} 不是有限的数",
            )
        return value
    except (ValueError, KeyError, OverflowError):
        raise UsageError(
            f"--set {name}: {raw!r} is no {kind.__name__}",
            f"--set {name}：{raw!r} 不是 {kind.__name__}",
        ) from None
