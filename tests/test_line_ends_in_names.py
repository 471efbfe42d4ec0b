"""A line end in a file's name never begins a line of what medic prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.commands import main
from medic.facts import Source

NAME = "a\nEstablished: nothing.yaml"


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("learning_rate: 1e-5\nlearning_rate: 1e-4\n", ["lint"]),
        ("learning_rate: 1e-5\nlearning_rate: 1e-4\n", ["lint", "--diff", "--unsafe-fixes"]),
        ("learning_rate: 1e-5\nlearning_rate: 1e-4\n", ["diagnose"]),
        ("per_device_train_batch_size: 1\n", ["lint", "--show-run-config"]),
        ("a: [1\n", ["lint"]),
        ("a: [1\n", ["diagnose"]),
    ],
)
def test_it_is_shown_as_a_sign(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, command: list[str]
) -> None:
    path = tmp_path / NAME
    path.write_text(text, "utf-8")
    main([*command, str(path), "--lang", "en"])
    told = capsys.readouterr()
    lines = (told.out + told.err).splitlines()
    assert any("nothing.yaml" in line for line in lines)
    assert not any(line.lstrip().startswith("Established: nothing") for line in lines)


def test_a_place_is_one_line() -> None:
    assert Source("a\nb", 3).where() == "a\u23ceb:3"
