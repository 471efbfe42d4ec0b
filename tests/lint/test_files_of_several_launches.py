"""Files of frameworks that no launch has together are judged apart, unless a command names them."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.commands import main

AXOLOTL = """base_model: a/b
datasets: [{path: mine.jsonl, type: alpaca}]
micro_batch_size: 2
gradient_accumulation_steps: 4
num_epochs: 1
learning_rate: 0.0002
sample_packing: true
output_dir: ./out
"""
MEGATRON = """torchrun --nproc_per_node 8 pretrain_gpt.py --tensor-model-parallel-size 2 \\
  --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 \\
  --max-position-embeddings 4096 --micro-batch-size 3 --global-batch-size 48 \\
  --train-iters 1000 --lr 3e-4 --bf16{more}
"""
TORCHTITAN = """[job]
dump_folder = "./outputs"
[model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = 1
seq_len = 8192
steps = 1000
[optimizer]
lr = 3e-4
"""
ENGINE = '{"train_micro_batch_size_per_gpu": 7, "zero_optimization": {"stage": 2}}\n'
GROUPED = "training:\n  micro_batch_size: 5\n  lr: 0.001\n"
APART = "judged apart"


def told(
    folder: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str], *more: str
) -> str:
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    given = [str(folder / name) for name in files]
    main(["lint", *given, "--lang", "en", "--format", "concise", *more])
    seen = capsys.readouterr()
    return seen.out + seen.err


def test_files_of_three_frameworks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"a.yaml": AXOLOTL, "run.sh": MEGATRON.format(more=""), "t.toml": TORCHTITAN}
    found = told(tmp_path, capsys, files)
    assert "a.yaml (axolotl); run.sh (megatron); t.toml (torchtitan)" in found
    assert found.count(APART) == 1
    assert "epochs-and-steps-both-set" not in found
    assert (tmp_path / "a.yaml").read_text("utf-8") == AXOLOTL


@pytest.mark.parametrize("more", [" --spec a.yaml", " --config $CONFIG", ' "$@"'])
def test_a_command_that_may_name_the_file_joins_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: str
) -> None:
    found = told(tmp_path, capsys, {"a.yaml": AXOLOTL, "run.sh": MEGATRON.format(more=more)})
    assert APART not in found
    assert "epochs-and-steps-both-set" in found  # of one run: the steps of the other file


@pytest.mark.parametrize("own", [{"a.yaml": AXOLOTL}, {"run.sh": MEGATRON.format(more="")}])
@pytest.mark.parametrize("joins", [{"ds.json": ENGINE}, {"conf.yaml": GROUPED}])
def test_what_joins_any_launch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], own: dict[str, str], joins: dict[str, str]
) -> None:
    assert APART not in told(tmp_path, capsys, own | joins)


def test_the_files_of_a_folder_are_chosen_from_as_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.yaml").write_text(AXOLOTL, "utf-8")
    (tmp_path / "run.sh").write_text(MEGATRON.format(more=""), "utf-8")
    main(["lint", str(tmp_path), "--lang", "en"])
    assert APART not in "".join(capsys.readouterr())
