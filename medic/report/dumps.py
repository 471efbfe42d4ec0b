"""JSON output."""

from __future__ import annotations

import json
import math
from typing import Any

from medic.text.safetext import clean


def dumps(data: Any) -> str:
    """Valid JSON in UTF-8 without control characters; a non-finite number is its name."""
    return json.dumps(_plain(data), ensure_ascii=False, indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(str(k)): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return clean(str(value))
