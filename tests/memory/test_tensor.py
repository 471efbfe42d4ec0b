"""What tensor parallelism splits in frameworks' own models, and what their optimizers and adapters hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.commands import main
from medic.syntax.python_tree import parse_python
from medic.syntax.source import SourceText

Sized = Callable[..., dict[str, Any]]
GIB = 2**30
# torchtitan's own benchmark (benchmarks/llama3_h100_202412_torchtitan.md, table 4): FSDP 32, TP 8,
# compiled, all layers recomputed.
TITAN = """[model]
name = "llama3"
flavor = "70B"
[training]
local_batch_size = 16
seq_len = 8192
[optimizer]
name = "AdamW"
[parallelism]
tensor_parallel_degree = 8
[activation_checkpoint]
mode = "full"
[compile]
enable = true
"""
MEASURED = 71.9  # GiB
NANOTRON = """model:
  dtype: bfloat16
  model_config: {hidden_size: 2048, intermediate_size: 8192, is_llama_config: true, num_attention_heads: 32,
    num_hidden_layers: 24, num_key_value_heads: 8, tie_word_embeddings: true, vocab_size: 49152}
optimizer: {zero_stage: 1, optimizer_factory: {name: adamW}}
parallelism: {dp: 16, pp: 1, tp: 2, tp_mode: REDUCE_SCATTER}
tokens: {micro_batch_size: 4, sequence_length: 2048, batch_accumulation_per_replica: 8, train_steps: 1000}
"""
NEMO = """trainer: {devices: 8, num_nodes: 2, precision: bf16}
model:
  micro_batch_size: 4
  global_batch_size: 256
  tensor_model_parallel_size: 1
  pipeline_model_parallel_size: 1
  encoder_seq_length: 2048
  num_layers: 24
  hidden_size: 2048
  ffn_hidden_size: 8192
  num_attention_heads: 16
  activation: gelu
  megatron_amp_O2: true
  optim: {name: distributed_fused_adam, lr: 2.0e-4}
"""


@pytest.fixture
def of(sized: Sized, tmp_path: Path) -> Sized:
    """The answer for a config's text."""

    def call(text: str, name: str = "run.yaml", **fields: object) -> dict[str, Any]:
        file = tmp_path / name
        file.write_text(text, "utf-8")
        return sized(str(file), **fields)

    return call


def test_torchtitan_splits_the_stream_and_the_loss(of: Sized) -> None:
    found = of(TITAN, "train.toml", world_size=256)
    assert found["device"]["low"] < MEASURED * GIB
    assert found["device"]["estimate"] == pytest.approx(MEASURED * GIB, rel=0.25)


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("disable_loss_parallel = true", "logits"),
        ("enable_sequence_parallel = false", "activations"),
    ],
)
def test_it_does_not_where_it_is_told_not_to(of: Sized, line: str, part: str) -> None:
    whole = TITAN.replace("tensor_parallel_degree = 8", f"tensor_parallel_degree = 8\n{line}")
    before = of(TITAN, "train.toml", world_size=256)["parts"][part]
    assert of(whole, "train.toml", world_size=256)["parts"][part] > 2 * before


def test_nanotron_splits_the_stream_by_its_mode(of: Sized) -> None:
    split = of(NANOTRON)
    whole = of(NANOTRON.replace("REDUCE_SCATTER", "ALL_REDUCE"))
    assert split["parts"]["activations"] < whole["parts"]["activations"]
    assert split["parts"]["logits"] == whole["parts"]["logits"]


def test_nanotron_says_whether_the_head_is_the_embedding(of: Sized) -> None:
    tied = of(NANOTRON)
    assert not any(a.startswith(("tied_embeddings", "feed-forward gate")) for a in tied["assumed"])
    own = of(NANOTRON.replace("tie_word_embeddings: true", "tie_word_embeddings: false"))
    assert own["parts"]["weights"] > tied["parts"]["weights"]


def test_only_an_unknown_loop_may_split_what_nothing_says(of: Sized, sized: Sized) -> None:
    size = {"hidden_size": 4096, "num_layers": 8, "num_heads": 32, "vocab_size": 32000}
    run = {"micro_batch_size": 4, "sequence_length": 4096, "world_size": 8, "precision": "bf16"}
    plain = sized(**size, **run, tensor_parallel_size=8)
    # 8 layers that each keep their input whole are no lower bound.
    assert plain["device"]["low"] < plain["device"]["estimate"] / 2
    megatron = of(NEMO, vocab_size=50304, tensor_parallel_size=2)
    asked = of(NEMO + "  sequence_parallel: true\n", vocab_size=50304, tensor_parallel_size=2)
    assert asked["parts"]["activations"] < megatron["parts"]["activations"]


def test_nemos_distributed_optimizer_shards_its_states(of: Sized) -> None:
    found = of(NEMO, vocab_size=50304)["parts"]
    whole = of(NEMO.replace("distributed_fused_adam", "fused_adam"), vocab_size=50304)["parts"]
    assert whole["optimizer"] == pytest.approx(16 * found["optimizer"], rel=0.01)
    assert whole["weights"] == found["weights"]


def test_an_activation_that_is_no_glu_has_no_gate(of: Sized) -> None:
    plain, gated = of(NEMO, vocab_size=50304), of(NEMO.replace("gelu", "swiglu"), vocab_size=50304)
    more = 24 * 2048 * 8192 * 2
    assert gated["parts"]["weights"] - plain["parts"]["weights"] == pytest.approx(more, rel=0.01)
    assert not any("gate" in one for one in plain["assumed"] + gated["assumed"])


