"""A configuration that the command names is read with the script that it lies beside."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.commands import main

RUN = (
    "deepspeed --num_gpus 8 run_clm.py --deepspeed {name} --model_name_or_path gpt2 \\\n"
    "  --do_train --bf16 --per_device_train_batch_size 4 --output_dir out --max_steps 1000\n"
)
ENGINE = '{"train_micro_batch_size_per_gpu": 8, "zero_optimization": {"stage": 2}}\n'


def linted(folder: Path, capsys: pytest.CaptureFixture[str], name: str, *more: str) -> str:
    (folder / "ds.json").write_text(ENGINE, "utf-8")
    (folder / "run.sh").write_text(RUN.format(name=name), "utf-8")
    main(["lint", str(folder / "run.sh"), "--lang", "en", "--format", "concise", *more])
    told = capsys.readouterr()
    return told.out + told.err


def test_it_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = linted(tmp_path, capsys, "ds.json")
    assert "conflicting-values" in told
    assert "also read, as the command names it" in told


@pytest.mark.parametrize("name", ["other.json", "auto", "../ds.json"])
def test_another_file_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert "also read" not in linted(tmp_path, capsys, name)


def test_alone_where_each_file_is_a_launch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "also read" not in linted(tmp_path, capsys, "ds.json", "--each")
