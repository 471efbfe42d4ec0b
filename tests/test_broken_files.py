"""Files that their own reader refuses are never shown as clean."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.commands import main
from medic.syntax import parse


def lint(path: Path, data: str) -> int:
    path.write_bytes(data.encode())
    return main(["lint", str(path), "--lang", "en"])


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("t.py", "import os\nargs = f(a=1\nb=2)\n", "t.py:2"),
        ("a.json", "", "it is empty"),
        ("a.log", "\n\n", "it is empty"),
        ("ds.json", '{"train_batch_size": "auto",\n}\n', "json.load refuses it"),
        ("ds.json", '\ufeff{"train_batch_size": "auto"}\n', "json.load refuses it"),
    ],
)
def test_what_cannot_be_read_is_wrong_use(
    name: str, data: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lint(tmp_path / name, data) == 2
    assert said in capsys.readouterr().err


def test_an_engine_file_with_a_comma_too_many_is_told_and_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lint(tmp_path / "ds.json", '{"train_batch_size": 8,\n "fp16": {"enabled": true},}') == 1
    assert "ds.json:2: transformers and accelerate stop" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("echo a\nif true; then\n echo b\n", 2),
        ("python t.py\necho 'x\n", 2),
        ("echo 'a'\necho \"b's\"\nif true; then echo c; fi\n", 0),
        ("cat <<E\nit's\nE\n", 0),
    ],
)
def test_what_a_script_leaves_open(script: str, line: int) -> None:
    problems = [p for p in parse(script.encode(), "a.sh").problems if p.kind == "refused"]
    assert [p.span.line for p in problems] == ([line] if line else [])
