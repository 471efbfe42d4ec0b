"""A value as people write it: with a unit, in words, as a Chinese digit."""

from __future__ import annotations

import re

from medic.errors import UsageError
from medic.run_config import FIELDS, Scalar
from medic.told.given import typed

NUMBER = r"[-+]?(?:\d{1,3}(?:,\d{3}){1,5}|\d[\d_]*)(?:\.\d+)?(?:e[-+]?\d+)?"
UNIT = r"(?: ?(?:[kmbt]|thousand|million|billion|trillion)(?![a-z0-9])| ?[万亿千])?"
_SIZES = {
    "k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "b": 1e9, "billion": 1e9, "t": 1e12,
    "trillion": 1e12, "千": 1e3, "万": 1e4, "亿": 1e8,
}  # fmt: skip
DIGITS = "零一二三四五六七八九十两"
_BINARY = ("sequence_length", "max_position_embeddings", "vocab_size")  # 4k of these is 4096
WORDS = {"bfloat16": "bf16", "float16": "fp16", "half": "fp16", "float32": "fp32"}
SWITCHES = {
    "true": True, "on": True, "yes": True, "enabled": True, "开": True, "开启": True, "是": True,
    "false": False, "off": False, "no": False, "disabled": False, "关": False, "关闭": False,
    "否": False,
}  # fmt: skip
AT_LEAST_ONE = (
    "world_size",
    "nodes",
    "gpus_per_node",
    "node_gpus",
    "node_cores",
)  # no run is on none


def value_of(field: str, raw: str) -> Scalar:
    """The value as its field takes it; None where it takes no such value."""
    word = raw.strip().strip("\"'`").rstrip(".,;，。；")
    kind, unit, _ = FIELDS[field]
    if kind is bool:
        return SWITCHES.get(word.lower())
    try:
        taken: Scalar = typed(field, _word(word, unit) if kind is str else _number(field, word))
    except UsageError:
        return None
    return None if field in AT_LEAST_ONE and taken == 0 else taken


def _word(word: str, unit: str) -> str:
    """One of a few words as the field spells it; free text stays."""
    return WORDS.get(word.lower(), word.lower()) if "|" in unit else word


def _number(field: str, word: str) -> str:
    if word in DIGITS:
        return "2" if word == "两" else str(DIGITS.index(word))
    parts = re.fullmatch(rf"({NUMBER}) ?(\S*)", word, re.I)
    if parts is None or not parts[2]:
        return word.replace(",", "").replace("_", "")
    size = _SIZES.get(parts[2].lower(), 0.0)
    if parts[2].lower() == "k" and field in _BINARY:
        size = 1024
    number = float(parts[1].replace(",", "").replace("_", "")) * size
    return str(int(number)) if number == int(number) else repr(number)
