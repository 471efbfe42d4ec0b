"""Configs of frameworks: their own settings, and what they do where the config is silent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.memory.habits import settled
from medic.memory.usual import with_usual
from medic.run_config import Origin, RunConfig, Setting, Value

Run = Callable[..., tuple[int, str, str]]
Sized = Callable[..., dict[str, Any]]
GIB = 2**30
MODEL = """{"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 1536,
"num_hidden_layers": 28, "num_attention_heads": 12, "num_key_value_heads": 2,
"intermediate_size": 8960, "vocab_size": 151936, "tie_word_embeddings": true,
"torch_dtype": "bfloat16"}"""
AXOLOTL = """base_model: NousResearch/Meta-Llama-3.1-8B
load_in_4bit: true
adapter: qlora
lora_r: 32
lora_target_linear: true
sequence_len: 2048
micro_batch_size: 1
gradient_accumulation_steps: 4
bf16: auto
gradient_checkpointing: true
"""
LLAMA_FACTORY = """model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
finetuning_type: lora
lora_target: all
cutoff_len: 2048
per_device_train_batch_size: 1
bf16: true
deepspeed: ds_z3.json
"""


SWIFT = """model: Qwen/Qwen2.5-1.5B
train_type: lora
max_length: 2048
per_device_train_batch_size: 1
"""
VERL = """python3 -m verl.trainer.main_ppo data.max_prompt_length=512 \\
 data.max_response_length=1024 actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct \\
 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8 actor_rollout_ref.rollout.name=vllm \\
 actor_rollout_ref.rollout.gpu_memory_utilization=0.6 trainer.n_gpus_per_node=8 trainer.nnodes=1
"""
TORCHTUNE = """tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  max_seq_len: 4096
batch_size: 2
optimizer:
  _component_: torch.optim.AdamW
  fused: False
  lr: 2e-5
