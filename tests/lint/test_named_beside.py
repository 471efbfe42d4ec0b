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


PROGRAM = """import argparse
from settings import add
parser = argparse.ArgumentParser()
parser.add_argument("--crop-size", type=int)
add(parser)
parser.parse_args()
"""
SETTINGS = "def add(parser):\n    parser.add_argument('--window-length', type=int)\n"
COMMAND = "torchrun --nproc_per_node 8 tools/train.py --crop-size 4 --window-lenght 8\n"


def program(folder: Path, capsys: pytest.CaptureFixture[str], run: str) -> str:
    for name, text in {"tools/train.py": PROGRAM, "tools/settings.py": SETTINGS}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    (folder / run).parent.mkdir(parents=True, exist_ok=True)
    (folder / run).write_text(COMMAND, "utf-8")
    main(["lint", str(folder / run), "--lang", "en", "--format", "concise"])
    told = capsys.readouterr()
    return told.out + told.err


@pytest.mark.parametrize("run", ["run.sh", "scripts/run.sh", "scripts/small/run.sh"])
def test_the_program_is_read_from_the_folder_that_the_command_starts_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], run: str
) -> None:
    told = program(tmp_path, capsys, run)
    assert "--window-lenght; --window-length is meant" in told
    assert "tools/train.py" in told.partition("also read")[2]


def test_a_program_elsewhere_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "also read" not in program(tmp_path, capsys, "a/b/c/d/run.sh")
