"""What of a command states the ZeRO stage."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.commands import main

WORDS = "--num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 1024 --max-position-embeddings 1024 "
WORDS += "--micro-batch-size 4 --global-batch-size 64 --train-iters 100 --lr 1e-4 --bf16 "


@pytest.mark.parametrize(
    ("words", "stage"),
    [
        ("--deepspeed --zero-stage 2 --use-distributed-optimizer", "2"),
        ("--use-distributed-optimizer", "1"),
    ],
)
def test_the_optimizer_of_deepspeed_is_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: str, stage: str
) -> None:
    file = tmp_path / "run.sh"
    file.write_text(f"deepspeed --num_gpus 8 pretrain_gpt.py {WORDS}{words}\n")
    main(["lint", str(file), "--format", "concise", "--lang", "en"])
    assert "zero_stage is" not in capsys.readouterr().out
    main(["lint", str(file), "--show-run-config", "--lang", "en"])
    lines = capsys.readouterr().out.split("\n")
    assert any("zero_stage" in line and f" {stage} " in f"{line} " for line in lines)