enable_activation_checkpointing: True
dtype: bf16
"""


TORCHTITAN = """[model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = 1
seq_len = 8192
[parallelism]
data_parallel_shard_degree = -1
[activation_checkpoint]
mode = "selective"
[optimizer]
name = "AdamW"
"""


@pytest.fixture
def of(sized: Sized, tmp_path: Path) -> Sized:
    """The answer for a config's text."""

    def call(text: str, *words: str, name: str = "run.yaml", **fields: object) -> dict[str, Any]:
        file = tmp_path / name
        file.write_text(text)
        return sized(str(file), "--gpu", "h100-80g", *words, **fields)

    return call


def test_an_adapter_on_four_bits_is_read_from_the_frameworks_own_keys(of: Sized) -> None:
    found = of(AXOLOTL)
    assert not {"quantization = none", "precision = fp32"} & set(found["assumed"])
    assert found["parts"]["weights"] < 9 * GIB
    wide = of(AXOLOTL.replace("load_in_4bit: true\n", "").replace("qlora", "lora"))
    assert 14 * GIB < wide["parts"]["weights"] < 17 * GIB


QUANTISED = LLAMA_FACTORY.replace("deepspeed: ds_z3.json", "quantization_bit: 4")


@pytest.mark.parametrize("text", [AXOLOTL, QUANTISED])
def test_what_is_not_quantised_stays_in_16_bits(of: Sized, text: str) -> None:
    found = of(text)
    assert "parameter_dtype = bf16" in found["assumed"]
    assert found["parts"]["weights"] < of(text, parameter_dtype="fp32")["parts"]["weights"]


@pytest.mark.parametrize(
    ("text", "key"), [(AXOLOTL, "bnb_4bit_use_double_quant"), (QUANTISED, "double_quantization")]
)
def test_scales_are_quantised_again_unless_told_otherwise(of: Sized, text: str, key: str) -> None:
    plain = of(text + f"{key}: false\n")["parts"]["weights"]
    assert of(text)["parts"]["weights"] == of(text + f"{key}: true\n")["parts"]["weights"] < plain


def test_no_change_is_proposed_where_it_may_fit_as_it_is(of: Sized) -> None:
    long = TORCHTITAN.replace("seq_len = 8192", "seq_len = 12288")
    found = of(long, name="train.toml", world_size=8)
    assert found["verdict"] == "at-least"
    assert found["remedies"]
    assert not found["plan"]
    assert not found["diff"]


def test_llama_factory_recomputes_and_has_a_rank_unless_told_otherwise(of: Sized) -> None:
    text = LLAMA_FACTORY.replace("deepspeed: ds_z3.json\n", "")
    found = of(text)
    assert "activation_checkpointing = on" in found["assumed"]
    assert "lora_rank = 8" in found["assumed"]
    assert found["parts"]["weights"] < 4 * GIB  # frozen in 16 bits
    off = of(text + "disable_gradient_checkpointing: true\n")
    assert off["parts"]["activations"] > 3 * found["parts"]["activations"]


def test_ms_swift_has_the_same_rank(of: Sized) -> None:
    found = of(SWIFT)
    assert "lora_rank = 8" in found["assumed"]
    assert found["parts"]["optimizer"] < GIB
    assert "lora_rank = 8" not in of(SWIFT + "lora_rank: 32\n")["assumed"]
    assert "lora_rank = 8" not in of(SWIFT.replace("lora", "full"))["assumed"]


def test_a_rank_that_no_default_tells_is_unknown(of: Sized) -> None:
    found = of(AXOLOTL.replace("lora_r: 32\n", ""))
    assert found["unknown"] == ["lora_rank"]
    assert found["verdict"] == "unknown"
    assert not [line for line in found["assumed"] if line.startswith("lora_rank")]


def test_verls_actor_is_sharded_and_its_longest_sample_counts(of: Sized) -> None:
    found = of(VERL, name="run.sh")
    assert {"fsdp = on", "precision = bf16"} <= set(found["assumed"])
    assert found["unknown"] == []
    assert found["verdict"] == "at-least"
    assert found["parts"]["weights"] < 4 * GIB


def test_torchtunes_dtype_is_that_of_the_weights_and_its_fused_step_has_no_copies(
    of: Sized,
) -> None:
    plain = of(TORCHTUNE, "--model", "llama-3-8b")
    assert 14 * GIB < plain["parts"]["weights"] < 16 * GIB
    assert "temporaries" in plain["parts"]
    fused = of(TORCHTUNE.replace("fused: False", "fused: True"), "--model", "llama-3-8b")
    assert "temporaries" not in fused["parts"]


def test_torchtune_shards_over_the_processes_of_its_launch(sized: Sized, tmp_path: Path) -> None:
    config, script = tmp_path / "full.yaml", tmp_path / "run.sh"
    config.write_text(TORCHTUNE)

    def call(launch: str) -> dict[str, Any]:
        script.write_text(launch)
        words = (str(config), str(script), "--gpu", "h100-80g", "--model", "llama-3-8b")
        return sized(*words)

    one = call("tune run full_finetune_single_device --config full.yaml\n")
    four = call("tune run --nproc_per_node=4 full_finetune_distributed --config full.yaml\n")
    assert "fsdp = on" not in one["assumed"]
    assert "fsdp = on" in four["assumed"]
    for part in ("weights", "optimizer"):
        assert four["parts"][part] == pytest.approx(one["parts"][part] / 4, rel=0.01)


def test_a_fused_loss_of_axolotl_needs_its_plugin(of: Sized) -> None:
    flag = "liger_fused_linear_cross_entropy: true\n"
    plugin = "plugins:\n  - axolotl.integrations.liger.LigerPlugin\n"
    plain = of(AXOLOTL)["parts"]["logits"]
    assert of(AXOLOTL + flag)["parts"]["logits"] == plain
    assert of(AXOLOTL + flag + plugin)["parts"].get("logits", 0) < plain
    large = AXOLOTL.replace("micro_batch_size: 1", "micro_batch_size: 16")
    names = [[r["name"] for r in of(large + more)["remedies"]] for more in ("", plugin)]
    assert all("fuse-loss" in some for some in names)


def test_torchtitan_shards_a_model_that_it_names_by_flavor(of: Sized) -> None:
    found = of(TORCHTITAN, name="run.toml", world_size=8)
    assert found["model"] == "llama-3-8b"
    assert {"fsdp = on", "precision = bf16"} <= set(found["assumed"])
    assert found["not_modelled"] == ["recomputation of some operators only"]
    full = of(TORCHTITAN.replace("selective", "full"), name="run.toml", world_size=8)
    assert full["not_modelled"] == []
    assert found["device"]["low"] <= full["device"]["estimate"] < found["device"]["estimate"]


def test_an_engine_config_that_was_not_given_is_told(run: Run, tmp_path: Path) -> None:
    file, engine = tmp_path / "run.yaml", tmp_path / "ds_z3.json"
    file.write_text(LLAMA_FACTORY)
    assert "not counted: ds_z3.json" in run(str(file), "--gpu", "h100")[1]
    engine.write_text('{"zero_optimization": {"stage": 3}, "bf16": {"enabled": true}}')
    assert "not counted" not in run(str(file), str(engine), "--gpu", "h100", world_size=4)[1]


@pytest.mark.parametrize("text", [LLAMA_FACTORY, SWIFT + "deepspeed: ds.json\n"])
def test_nothing_is_claimed_without_the_engine_config_that_is_named(of: Sized, text: str) -> None:
    found = of(text.replace("lora\n", "full\n").replace("1.5B", "14B"), world_size=4)
    assert (found["verdict"], found["unknown"]) == ("unknown", ["zero_stage"])
    assert of(text, world_size=4, zero_stage=3)["verdict"] != "unknown"


def test_nothing_is_said_of_accumulation_where_there_is_no_setting_for_it(of: Sized) -> None:
    found = of(
        VERL.replace("=8 actor_rollout_ref.rollout.name", "=128 actor_rollout_ref.rollout.name"),
        name="run.sh",
    )
    assert not [line for line in found["assumed"] if "accumulation" in line]
    smaller = [r for r in found["remedies"] if r["name"] == "halve-micro-batch-keep-global-batch"]
    assert [[c["field"] for c in r["change"]] for r in smaller] == [["micro_batch_size"]]


@pytest.mark.parametrize(
    ("lines", "fused"),
    [
        ("dataset_name: d\nmax_length: 2048", "on"),
        ("dataset_name: d\nmax_length: 2048\nloss_type: nll", "off"),
        ("num_generations: 8\nmax_completion_length: 512", "off"),
        ("num_generations: 8\nuse_liger_kernel: true", "on"),
        ("num_generations: 8\nuse_liger_loss: true", "on"),
        ("beta: 0.1\nlearning_rate: 0.000001\nloss_type: sigmoid", "off"),
    ],
)
def test_only_trls_sft_computes_its_loss_in_chunks_by_itself(
    of: Sized, lines: str, fused: str
) -> None:
    found = of(f"model_name_or_path: Qwen/Qwen2.5-1.5B\nper_device_train_batch_size: 1\n{lines}\n")
    assert [a for a in found["assumed"] if a.startswith("fused_loss")] == [f"fused_loss = {fused}"]


def test_a_models_own_config_takes_no_training_settings(of: Sized) -> None:
    found = of(MODEL, name="model.json", micro_batch_size=64, sequence_length=4096)
    assert found["plan"]
    assert found["diff"] == ""


def test_the_dtype_that_a_model_is_published_in_is_not_that_of_its_training(of: Sized) -> None:
    found = of(MODEL, name="model.json", micro_batch_size=1, sequence_length=512)
    assert {c["field"] for c in found["choices"]} == {"precision", "parameter_dtype"}


@pytest.mark.parametrize(("preset", "stage"), [("zero2", 2), ("zero3_offload", 3), ("", 0)])
def test_a_preset_of_deepspeed_tells_its_stage(of: Sized, preset: str, stage: int) -> None:
    line = f"deepspeed: {preset}\n" if preset else ""
    found = of(SWIFT.replace("lora", "full") + line, world_size=4)
    assert ("zero_stage = 0" in found["assumed"]) is (stage == 0)
    assert (found["parts"]["optimizer"] == 0) is (preset == "zero3_offload")


@pytest.mark.parametrize(
    ("framework", "answer"), [("trl", "max_completion_length"), ("verl", "max_response_length")]
)
def test_a_sampled_sequence_is_the_longest_prompt_with_the_longest_answer(
    framework: str, answer: str
) -> None:
    lengths = {"max_prompt_length": 512, answer: 1024}
    stated = tuple(Setting((key,), n, Origin("given")) for key, n in lengths.items())
    for some, wanted in ((stated, 1536), (stated[1:], None)):
        config = settled(RunConfig(framework=framework, settings=some))[0]
        assert config.integer("sequence_length") == wanted


@pytest.mark.parametrize(
    ("ranks", "steps"),
    [
        ({}, 16),
        ({"data_parallel_size": 4}, 4),
        ({"fsdp": True}, 1),
        ({"world_size": 8, "tensor_parallel_size": 2}, 4),
    ],
)
def test_a_global_batch_tells_the_micro_batches_where_the_ranks_are_known(
    ranks: dict[str, Any], steps: int
) -> None:
    stated = {"global_batch_size": 32, "micro_batch_size": 2, **ranks}
    config = RunConfig(
        {k: Value(v, Origin("file")) for k, v in stated.items()}, framework="hf-trainer"
    )
    assert with_usual(config)[0].integer("gradient_accumulation_steps") == steps


SLIME = """ray job submit -- python3 train.py --actor-num-nodes 1 --actor-num-gpus-per-node 8 \\
 --hf-checkpoint /job/model --num-rollout 300 --rollout-batch-size 32 --n-samples-per-prompt 8 \\
 --micro-batch-size 1 --num-layers 36 --hidden-size 4096 --ffn-hidden-size 12288 \\
 --num-attention-heads 32 --num-query-groups 8 --vocab-size 151936 --seq-length 4096{}
"""


@pytest.mark.parametrize(
    ("more", "precision"), [("", "precision = bf16"), (" --fp16", "precision = fp16")]
)
def test_slime_shards_its_optimizer_without_a_flag(
    sized: Sized, tmp_path: Path, more: str, precision: str
) -> None:
    """Also where it states all that a launch of Megatron does."""
    file = tmp_path / "run.sh"
    file.write_text(SLIME.format(more))
    found = sized(str(file), "--gpu", "h100")
    assert (precision in found["assumed"]) is (more == "")
    assert "zero_stage = 1" in found["assumed"]
    assert "world_size = 1" not in found["assumed"]


@pytest.mark.parametrize(("more", "stage"), [({}, 1), ({"use_distributed_optimizer": False}, None)])
def test_megatron_swift_shards_its_optimizer_if_not_told_otherwise(
    more: dict[str, Any], stage: int | None
) -> None:
    given = Origin("given", framework="megatron-swift")
    settings = tuple(Setting((name,), value, given) for name, value in more.items())
    config, _ = settled(RunConfig({}, framework="megatron-swift", settings=settings))
    assert config.integer("zero_stage") == stage
