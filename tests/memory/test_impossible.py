"""Launches that cannot be are refused with a line that says where, and memory is not computed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from medic.errors import UsageError
from medic.index.knowledge import load
from medic.memory.cards import counted, gpu_of

Run = Callable[..., tuple[int, str, str]]
MODEL = json.dumps(
    {
        "model_type": "llama",
        "hidden_size": 512,
        "num_hidden_layers": 4,
        "vocab_size": 1000,
        "num_attention_heads": 8,
        "intermediate_size": 1024,
        "max_position_embeddings": 2048,
    }
)
TRAINER = "per_device_train_batch_size: {micro}\nlearning_rate: 1.0e-5\nmax_seq_length: 512\n"


@pytest.fixture
def model(tmp_path: Path) -> str:
    file = tmp_path / "config.json"
    file.write_text(MODEL, "utf-8")
    return str(file)


@pytest.mark.parametrize(
    ("text", "said", "said_zh"),
    [
        (TRAINER.format(micro=1) + "bf16: true\nfp16: true\n", ":5: fp16 and bf16 are both on",
         "只能开启其中一个"),
        (TRAINER.format(micro=-2), ":1: per_device_train_batch_size is -2", "必须至少为 1"),
        (TRAINER.format(micro=0), ":1: per_device_train_batch_size is 0", "至少为 1"),
        ("model_name_or_path: meta-llama/Llama-2-7b-hf\nstage: sft\nfinetuning_type: full\n"
         "template: llama2\ndataset: identity\ncutoff_len: 512\nquantization_bit: 4\n",
         ":7: quantization_bit with full fine-tuning", "量化后的权重无法训练"),
    ],
)  # fmt: skip
def test_a_file_that_no_trainer_takes(
    run: Run, model: str, tmp_path: Path, text: str, said: str, said_zh: str
) -> None:
    file = tmp_path / "train.yaml"
    file.write_text(text, "utf-8")
    code, out, err = run(str(file), model, "--gpu", "h100")
    assert (code, out) == (2, "")
    assert f"train.yaml{said}" in err
    assert said_zh in run(str(file), model, lang="zh")[2]


def test_a_pipeline_takes_no_gradients_in_shards(run: Run, model: str, tmp_path: Path) -> None:
    file = tmp_path / "ds.json"
    stage = '{{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {{"stage": {n}}}}}'
    for n, refused in ((1, False), (2, True), (3, True)):
        file.write_text(stage.format(n=n), "utf-8")
        code, _, err = run(
            str(file), model, world_size=4, pipeline_parallel_size=2, sequence_length=512
        )
        assert (code == 2) is refused
        assert ("2 pipeline stages" in err) is refused


def test_quantised_weights_under_adapters_and_one_precision_are_fine(
    run: Run, model: str, tmp_path: Path
) -> None:
    file = tmp_path / "train.yaml"
    for more in ("load_in_4bit: true\nlora_r: 8\n", "bf16: true\nfp16: false\n"):
        file.write_text(TRAINER.format(micro=1) + more, "utf-8")
        assert run(str(file), model)[0] == 0


def test_sequences_beyond_the_positions_are_counted_and_told(run: Run, model: str) -> None:
    size = {"micro_batch_size": 1, "precision": "bf16"}
    for lang, said in (("en", "the model has 2,048 positions"), ("zh", "只有 2,048 个位置")):
        out = run(model, lang=lang, sequence_length=99_999_999, **size)[1]
        assert said in out.replace("\n  ", "").replace("  ", " ")
    assert "positions" not in run(model, sequence_length=2048, **size)[1]


@pytest.mark.parametrize("words", ["0x41", "99999999GiB", "-5GiB", "1"])
def test_what_is_no_card(words: str) -> None:
    cards, card = counted(words)
    assert cards == 0
    with pytest.raises(UsageError, match=f'no card "{words}"'):
        gpu_of(load(), card)


@pytest.mark.parametrize("words", ["0xdeadbeef", "0xh100", "h100x0"])
def test_no_card_at_all(words: str) -> None:
    with pytest.raises(UsageError, match="names 0 cards"):
        counted(words)
