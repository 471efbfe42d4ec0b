"""What the app remembers between starts, and the keys that a project gives to actions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from medic.config import state_dir, write_whole
from medic.errors import UsageError
from medic.i18n import Text
from medic.nearest import did_you_mean

from . import words_more
from .actions import ACTIONS, AVOIDED, BY_WORD
from .lines import Block, Line

FILE = "app.json"
MAX_BYTES = 1024 * 1024
PROJECT = "pyproject.toml"


def remembered() -> dict[str, Any]:
    """What was remembered; nothing where it cannot be read."""
    try:
        with (state_dir() / FILE).open("rb") as file:
            data = json.loads(file.read(MAX_BYTES))
    except (OSError, ValueError, UsageError):
        return {}
    return data if isinstance(data, dict) else {}


def remember(**values: str) -> None:
    """Keeps values for the next start; where that cannot be done they hold for this one."""
    data = remembered() | values
    try:
        write_whole(state_dir() / FILE, json.dumps(data).encode())
    except (OSError, UsageError):
        return


def keys_of_project(folder: Path) -> tuple[dict[str, tuple[str, ...]], Block | None]:
    """``[tool.medic.keys]`` of the nearest pyproject.toml: keys by action, and what is wrong."""
    for place in (folder, *folder.parents):
        try:
            with (place / PROJECT).open("rb") as file:
                text = file.read(MAX_BYTES).decode("utf-8", "replace")
        except OSError:
            continue
        if "tool.medic" in text:
            return _keys(text, str(place / PROJECT))
    return {}, None


def _keys(text: str, file: str) -> tuple[dict[str, tuple[str, ...]], Block | None]:
    table = _table(text)
    keys: dict[str, tuple[str, ...]] = {}
    wrong: list[Line] = []
    taken = {k: a.word for a in ACTIONS for k in a.keys if a.word not in table}
    for word, value in table.items():
        wanted = tuple(value) if isinstance(value, list) else (value,)
        problem = _problem(word, wanted, taken)
        if problem is not None:
            wrong.append(Line(problem, "muted", "\u00b7 ", 2))
            continue
        keys[word] = wanted
        taken |= dict.fromkeys(wanted, word)
    title = Line(words_more.KEYS_NOT_TAKEN.fill(file=file), "warn")
    return keys, Block("medic", (title, *wrong)) if wrong else None


def _problem(word: str, wanted: tuple[object, ...], taken: dict[str, str]) -> Text | None:
    if word not in BY_WORD:
        hint = did_you_mean(word, BY_WORD)
        return Text(f'no action "{word}"{hint.en}', f"没有动作“{word}”{hint.zh}")
    for key in wanted:
        if not isinstance(key, str) or not key:
            return Text(f"{word}: a key is a text such as f9", f"{word}：按键应为文本，如 f9")
        if key in AVOIDED:
            return Text(
                f"{word}: {key} belongs to the terminal or tmux", f"{word}：{key} 属于终端或 tmux"
            )
        if key in taken:
            return Text(f"{word}: {key} is {taken[key]}", f"{word}：{key} 已用于 {taken[key]}")
        if len(key) == 1:
            return Text(f"{word}: {key} is typed into the text", f"{word}：{key} 是输入用的字符")
    return None


def _table(text: str) -> dict[str, Any]:
    try:
        import tomllib
    except ImportError:  # Python 3.10
        import tomli as tomllib  # type: ignore[import-not-found,no-redef,unused-ignore]
    try:
        keys = tomllib.loads(text).get("tool", {}).get("medic", {}).get("keys", {})
    except (tomllib.TOMLDecodeError, AttributeError):
        return {}
    return keys if isinstance(keys, dict) else {}
