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
from medic.session.saved import Keeper, chosen, load, talk_of
from medic.text.safetext import columns

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
    assert [r.split()[0] for r in rows if r[:1] == "s"] == ["s1", "s2"]
    assert "s2    cannot be read" in rows
    assert main(["sessions", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    jsonschema.validate(listed, SCHEMAS["sessions"])
    assert listed["unreadable"] == ["s2"]
    for command in ("show", "resume"):
        assert main([command, "s2", "--lang", "en"]) == 2
        told = capsys.readouterr()
        assert "session s2 cannot be read" in told.err
        assert len(told.err.strip().splitlines()) == 1


def test_a_session_is_listed_by_its_real_folder_in_whole_words(
    keep: Callable[[str, Any], None], capsys: pytest.CaptureFixture[str]
) -> None:
    data = changed("case.cwd", "/data/runs/学习/mixtral-8x7b-sft")
    data["case"]["root"] = "."
    data |= {
        "verdict": "likely",
        "leader": {
            "code": "DST-032",
            "title": ["Gradient accumulation enters no_sync although ZeRO-2/3 partitions gradients"]
            * 2,
        },
    }
    keep("s1", data)
    assert main(["sessions", "--lang", "en"]) == 0
    out = capsys.readouterr().out
    rows = out.splitlines()
    assert rows[0].endswith("  …/学习/mixtral-8x7b-sft")
    assert all(columns(row) <= 80 for row in rows)
    assert "Gradient accumulation enters no_sync although ZeRO-2/3" in " ".join(out.split())
    assert "medic resume ID" in out
    assert main(["sessions", "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)["sessions"]
    assert listed["root"] == "/data/runs/学习/mixtral-8x7b-sft"


def test_what_is_one_of_many_is_not_listed_as_likely(
    keep: Callable[[str, Any], None], capsys: pytest.CaptureFixture[str]
) -> None:
    keep("s1", GOOD)
    keep("s2", changed("leader.word", "unlikely"))
    assert main(["sessions", "--lang", "en"]) == 0
    out = capsys.readouterr().out
    assert "Likely, not established: title (MEM-001)" in out
    assert "not clear yet, first of many: title (MEM-001)" in out


def test_without_a_name_the_last_session_of_this_folder_is_taken(
    keep: Callable[[str, Any], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = changed("case.cwd", str(tmp_path))
    here["case"]["root"], here["changed"] = "run1", 1.0
    other = changed("case.cwd", "/elsewhere")
    other["changed"] = 2.0
    keep("s1", here)
    keep("s2", other)
    monkeypatch.chdir(tmp_path)
    assert chosen(None).id == "s1"
    assert chosen("s2").id == "s2"
    (tmp_path / "run").mkdir()
    monkeypatch.chdir(tmp_path / "run")  # run1 is beside it, not below
    assert chosen(None).id == "s2"


def test_a_broken_line_of_a_talk_is_passed_over(keep: Callable[[str, Any], None]) -> None:
    keep("s1", GOOD)
    rows = [{"lines": None}, {"lines": [{"text": "said"}]}, {"lines": [3]}, ["x"]]
    talk = state_dir("sessions") / "s1" / "talk.jsonl"
    talk.write_text("".join(f"{json.dumps(r)}\n" for r in rows))
    assert list(talk_of("s1")) == [{"lines": [{"text": "said"}]}]


def test_what_is_open_in_another_terminal_is_not_taken_unasked(
    keep: Callable[[str, Any], None],
) -> None:
    keep("s1", {**GOOD, "changed": 1.7e9})
    keep("s2", {**GOOD, "changed": 1.8e9})
    assert chosen(None).id == "s2"
    held = Keeper("s2")
    assert load("s2").is_open
    assert not load("s1").is_open
    assert chosen(None).id == "s1"
    assert chosen("s2").id == "s2"
    del held  # as when its process ends, however it does
    assert chosen(None).id == "s2"


def test_a_session_that_was_mended_is_listed_by_what_it_was(
    keep: Callable[[str, Any], None], capsys: pytest.CaptureFixture[str]
) -> None:
    mended = {"verdict": "healthy", "leader": None, "mended": [["a fault", "某故障", "MEM-001"]]}
    keep("s1", GOOD | mended)
    assert main(["sessions", "--lang", "zh"]) == 0
    assert "已修复：某故障（MEM-001）" in capsys.readouterr().out
    assert main(["sessions", "--lang", "en"]) == 0
    assert "Fixed: a fault (MEM-001)" in capsys.readouterr().out
