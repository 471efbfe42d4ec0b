"""Compiled knowledge as files: one a kind, so that a start reads only what it uses.

``words`` holds what the entries alone would cost seconds to work out: what each term counts for
each cause.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from medic.match.likeness import bags, weighed
from medic.schema import compile_knowledge

PRIVATE = 0o600


def build(folders: Iterable[Path]) -> dict[str, Any]:
    """The knowledge of the folders by kind, with its words. Raises KnowledgeError."""
    compiled = compile_knowledge(folders)
    words = weighed(bags(compiled))
    for cause in compiled["causes"].values():
        cause.pop("reports", None)  # they live on in the words
    return {**compiled, "words": words}


def store(compiled: Mapping[str, Any], folder: Path, mode: int = 0o644) -> None:
    """One JSON file a kind, complete or not there at all. Raises OSError."""
    part = folder.with_name(f"{folder.name}.{os.getpid()}")
    part.mkdir(parents=True)
    try:
        for kind, entries in compiled.items():
            data = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()
            handle = os.open(part / f"{kind}.json", os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with os.fdopen(handle, "wb") as out:
                out.write(data)
        part.rename(folder)
    except OSError:
        shutil.rmtree(part, ignore_errors=True)
        raise
