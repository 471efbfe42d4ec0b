"""What a kept session's folder may hold: anything; a broken one is told, and hides no other."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from medic.commands import main
from medic.config import state_dir
from medic.errors import UsageError
from medic.report.schemas import SCHEMAS
from medic.saved import load, talk_of

GOOD: dict[str, Any] = {
    "format": 1,
    "medic": "0",
    "opened": 1.7e9,
    "changed": 1.7e9,
    "case": {
        "cwd": "/", "paths": [], "root": "", "run": "", "given": {}, "this_host": None,
        "left_out": [],
    },
    "said": {
        "answers": [["a", "b"]], "unknown": [], "tried": [], "prose": "", "episode": 1,
        "words": "", "chosen": {}, "reported": {"x": ["present", "q", []]}, "answered": {},
        "refused": False,
    },
    "applied": [],
    "verdict": "likely",
    "leader": {"code": "MEM-001", "title": ["title", "\u6807\u9898"]},
    "moves": [[["en", "zh"], None, ""]],
}  # fmt: skip


@pytest.fixture
def keep(state: Path) -> Callable[[str, Any], None]:
    def write(name: str, data: Any) -> None:
        folder = state_dir("sessions") / name
        folder.mkdir()
        text = data if isinstance(data, str) else json.dumps(data)
        (folder / "state.json").write_text(text)

    return write


def changed(path: str, value: Any) -> dict[str, Any]:
    data = copy.deepcopy(GOOD)
    *folders, name = path.split(".")
    inside = data
    for folder in folders:
        inside = inside[folder]
    inside[name] = value
    return data


def test_a_whole_state_is_read(keep: Callable[[str, Any], None]) -> None:
    keep("s1", GOOD)
    saved = load("1")
    assert (saved.answers, saved.code, saved.verdict) == (1, "MEM-001", "likely")


@pytest.mark.parametrize(
    "path",
    [
        "case", "said", "said.chosen", "said.reported", "said.answered", "said.answers",
        "case.given", "case.paths", "applied", "opened", "changed", "leader", "moves", "stand",
        "said.reported.x",
    ],
)  # fmt: skip
@pytest.mark.parametrize("value", [None, "text", [1], -1e99])
def test_a_broken_field_is_named(keep: Callable[[str, Any], None], path: str, value: Any) -> None:
    if path in ("leader", "moves") and value is None:
        return  # neither is known before the first look
    keep("s1", changed(path, value))
    with pytest.raises(UsageError, match="s1 cannot be read") as told:
        load("s1")
    assert path.split(".", maxsplit=1)[0] in str(told.value)


@pytest.mark.parametrize(
    "broken",
    [json.dumps(GOOD)[:200], "[]", "", "[" * 100_000, json.dumps(changed("opened", -1e99))],
)
def test_a_broken_session_is_listed_and_refused_in_one_line(
    keep: Callable[[str, Any], None], capsys: pytest.CaptureFixture[str], broken: str
) -> None:
    keep("s1", GOOD)
    keep("s2", broken)
    assert main(["sessions", "--lang", "en"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [r.split()[0] for r in rows] == ["s1", "s2"]
    assert "cannot be read" in rows[1]
    assert main(["sessions", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    jsonschema.validate(listed, SCHEMAS["sessions"])
    assert listed["unreadable"] == ["s2"]
    for command in ("show", "resume"):
        assert main([command, "s2", "--lang", "en"]) == 2
        told = capsys.readouterr()
        assert "session s2 cannot be read" in told.err
        assert len(told.err.strip().splitlines()) == 1


def test_a_broken_line_of_a_talk_is_passed_over(keep: Callable[[str, Any], None]) -> None:
    keep("s1", GOOD)
    rows = [{"lines": None}, {"lines": [{"text": "said"}]}, {"lines": [3]}, ["x"]]
    talk = state_dir("sessions") / "s1" / "talk.jsonl"
    talk.write_text("".join(f"{json.dumps(r)}\n" for r in rows))
    assert list(talk_of("s1")) == [{"lines": [{"text": "said"}]}]
