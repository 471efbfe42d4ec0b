"""What ``--fix`` leaves: its exit code, and the fixes that another one takes the ground from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.commands import main

SCHEDULE = (
    "global_batch_size: 512\n"
    "sequence_length: 4096\n"
    "total_tokens: 1000000000000\n"
    "total_steps: 100000\n"
    "warmup_steps: 200000\n"
    "learning_rate: 3.0e-4\n"
)
LAUNCH = (
    "#!/bin/bash\n"
    "export NCCL_SOCKET_IFNAME=lo\n"
    "accelerate launch --num_machines 2 --num_processes 16 --machine_rank $RANK \\\n"
    "  --main_process_ip 10.0.0.1 --main_process_port 29500 \\ \n"
    "  train.py --bf16 True --output_dir out\n"
)
Write = Callable[[str, str], Path]


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.setenv("MEDIC_STATE", str(tmp_path / "state"))

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_a_fix_waits_for_the_value_that_it_is_computed_from(
    written: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written("pre.yaml", SCHEDULE)
    main(["lint", str(path), "--fix", "--unsafe-fixes"])
    now = SCHEDULE.replace("total_steps: 100000", "total_steps: 476837")
    assert path.read_text() == now
    assert "warmup_steps: 200000" in capsys.readouterr().out  # which of the two was meant is asked


def test_the_exit_code_is_that_of_what_is_left(
    written: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written("run.sh", LAUNCH)
    code = main(["lint", str(path), "--fix"])
    assert "rendezvous-endpoint-wrong" in capsys.readouterr().out
    assert (code, main(["lint", str(path)])) == (1, 1)


def test_nothing_left_is_no_finding(written: Write) -> None:
    path = written("pre.yaml", SCHEDULE)
    assert main(["lint", str(path), "--fix"]) == main(["lint", str(path)])
