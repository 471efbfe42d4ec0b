"""History of a W&B run: the .wandb file of an offline folder.

Record (wandb/proto/wandb_internal.proto): 2 history. HistoryRecord: 1 item, 2 step (1 num).
HistoryItem: 1 key, 2 nested_key, 16 value_json.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from medic.i18n import Text

from .framed import Framing, wandb_records
from .protobuf import BYTES, fields

MAX_ROWS = 400_000
HISTORY = 2
_MOST = Text("only the first {n} rows were read", "只读取了前 {n} 行")


def history(file: BinaryIO, size: int, framing: Framing) -> Iterator[dict[str, Any]]:
    """The rows that were logged, as a JSON object each, with ``_step``."""
    count = 0
    for data in wandb_records(file, size, framing):
        for field, kind, value in fields(data):
            if field == HISTORY and kind == BYTES and isinstance(value, bytes):
                row = _row(value)
                if row:
                    yield row
                    count += 1
        if count >= MAX_ROWS:
            framing.problem = _MOST.fill(n=f"{MAX_ROWS:,}")
            return


def _row(data: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field, kind, value in fields(data):
        if kind != BYTES or not isinstance(value, bytes):
            continue
        if field == 1:
            name, item = _item(value)
            if name:
                found[name] = item
        elif field == 2 and "_step" not in found:
            step = next((v for f, _, v in fields(value) if f == 1 and isinstance(v, int)), None)
            if step is not None:
                found["_step"] = step
    return found


def _item(data: bytes) -> tuple[str, Any]:
    names: list[str] = []
    key, raw = "", ""
    for field, kind, value in fields(data):
        if kind != BYTES or not isinstance(value, bytes):
            continue
        text = value[:4096].decode("utf-8", "replace")
        if field == 1:
            key = text
        elif field == 2:
            names.append(text)
        elif field == 16:
            raw = text
    try:
        return (key or "/".join(names)), json.loads(raw)
    except (ValueError, RecursionError):
        return "", None
