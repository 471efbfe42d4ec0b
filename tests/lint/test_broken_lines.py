"""A file that nobody can read: the line that is at fault is named, not the one where a parser stops."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.commands import main

TUNE = (
    "# where it goes\n"
    "output_dir: /job/out\n"
    "\n"
    "# the model\n"
    "model:\n"
    "  lr: 0.0002\n"
    '  logger: ["console", "wandb"]\n'
    "  path: some/model\n"
    "tail: 1\n"
)
FLOW = '{\n  "paths": ["a", "b"],\n  "steps": 10,\n  "other": [1, 2],\n  "rate": 0.1\n}\n'
ENGINE = (
    '{\n  "a": {\n    "enabled": "auto",\n    "size": 16,\n    "b": "auto"\n  },\n  "c": 1\n}\n'
)


@pytest.mark.parametrize(
    ("name", "text", "old", "new", "line", "said"),
    [
        ("a.yaml", TUNE, "output_dir:", "output_dir", 2, "colon behind the key is missing"),
        ("a.yaml", TUNE, "lr:", "lr =", 6, "equals sign"),
        ("a.yaml", TUNE, "lr: ", "lr：", 6, "full-width colon"),
        ("a.yaml", TUNE, '"wandb"]', '"wandb"', 7, "bracket is opened here"),
        ("a.yaml", FLOW, '"b"]', '"b"', 2, "bracket is opened here"),
        ("ds.json", ENGINE, '"auto",', '"auto,', 3, "quote is opened here"),
    ],
)
def test_the_line_at_fault_is_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    text: str,
    old: str,
    new: str,
    line: int,
    said: str,
) -> None:
    assert old in text
    file = tmp_path / name
    file.write_text(text.replace(old, new, 1), "utf-8")
    assert main(["lint", "--lang", "en", str(file)]) == 2
    told = capsys.readouterr().err
    assert f"{name}:{line}:" in told
    assert said in told
