"""A checkpoint that is not there yet, and scripts that start several commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.preflight.result import Result
from medic.preflight.scene import look_at

INDEX = load()
MEGATRON = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 12 --hidden-size 768 --train-iters 9 \\\n"
    "  --num-attention-heads 12 --seq-length 1024 --max-position-embeddings 1024 --lr 1e-4 \\\n"
    "  --micro-batch-size 4 --global-batch-size 64 {}\n"
)
TRAINER = (
    "torchrun --nproc_per_node 8 run_clm.py --model_name_or_path a/b --learning_rate 1e-5 \\\n"
    "  --per_device_train_batch_size 1 {}\n"
)


def _seen(tmp_path: Path, text: str) -> tuple[Result, ...]:
    script = tmp_path / "run.sh"
    script.write_text(text)
    return look_at(collect([str(script)]), INDEX).results


@pytest.mark.parametrize(
    ("text", "state", "words"),
    [
        (MEGATRON.format("--save {0}/c --load {0}/c"), "ok", "first run starts without"),
        (MEGATRON.format("--save {0}/c --load {0}/base"), "not-ok", "random weights"),
        (MEGATRON.format("--save {0}/c --load {0}/c --exit-on-missing-checkpoint"), "not-ok", "c is not here"),
        (TRAINER.format("--output_dir {0}/c --resume_from_checkpoint {0}/c"), "not-ok", "c is not here"),
    ],
)  # fmt: skip
def test_a_checkpoint_that_is_not_there(tmp_path: Path, text: str, state: str, words: str) -> None:
    found = [r for r in _seen(tmp_path, text.replace("{0}", str(tmp_path))) if r.name == "data"]
    (one,) = (r for r in found if "not here" in r.text.en)
    assert one.state == state
    assert words in one.text.en
    assert ("random" in one.text.en) is (words == "random weights")


def test_each_of_two_commands_is_told(tmp_path: Path) -> None:
    one = "torchrun --nproc_per_node=4 --master_port={} a.py --output_dir {} --lr 1e-5"
    text = one.format(29501, tmp_path / "a") + " &\n" + one.format(29502, tmp_path / "b") + "\n"
    found = _seen(tmp_path, text)
    assert sorted(r.source.line for r in found if r.name == "port") == [1, 2]
    assert sorted(r.source.line for r in found if r.name == "output") == [1, 2]


def test_one_command_has_one_port_and_one_folder(tmp_path: Path) -> None:
    text = (
        f"torchrun --nproc_per_node=4 --master_port=29501 a.py --lr 1e-5 --output_dir {tmp_path}\n"
    )
    found = _seen(tmp_path, text)
    assert [r.name for r in found if r.name in ("port", "output")] == ["port", "output"]
