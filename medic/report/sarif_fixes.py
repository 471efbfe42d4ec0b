"""The fixes of lint findings as SARIF 2.1.0 has them: replaced regions of files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from medic.fixes import Fix
from medic.run_config import Edit

MAX_BYTES = 4 * 1024 * 1024


def fixes(fix: Fix | None, uri: Callable[[str], str]) -> list[dict[str, Any]]:
    """The fix as one entry of ``fixes``; none where a file is another one by now.

    SARIF 3.55: a consumer applies them only if asked to; whether one is safe stands in its
    properties.
    """
    patch = fix.patch if fix is not None else None
    if fix is None or patch is None or not patch.edits:
        return []
    changes = []
    for file in dict.fromkeys(edit.file for edit in patch.edits):
        data = _read(file, patch.hashes)
        if data is None:
            return []
        replaced = [_replacement(edit, data) for edit in patch.edits if edit.file == file]
        changes.append({"artifactLocation": {"uri": uri(file)}, "replacements": replaced})
    about = {"text": str(fix.repair.why if fix.repair is not None else fix.remedy.title)}
    return [
        {"description": about, "artifactChanges": changes, "properties": {"safe": fix.safe}},
    ]


def _read(file: str, hashes: Mapping[str, str]) -> bytes | None:
    """The file as it was previewed."""
    try:
        with Path(file).open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except OSError:
        return None
    known = hashes.get(file)
    same = known is None or hashlib.sha256(data).hexdigest() == known
    return data if same and len(data) <= MAX_BYTES else None


def _replacement(edit: Edit, data: bytes) -> dict[str, Any]:
    """Lines and columns count from 1, columns in code points (columnKind)."""
    line, column = _place(data, edit.start)
    end_line, end_column = _place(data, edit.end)
    region = {
        "startLine": line,
        "startColumn": column,
        "endLine": end_line,
        "endColumn": end_column,
    }
    found: dict[str, Any] = {"deletedRegion": region}
    if edit.text:
        found["insertedContent"] = {"text": edit.text}
    return found


def _place(data: bytes, at: int) -> tuple[int, int]:
    start = data.rfind(b"\n", 0, at) + 1
    return data.count(b"\n", 0, at) + 1, len(data[start:at].decode("utf-8", "replace")) + 1
