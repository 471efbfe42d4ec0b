"""An out-of-memory error of a run whose files tell no number of ranks: what its own numbers, its lines
and its sizes tell of the cause."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.session.consultation import Session

CONFIG = """model_name_or_path: meta-llama/Meta-Llama-3-8B
stage: sft
do_train: true
finetuning_type: full
dataset: mydata
template: llama3
cutoff_len: {length}
output_dir: out
per_device_train_batch_size: {micro}
gradient_accumulation_steps: 2
learning_rate: 1.0e-5
max_steps: 1000
bf16: true
pure_bf16: true
flash_attn: fa2
"""
MODEL = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
LLAMA = "transformers/models/llama/modeling_llama.py"
LOG = """  0%|          | 0/1000 [00:00<?, ?it/s]
Traceback (most recent call last):
  File "/opt/venv/lib/python3.11/site-packages/transformers/trainer.py", line 3698, in training_step
    loss = self.compute_loss(model, inputs)
  File "/opt/venv/lib/python3.11/site-packages/{file}", line 175, in {function}
    {code}
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {request} GiB. GPU 0 has a total \
capacity of 79.10 GiB of which {free} GiB is free. Including non-PyTorch memory, this process has \
{process} GiB memory in use. Of the allocated memory {allocated} GiB is allocated by PyTorch, and \
1.20 GiB is reserved by PyTorch but unallocated.
"""
FULL = {"request": "1.75", "free": "1.01", "process": "78.09", "allocated": "76.00"}
MLP = "down_proj = self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))"


def seen(
    where: Path, *, micro: int = 8, length: int = 4096, prefix: str = "", **log: str
) -> Session:
    (where / "sft.yaml").write_text(CONFIG.format(micro=micro, length=length))
    (where / "config.json").write_text(json.dumps(MODEL))
    text = LOG.format(**{"file": LLAMA, "function": "forward", "code": MLP, **FULL, **log})
    (where / "train.log").write_text("".join(f"{prefix}{line}\n" for line in text.splitlines()))
    session = Session(load(), collect([str(where)]))
    session.look()
    return session


def test_a_step_that_cannot_fit_is_established_of_one_process(tmp_path: Path) -> None:
    found = seen(tmp_path).diagnosis()
    assert (found.causes[0].name, found.verdict) == ("micro-batch-too-large", "established")


@pytest.mark.parametrize(
    "fields",
    [
        {"prefix": "[rank0]: "},  # of a group, whose launch may shard
        {"micro": 1, "length": 512},  # it fits: something else fills the card
    ],
)
def test_what_ranks_or_sizes_leave_open_is_not_established(
    tmp_path: Path, fields: dict[str, object]
) -> None:
    assert seen(tmp_path, **fields).diagnosis().verdict != "established"  # type: ignore[arg-type]


def test_a_micro_batch_of_one_is_neither_too_large_nor_the_global_batch(tmp_path: Path) -> None:
    found = seen(tmp_path, micro=1, length=32768).diagnosis()
    assert found.causes[0].name == "sequence-too-long-for-gpu"
    assert "micro-batch-is-global" not in {c.name for c in found.causes}


def test_another_process_is_told_as_such(tmp_path: Path) -> None:
    found = seen(tmp_path, process="38.09", allocated="36.00").diagnosis()
    assert found.causes[0].name == "gpu-held-by-another-process"


def test_a_request_of_the_size_of_the_logits_is_known(tmp_path: Path) -> None:
    numbers = {"request": "15.66", "free": "14.01", "process": "65.09", "allocated": "60.00"}
    place = {
        "file": "transformers/loss/loss_utils.py",
        "function": "ForCausalLMLoss",
        "code": "logits = logits.float()",
    }
    session = seen(tmp_path, **{**numbers, **place})  # type: ignore[arg-type]
    assert session.diagnosis().causes[0].name == "logits-too-large"


def test_remedies_come_in_the_order_of_the_plan(tmp_path: Path) -> None:
    session = seen(tmp_path, micro=6)
    account = session.memory
    assert account is not None
    assert account.advice is not None
    assert [one.name for one in account.advice.plan] == ["fuse-loss"]
    names = [fix.remedy.name for fix in session.fixes("micro-batch-too-large")]
    assert names[:2] == ["fuse-attention-and-loss", "halve-micro-batch-keep-global-batch"]


def test_without_a_plan_that_is_enough_the_order_stays(tmp_path: Path) -> None:
    session = seen(tmp_path, process="3.09", allocated="2.00")
    names = [fix.remedy.name for fix in session.fixes("micro-batch-too-large")]
    assert names[0] == "halve-micro-batch-keep-global-batch"
