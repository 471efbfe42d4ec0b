"""Sizes in a training script's own parser: given by its command, else its defaults."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.sizing import size_run

PARSER = """import argparse
from model import GPT
p = argparse.ArgumentParser()
p.add_argument("--hidden", type=int, default=2048)
p.add_argument("--layers", type=int, default=16)
p.add_argument("--heads", type=int, default=16)
p.add_argument("--vocab-size", type=int, default=32000)
p.add_argument("--seq-len", type=int, default=2048)
p.add_argument("--batch-size", type=int, default=4)
p.add_argument("--lr", type=float, default=3e-4)
args = p.parse_args()
model = GPT(args.hidden, args.layers, args.heads, args.vocab_size)
"""
WANTED = {
    "hidden_size": 4096,
    "num_layers": 32,
    "num_heads": 16,
    "vocab_size": 32000,
    "sequence_length": 2048,
    "micro_batch_size": 8,
}


def sizes(where: Path, *scripts: str, command: str) -> dict[str, int | None]:
    (where / "launch.sh").write_text(command)
    files = [where / "launch.sh"]
    for i, text in enumerate(scripts):
        files.append(where / ("train.py" if not i else f"other{i}.py"))
        files[-1].write_text(text)
    found = size_run(collect([str(f) for f in files]), load(), gpu="h100-80g").run_config
    return {name: found.integer(name) for name in WANTED}


def test_the_command_comes_first_and_the_defaults_behind_it(tmp_path: Path) -> None:
    command = "python train.py --hidden 4096 --layers 32 --batch-size 8\n"
    assert sizes(tmp_path, PARSER, command=command) == WANTED


def test_the_defaults_of_two_parsers_are_no_bodys(tmp_path: Path) -> None:
    command = "python train.py --hidden 4096 --layers 32 --batch-size 8\n"
    found = sizes(tmp_path, PARSER, PARSER.replace("32000", "64000"), command=command)
    assert found["hidden_size"] == 4096
    assert found["vocab_size"] is None


@pytest.mark.parametrize("name", ["hidden", "layers", "vocab"])
def test_a_short_name_below_a_block_is_another_thing(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.yaml").write_text(f"batch_size: 4\nseq_len: 128\nhead:\n  {name}: 512\n")
    found = size_run(collect([str(tmp_path / "a.yaml")]), load()).run_config
    assert not {"hidden_size", "num_layers", "vocab_size"} & found.values.keys()


def test_a_default_that_is_no_number_is_none(tmp_path: Path) -> None:
    text = PARSER.replace("type=int, default=32000", 'default="²"')
    assert sizes(tmp_path, text, command="python train.py --hidden 4096\n")["vocab_size"] is None


TRAINER = """import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
p = argparse.ArgumentParser()
p.add_argument("--model", default="Qwen/Qwen2.5-1.5B")
p.add_argument("--batch", type=int, default=4)
a = p.parse_args()
model = AutoModelForCausalLM.from_pretrained(a.model)
args = TrainingArguments("out", per_device_train_batch_size=a.batch, learning_rate=1e-5)
Trainer(model=model, args=args, train_dataset=data).train()
"""
LOOP = """import argparse, torch
from transformers import AutoModelForCausalLM
p = argparse.ArgumentParser()
p.add_argument("--model", default="Qwen/Qwen2.5-1.5B")
p.add_argument("--batch", type=int, default=4)
args = p.parse_args()
model = AutoModelForCausalLM.from_pretrained(args.model, torch_dtype=torch.bfloat16).cuda()
opt = torch.optim.AdamW(model.parameters(), lr=1e-5)
loader = torch.utils.data.DataLoader(data, batch_size=args.batch)
for batch in loader:
    model(**batch).loss.backward()
    opt.step()
"""


@pytest.mark.parametrize("program", [TRAINER, LOOP])
def test_what_a_program_hands_on_is_given_or_its_default(tmp_path: Path, program: str) -> None:
    (tmp_path / "train.py").write_text(program)
    silent = size_run(collect([str(tmp_path / "train.py")]), load())
    assert silent.model == "qwen2.5-1.5b"
    assert silent.run_config.get("micro_batch_size") == 4
    assert silent.found.assumed["micro_batch_size"] == "4 (train.py:5)"
    (tmp_path / "run.sh").write_text("python train.py --batch 16 --model Qwen/Qwen2.5-3B\n")
    files = [str(tmp_path / name) for name in ("run.sh", "train.py")]
    given = size_run(collect(files), load())
    assert given.model == "qwen2.5-3b"
    assert given.run_config.get("micro_batch_size") == 16
    assert "micro_batch_size" not in given.found.assumed


@pytest.mark.parametrize(
    "command", ["python train.py", "torchrun --nproc_per_node 8 train.py", "srun python train.py"]
)
def test_a_command_without_arguments_leaves_the_defaults(tmp_path: Path, command: str) -> None:
    (tmp_path / "train.py").write_text(TRAINER)
    (tmp_path / "run.sh").write_text(f"{command}\n")
    files = [str(tmp_path / name) for name in ("run.sh", "train.py")]
    assert size_run(collect(files), load()).run_config.get("micro_batch_size") == 4


def test_two_commands_of_a_program_give_nothing(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAINER)
    (tmp_path / "run.sh").write_text("python train.py --batch 16\npython train.py --batch 2\n")
    files = [str(tmp_path / name) for name in ("run.sh", "train.py")]
    assert size_run(collect(files), load()).run_config.get("micro_batch_size") is None
