"""A place far to the right in a long line is shown with what stands around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.commands import main


def test_the_mark_stands_below_its_word(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = " ".join(f"--own_flag_number_{i} {i}" for i in range(30))
    file = tmp_path / "run.sh"
    file.write_text(f"python train.py {flags} --learning_rate -1e-4 --num_train_epochs 3\n")
    main(["lint", str(file)])
    lines = capsys.readouterr().out.split("\n")
    at = next(i for i, line in enumerate(lines) if "^^" in line)
    start, end = lines[at].index("^"), lines[at].rindex("^")
    assert lines[at - 1][start : end + 1] == "-1e-4"
    assert "…" in lines[at - 1]
