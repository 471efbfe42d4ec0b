"""Uses of people: what a framework's words mean for memory, and answers that help."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Sized = Callable[..., dict[str, Any]]
Run = Callable[..., tuple[int, str, str]]
GIB = 2**30
STEP = {"micro_batch_size": 1, "sequence_length": 2048}
LITGPT = """checkpoint_dir: checkpoints/meta-llama/Llama-3.2-1B
precision: {precision}
lora_r: 8
lora_alpha: 16
train:
  global_batch_size: 8
  micro_batch_size: 1
  max_seq_length: 2048
"""
AXOLOTL = """base_model: NousResearch/Llama-3.2-1B
model_type: LlamaForCausalLM
adapter: lora
lora_r: 16
lora_target_linear: true
{more}sequence_len: 2048
micro_batch_size: 1
gradient_accumulation_steps: 4
optimizer: adamw_torch_fused
bf16: true
gradient_checkpointing: true
"""
OLMO = """run_name: small
model:
  d_model: 2048
  n_heads: 16
  n_layers: 16
  mlp_hidden_size: 16384
  activation_type: swiglu
  max_sequence_length: 4096
  vocab_size: 50280
  weight_tying: true
device_train_microbatch_size: 2
global_train_batch_size: 1024
precision: amp_bf16
optimizer:
  name: adamw
fsdp:
  precision: mixed
