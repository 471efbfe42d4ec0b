"""From what is written to the canonical value of a field; None where that is not known."""

from __future__ import annotations

import math
import re
from collections.abc import Collection

from medic.records import dataclass
from medic.run_config import FIELDS, Scalar
from medic.text.patterns import regex

from .keys import Key

_TRUE = frozenset(("true", "yes", "on", "1"))
_FALSE = frozenset(("false", "no", "off", "0"))
_NOTHING = frozenset(("", "none", "null", "~", "no", "off", "false", "disabled", "disable"))
_SIZES = {"k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "t": 1e12}
# Fields for which people write 300B or 1T.
_SIZED = frozenset(("total_tokens", "global_batch_tokens", "parameters"))
# Switches that may name how they are on: "full_shard", "selective", "max-autotune".
_NAMED_SWITCHES = frozenset(("fsdp", "activation_checkpointing", "compile"))
_KEEP_CASE = frozenset(("resume_from", "output_dir", "base_model"))
_NUMBER = regex(r"[-+]?(?:\d[\d_,]*(?:\.[\d_]*)?|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)
MAX_TEXT = 500
MOST = 1e30  # no setting is larger; beyond 1e308 an integer is no float
# The raw text of a value that only the running shell knows.
UNKNOWN = "$"

PRECISIONS = {
    **dict.fromkeys(
        ("bf16", "bfloat16", "bf16-mixed", "bf16-true", "bf16_mixed", "bf16_true", "amp_bf16",
         "pure_bf16", "torch.bfloat16"),
        "bf16",
    ),
    **dict.fromkeys(
        ("fp16", "float16", "half", "16", "16-mixed", "16-true", "fp16-mixed", "fp16_mixed",
         "amp_fp16", "torch.float16", "torch.half"),
        "fp16",
    ),
    **dict.fromkeys(
        ("fp32", "float32", "float", "full", "32", "32-true", "tf32", "no", "none",
         "torch.float32"),
        "fp32",
    ),
    **dict.fromkeys(("fp8", "float8", "fp8_hybrid"), "fp8"),
}  # fmt: skip
# Without the words that name a precision only where one is asked for.
_ANYTHING = frozenset(("16", "32", "full", "no", "none"))
PRECISION_NAMES = {word: name for word, name in PRECISIONS.items() if word not in _ANYTHING}


@dataclass(frozen=True)
class Written:
    """A value as it stands in a file: read by YAML 1.2 rules, and as the usual loader reads it.

    ``count`` is the number of elements of a list, None for a single value.
    """

    value: Scalar
    loaded: Scalar
    raw: str = ""
    count: int | None = None

    @property
    def text(self) -> str:
        return "null" if self.value is None else str(self.value).strip()


def canonical(key: Key, written: Written, auto_words: Collection[str] = ()) -> Scalar:
    """The value of ``key.field``, in its unit, or None."""
    text = written.text.lower()
    if written.count is not None:
        # A list of devices says how many there are.
        return written.count or None if key.field == "gpus_per_node" else None
    if text in key.values:
        return _typed(key, Written(key.values[text], key.values[text]))
    if text in auto_words or "${" in text or (written.value is None and text == "null"):
        return None
    if key.true_means is not None or key.false_means is not None:
        on = as_bool(written)
        if on is not None:
            return key.true_means if on else key.false_means
        return None
    return _typed(key, written)


def read_scalar(text: str | None) -> Scalar:
    """A word of a command as the number or switch that it is, else as text."""
    if text is None:
        return None
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    number = None if "," in text else as_number(text)
    return text if number is None else number


def _typed(key: Key, written: Written) -> Scalar:
    kind = FIELDS[key.field][0]
    if kind is bool:
        return _switch(key.field, written)
    if kind is str:
        return _word(key.field, written)
    number = as_number(written.value, sized=key.field in _SIZED)
    if number is None or number < 0 or "," in written.text:
        return None  # -1 stands for "not set" everywhere
    number *= key.factor
    if kind is float or (key.field == "warmup_steps" and 0 < number < 1):
        return float(number)  # transformers 5: warmup_steps below 1 is a share of the run
    return int(number) if number == int(number) else None


def leaves_default(key: Key, written: Written) -> bool:
    """Whether a value without a canonical meaning leaves the field at its default: null, -1, and a
    switch that is off. Any other (``auto``, a shell variable) states something that is not known.
    """
    if written.count is not None:
        return written.count == 0
    if written.value is None:
        return written.text == "null" and written.raw != UNKNOWN
    number = as_number(written.value)
    if number is not None and number < 0:
        return True
    switch = key.true_means is not None or key.false_means is not None
    return switch and as_bool(written) is not None


def as_bool(written: Written) -> bool | None:
    """What a switch says; ``yes`` and ``on`` as YAML 1.1 reads them."""
    for value in (written.value, written.loaded):
        if isinstance(value, bool):
            return value
    text = written.text.lower()
    return True if text in _TRUE else False if text in _FALSE else None


def _switch(field: str, written: Written) -> bool | None:
    on = as_bool(written)
    if on is None and field in _NAMED_SWITCHES and isinstance(written.value, str):
        return written.text.lower() not in _NOTHING
    return on


def _word(field: str, written: Written) -> str | None:
    text = written.text
    if len(text) > MAX_TEXT or not text:
        return None
    if field == "precision":
        if written.value is False:
            return "fp32"
        return PRECISIONS.get(text.lower())
    if isinstance(written.value, bool):
        return None
    return text if field in _KEEP_CASE else text.lower()


def as_number(value: Scalar, *, sized: bool = False) -> float | None:
    """A finite number, also from text: ``1e-4``, ``1_000``; with ``sized`` also ``300B``."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return value if -MOST < value < MOST else None  # neither nan nor inf is
    text = value.strip().lower()
    size = 1.0
    if sized and text[-1:] in _SIZES:
        text, size = text[:-1].strip(), _SIZES[text[-1]]
    if len(text) > 40 or not _NUMBER.fullmatch(text):
        return None
    number = float(text.replace("_", "").replace(",", "")) * size
    return number if math.isfinite(number) else None
