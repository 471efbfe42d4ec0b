"""Arguments of training programs: each is told of, by an entry or by what the frameworks say of it."""

from __future__ import annotations

import json

import pytest

from medic.commands import main
from medic.explain.arguments import argument
from medic.index.knowledge import Index, load

# The arguments that recipes of the frameworks set most.
USED = """
per_device_train_batch_size gradient_accumulation_steps learning_rate lr_scheduler_type warmup_ratio
warmup_steps weight_decay max_grad_norm num_train_epochs max_steps optim adam_beta1 adam_beta2
adam_epsilon bf16 fp16 tf32 gradient_checkpointing logging_steps save_steps save_strategy
save_total_limit eval_steps eval_strategy load_best_model_at_end metric_for_best_model report_to seed
dataloader_num_workers dataloader_drop_last remove_unused_columns ddp_timeout
ddp_find_unused_parameters deepspeed fsdp fsdp_config torch_compile attn_implementation packing
max_length max_seq_length cutoff_len neftune_noise_alpha lora_alpha lora_dropout lora_target_modules
use_rslora val_set_size dataset_prepared_path sample_packing overwrite_output_dir push_to_hub
trust_remote_code num_generations max_prompt_length max_completion_length reduce_bucket_size
overlap_comm stage3_gather_16bit_weights_on_model_save data_parallel_shard_degree ppo_mini_batch_size
gpu_memory_utilization --micro-batch-size --global-batch-size --seq-length --lr-decay-style --split
--use-distributed-optimizer --recompute-granularity --sequence-parallel --no-load-optim
--overlap-grad-reduce --rampup-batch-size --distributed-timeout-minutes --exit-duration-in-mins
""".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def index() -> Index:
    return load()


@pytest.mark.parametrize("name", USED)
def test_each_is_told_of(name: str, capsys: pytest.CaptureFixture[str], state: object) -> None:
    assert main(["--lang", "en", "explain", name]) == 0
    head = capsys.readouterr().out.partition("\n")[0]
    assert head.endswith(("term of training", "config field of medic", "  argument"))


def test_what_the_frameworks_say_of_one(index: Index) -> None:
    data = argument("--logging_first_step", index)
    assert data is not None
    assert "transformers Trainer (TrainingArguments)" in data["frameworks"]
    assert data["values"].en == "true or false"
    rules = argument("--normalization=RMSNorm", index)
    assert rules is not None
    assert "Megatron-LM" in rules["frameworks"]


@pytest.mark.parametrize("asked", ["", "a", "the loss is nan", "SwiGLU", "foo_bar_baz", "--"])
def test_what_is_no_argument(index: Index, asked: str) -> None:
    assert argument(asked, index) is None


@pytest.mark.parametrize("words", [["exitcode", "-7"], ["--", "exitcode", "-7"], ["exitcode -7"]])
def test_words_that_begin_with_a_dash_are_asked_about(
    words: list[str], capsys: pytest.CaptureFixture[str], state: object
) -> None:
    assert main(["explain", "--lang", "en", *words]) == 0
    assert "SIGBUS" in capsys.readouterr().out


def test_options_stay_options(capsys: pytest.CaptureFixture[str], state: object) -> None:
    assert main(["explain", "prediction_loss_only", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["entry"]["kind"] == "argument"
    assert main(["explain", "--list"]) == 0