save_folder: out
max_duration: 1ep
"""


@pytest.fixture
def of(sized: Sized, tmp_path: Path) -> Sized:
    def call(text: str, *words: str, **fields: object) -> dict[str, Any]:
        file = tmp_path / "train.yaml"
        file.write_text(text, "utf-8")
        return sized(str(file), *words, **fields)

    return call


@pytest.mark.parametrize(("precision", "bytes_"), [("bf16-true", 2), ("bf16-mixed", 4)])
def test_lightning_says_what_weights_are_held_in(of: Sized, precision: str, bytes_: int) -> None:
    found = of(LITGPT.format(precision=precision))
    assert not [one for one in found["assumed"] if one.startswith("parameter_dtype")]
    assert found["parts"]["weights"] == pytest.approx(1.236e9 * bytes_, rel=0.03)


def test_a_class_is_no_family_and_weights_without_a_word_of_bits_are_not_quantised(
    of: Sized,
) -> None:
    found = of(AXOLOTL.format(more=""))
    assert found["not_modelled"] == []
    assert found["peak"]["low"] > 2 * 1.236e9  # 16-bit weights, not 4


def test_embeddings_trained_beside_adapters_are_counted_and_claimed_as_a_bound(of: Sized) -> None:
    more = of(AXOLOTL.format(more="lora_modules_to_save: [embed_tokens, lm_head]\n"))
    plain = of(AXOLOTL.format(more=""))
    # fp32 weights, gradients and two moments of two matrices
    assert more["parts"]["optimizer"] - plain["parts"]["optimizer"] == 2 * 128256 * 2048 * 8
    assert more["verdict"] in ("unknown", "at-least")
    assert more["peak"]["high"] is None
    assert "embeddings" in more["not_modelled"][0]


def test_olmo_shards_and_half_of_its_width_is_the_gate(of: Sized) -> None:
    found = of(OLMO, "--gpu", "8xh100")
    assert "fsdp = on" in found["assumed"]
    values = 16 * (4 * 2048**2 + 3 * 2048 * 8192) + 50280 * 2048
    assert found["parts"]["weights"] == pytest.approx(values * 4 / 8, rel=0.01)


def test_without_the_vocabulary_the_layers_states_are_a_lower_bound(sized: Sized) -> None:
    sizes = {"hidden_size": 2048, "num_layers": 16, "num_heads": 16, "ffn_size": 8192}
    found = sized("--gpu", "16GiB", precision="bf16", **STEP, **sizes)
    assert found["unknown"] == ["vocab_size"]
    assert found["peak"]["estimate"] is None
    assert found["peak"]["low"] > 16 * (4 * 2048**2 + 2 * 2048 * 8192) * 8


def test_ranks_that_share_one_model_keep_no_buckets(sized: Sized) -> None:
    words = ("--model", "llama-3-8b")
    shared = sized(*words, world_size=8, tensor_parallel_size=8, precision="bf16", **STEP)
    assert "buckets" not in shared["parts"]
    twice = sized(*words, world_size=16, tensor_parallel_size=8, precision="bf16", **STEP)
    assert twice["parts"]["buckets"] > 0


def test_where_not_even_the_smallest_fits_what_would_help_is_told(sized: Sized) -> None:
    found = sized(
        "--model", "qwen2.5-7b", "--gpu", "rtx-4090", "--max-micro-batch",
        lora_rank=16, quantization="4bit", sequence_length=4096, precision="bf16",
    )  # fmt: skip
    assert found["largest"]["micro_batch_size"]["estimate"] == 0
    assert "recompute-activations" in [one["name"] for one in found["remedies"]]


def test_remedies_without_measured_rows_are_told_by_the_formulas(sized: Sized, run: Run) -> None:
    words = ("--model", "gpt2-xl", "--gpu", "16GiB")
    step = {"micro_batch_size": 8, "sequence_length": 1024, "precision": "fp16"}
    found = sized(*words, **step)
    assert {one["bound"] for one in found["remedies"]} == {"formula"}
    assert "by the formulas" in run(*words, **step)[1]
    assert "按公式" in run(*words, lang="zh", **step)[1]


def test_an_unknown_model_is_named(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "train.yaml"
    file.write_text(AXOLOTL.format(more="").replace("Llama-3.2-1B", "Nobody-1B"), "utf-8")
    assert "of the model NousResearch/Nobody-1B:" in run(str(file))[1].replace("\n  ", " ")


ACCELERATE = """compute_environment: LOCAL_MACHINE
distributed_type: {kind}
mixed_precision: bf16
num_machines: 1
num_processes: 8
{more}
"""
DEEPSPEED = "deepspeed_config:\n  zero_stage: 1\n  gradient_accumulation_steps: 1\n"


def test_deepspeed_under_accelerate_is_no_fsdp(of: Sized) -> None:
    words = ("--model", "qwen3-8b")
    sharded = of(ACCELERATE.format(kind="DEEPSPEED", more=DEEPSPEED), *words, **STEP)
    plain = of(ACCELERATE.format(kind="MULTI_GPU", more=""), *words, **STEP)
    assert sharded["parts"]["weights"] == pytest.approx(2 * 8.19e9, rel=0.01)
    assert "gathered weights" not in plain["parts"]
    assert plain["choices"][0]["field"] == "parameter_dtype"  # no sharding is to be thought of


def test_sharding_that_no_file_tells_is_told_with_what_it_would_move(of: Sized) -> None:
    text = AXOLOTL.format(more="").replace("adapter: lora\n", "").replace("lora_r: 16\n", "")
    found = of(text, "--gpu", "8xh100")
    [choice] = [one for one in found["choices"] if one["field"] == "zero_stage"]
    assert choice["other"] == "3"
    assert choice["device"] < found["device"]["estimate"]


def test_axolotls_section_of_fsdp_shards(of: Sized) -> None:
    section = "fsdp_version: 2\nfsdp_config:\n  reshard_after_forward: true\n"
    found = of(AXOLOTL.format(more=section).replace("adapter: lora\n", ""), "--gpu", "4xh100")
    assert found["parts"]["gathered weights"] > 0


def test_litgpt_shards_over_several_gpus(of: Sized) -> None:
    text = LITGPT.format(precision="bf16-true").replace("lora_r: 8\nlora_alpha: 16\n", "")
    assert "gathered weights" in of(text, "--gpu", "8xh100")["parts"]
    assert "gathered weights" not in of(text, "--gpu", "h100")["parts"]


def test_a_wide_range_says_what_would_narrow_it(sized: Sized) -> None:
    told = {"sequence_length": 2048, "micro_batch_size": 1, "parameter_dtype": "fp32",
            "precision": "bf16", "lora_rank": 0, "attention": "sdpa"}  # fmt: skip
    wide = sized("--model", "llama-3-8b", "--gpu", "8xh200", zero_stage=3, **told)
    assert wide["device"]["high"] > 2 * wide["device"]["low"]
    [why] = [note for note in wide["notes"] if "range is wide" in note]
    assert "activation_checkpointing" in why
    more = {**told, "activation_checkpointing": True}
    narrow = sized("--model", "llama-3-8b", "--gpu", "8xh200", zero_stage=3, **more)
    low, high = (narrow["device"][name] - wide["device"][name] for name in ("low", "high"))
    assert high < low  # and stating it did narrow the range
    assert not [note for note in narrow["notes"] if "activation_checkpointing" in note]


@pytest.mark.parametrize(
    ("stated", "each"),
    [
        ({"zero_stage": 2, "optimizer_offload": "cpu"}, 16),  # fp32 weights, gradients, two moments
        ({"zero_stage": 2, "optimizer_offload": "none"}, 0),
    ],
)
def test_what_is_offloaded_is_told_in_host_memory(
    sized: Sized, stated: dict[str, Any], each: int
) -> None:
    found = sized("--model", "llama-3-8b", "--gpu", "8xh100-80g", sequence_length=1024,
                  micro_batch_size=1, **stated)  # fmt: skip
    told = [note for note in found["notes"] if "host memory" in note]
    assert bool(told) == bool(each)
    if each:
        assert f"{8.03e9 * each / 2**30:.1f}" in told[0].replace(",", "")
