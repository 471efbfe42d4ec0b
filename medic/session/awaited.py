"""What was said in a session and not taken yet, as it was left: it is taken when the session goes on.

A reading takes its time, and what is said meanwhile waits; the state of the session knows nothing of
it. Each has a number that grows; the state holds that of the last one that it has taken in.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from medic.config import write_whole
from medic.session.saved import Saved, folder_of

AWAITED = "awaited.json"
MAX_AWAITED = 64 * 1024 * 1024


def keep(folder: Path, waiting: Sequence[Mapping[str, Any]]) -> None:
    """Writes what waits; nothing is left where nothing does. Raises OSError."""
    if waiting:
        write_whole(folder / AWAITED, json.dumps(list(waiting)).encode())
    else:
        (folder / AWAITED).unlink(missing_ok=True)


def kept(saved: Saved) -> list[dict[str, Any]]:
    """What waits in a kept session, in the order in which it was said; what cannot be read does
    not."""
    try:
        with (folder_of(saved.id) / AWAITED).open("rb") as file:
            data = json.loads(file.read(MAX_AWAITED))
    except (OSError, ValueError, RecursionError):
        return []
    taken = saved.data.get("taken", 0)
    every = [one for one in data if _is_whole(one)] if isinstance(data, list) else []
    return [one for one in every if one["number"] > taken]


def _is_whole(one: Any) -> bool:
    return isinstance(one, dict) and type(one.get("number")) is int