def test_of_frozen_weights_deepspeed_holds_no_wide_ones(sized: Sized) -> None:
    fields = {"zero_stage": 2, "world_size": 8, "precision": "bf16", "micro_batch_size": 2,
              "sequence_length": 2048, "activation_checkpointing": True}  # fmt: skip
    adapters = sized("--model", "qwen2.5-7b", **fields, lora_rank=8)
    assert adapters["parts"]["optimizer"] < GIB
    assert adapters["phases"]["load"] < 17 * GIB
    every = sized("--model", "qwen2.5-7b", **fields)
    assert every["parts"]["optimizer"] > 10 * GIB


OWN = """import torch
from torch.nn.parallel import DistributedDataParallel as DDP
from gpt import GPT
model = GPT().cuda()
if world > 1:
    model = DDP(model, device_ids=[local])
opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
loss.backward()
"""
SIZES = """model: {n_layer: 24, n_head: 16, n_embd: 2048, vocab_size: 50304, block_size: 2048}
train: {world_size: 32, micro_batch_size: 8, grad_accum: 4, dtype: bfloat16, compile: true}
"""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", True),
        ("from torch.distributed.optim import ZeroRedundancyOptimizer", False),
        ("from torch.distributed.fsdp import FullyShardedDataParallel", False),
        ("model = DDP(model) if plain else accelerator.prepare(model)", False),
    ],
)
def test_a_script_that_only_wraps_in_ddp_shards_nothing(
    sized: Sized, tmp_path: Path, line: str, told: bool
) -> None:
    script, sizes = tmp_path / "train.py", tmp_path / "train.yaml"
    script.write_text(OWN + line + "\n", "utf-8")
    sizes.write_text(SIZES, "utf-8")
    found = sized(str(script), str(sizes))
    assert ("zero_stage = 0" not in found["assumed"]) is told
    whole = 4 * 1.3e9 * 4  # weights, gradients and two moments in fp32, or in bf16
    assert (found["device"]["low"] > whole / 2) is told


LITGPT = """model_name: tiny-llama-1.1b
precision: bf16-mixed
train: {micro_batch_size: 4, max_seq_length: 2048, global_batch_size: 512, lr_warmup_steps: 10, tie_embeddings: false}
initial_checkpoint_dir: null
"""


def test_litgpt_pretrains_the_model_that_it_names(of: Sized) -> None:
    found = of(LITGPT, world_size=8)
    assert found["parts"]["weights"] > GIB / 2
    assert not any(one.startswith("tied_embeddings") for one in found["assumed"])
    unknown = of(LITGPT.replace("tiny-llama-1.1b", "my-own-model"), world_size=8)
    assert unknown["device"]["low"] is None


TORCHTUNE = """tokenizer: {_component_: torchtune.models.llama3.llama3_tokenizer, max_seq_len: 4096}
model: {_component_: torchtune.models.llama3_1.llama3_1_8b}
batch_size: 4
optimizer: {_component_: torch.optim.AdamW, fused: true, lr: 2e-5}
loss: {_component_: torchtune.modules.loss.LinearCrossEntropyLoss}
enable_activation_checkpointing: true
dtype: bf16
"""
TOKENS, VOCAB = 4 * 4096, 128256


def test_torchtunes_losses_in_chunks_keep_a_softmax(of: Sized) -> None:
    linear = of(TORCHTUNE, world_size=8)["parts"]["logits"]
    assert linear == (4 + 8 // 8) * TOKENS * VOCAB
    handed = TORCHTUNE.replace("LinearCrossEntropyLoss", "CEWithChunkedOutputLoss")
    assert of(handed, world_size=8)["parts"]["logits"] == (6 + 8 // 8) * TOKENS * VOCAB
    few = TORCHTUNE.replace("Loss}", "Loss, num_output_chunks: 4}")
    assert of(few, world_size=8)["parts"]["logits"] == (4 + 8 // 4) * TOKENS * VOCAB
    whole = TORCHTUNE.replace(
        "torchtune.modules.loss.LinearCrossEntropyLoss", "torch.nn.CrossEntropyLoss"
    )
    assert of(whole, world_size=8)["parts"]["logits"] == 12 * TOKENS * VOCAB


TRAINER = """from torch.nn.parallel import DistributedDataParallel
from transformers import Trainer, TrainingArguments
args = TrainingArguments("out", bf16=True, per_device_train_batch_size=2)
model = DistributedDataParallel(model)
Trainer(model, args).train()
"""
NANOGPT = """from torch.nn.parallel import DistributedDataParallel as DDP
import torch
batch_size = 12
block_size = 1024
n_layer = 12
n_head = 12
n_embd = 768
gradient_accumulation_steps = 40
learning_rate = 6e-4
max_iters = 600000
model = DDP(model, device_ids=[local])
"""


@pytest.mark.parametrize(("text", "told"), [(TRAINER, False), (NANOGPT, True)])
def test_what_a_script_wraps_stands_among_no_trainers_arguments(text: str, told: bool) -> None:
    root = parse_python(SourceText(text.encode(), "train.py")).root
    assert root is not None
    keys = {key.value for key, _ in root.items}
    assert ("model_replicated" in keys) is told


def test_what_a_script_wraps_is_no_key_that_it_may_not_have(state: Path, tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(NANOGPT, "utf-8")
    assert main(["lint", str(file), "--lang", "en"]) == 0
