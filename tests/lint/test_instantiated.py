"""What Hydra, OmegaConf and torchtune make of a file, and names written longer than they are."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
HYDRA = """defaults:
  - _self_
  - model: gpt
root: ${oc.env:DATA_DIR}
output_dir: ${root}/runs
trainer:
  _target_: lightning.pytorch.Trainer
  max_epochs: 10
  devices: 8
  precision: bf16-mixed
  gradient_clip_val: 1.0
  accumulate_grad_batches: 4
  log_every_n_steps: 10
  default_root_dir: ${output_dir}/logs
optimizer:
  _target_: torch.optim.AdamW
  lr: 3e-4
  betas: [0.9, 0.95]
"""
TUNE = """output_dir: /tmp/lora
tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  path: /tmp/tokenizer.model
model:
  _component_: torchtune.models.llama3_1.lora_llama3_1_8b
  lora_attn_modules: [q_proj, v_proj, output_proj]
  lora_rank: 8
  lora_alpha: 16
checkpointer:
  _component_: torchtune.training.FullModelHFCheckpointer
  checkpoint_dir: /tmp/base
  output_dir: ${output_dir}
  model_type: LLAMA3
batch_size: 2
optimizer:
  _component_: torch.optim.AdamW
  lr: 3e-4
epochs: 1
clip_grad_norm: 1.0
"""
FAULTS = [
    (HYDRA, "max_epochs: 10", "max_epoch: 10", 8),
    (HYDRA, "accumulate_grad_batches", "gradient_accumulation_steps", 12),
    (HYDRA, "_target_: torch", "_target: torch", 16),
    (HYDRA, "torch.optim.AdamW", "torch.optim.Adamw", 16),
    (HYDRA, "${oc.env:DATA_DIR}", "${oc.env:DATA_DIR", 4),
    (HYDRA, "${output_dir}/logs", "${ouput_dir}/logs", 14),
    (TUNE, "${output_dir}", "${output_dri}", 13),
    (TUNE, "lora_llama3_1_8b", "lora_llama3_1_8B", 6),
    (TUNE, "FullModelHFCheckpointer", "FullModelHfCheckpointer", 11),
    (TUNE, "LLAMA3", "LLAMMA3", 14),
    (TUNE, "[q_proj", "[q_prj", 7),
]
SILENT = [
    (HYDRA, "lightning.pytorch.Trainer", "my.Trainer\n  max_epoch: 3"),
    (HYDRA, "max_epochs: 10", "max_epochs: 10\n  my_own_argument: 1"),
    (HYDRA, "${output_dir}/logs", "${model.name}/logs"),  # of a file of the defaults list
    (HYDRA, "${output_dir}/logs", "${model.name}/logs\nmodels: 3"),  # near one of this file
    (HYDRA, "torch.optim.AdamW", "my.optim.Adamw"),
    (TUNE, "${output_dir}", "${base_dir}"),
]
VERL = (
    "python3 -m verl.trainer.main_ppo data.train_files=a data.val_files=b \\\n"
    "  data.train_batch_size=1024 data.max_prompt_length=512 data.max_response_length=1024 \\\n"
    "  actor_rollout_ref.model.path=m actor_rollout_ref.rollout.name=vllm trainer.total_epochs=1\n"
)
OPENRLHF = (
    "deepspeed --module openrlhf.cli.train_sft --max_len 2048 --dataset d --input_key q \\\n"
    "  --train_batch_size 256 --micro_train_batch_size 2 --pretrain m --save_path out \\\n"
    "  --max_epochs 1 --bf16 --zero_stage 2 \\\n"
    "  --learning_rate 5e-6 --max_samples 500000\n"
)
SCRIPTS = [
    (VERL, "data.max_prompt_length", "data.max_prompt_len", 2),
    (OPENRLHF, "--learning_rate", "--lr", 4),
    (OPENRLHF, "--max_samples 500000", "--max_samples 500k", 4),
    (OPENRLHF, "--max_samples 500000", "--max_samples many", 4),
    (OPENRLHF, "--micro_train_batch_size", "--micro_batch_size", 2),
]


def _lines(found: tuple[LintFinding, ...]) -> set[int]:
    return {one.line for one in found if one.severity in ("error", "warning")}


@pytest.mark.parametrize(("text", "old", "new", "line"), FAULTS)
def test_what_is_built_is_told_at_its_line(
    lint_text: Lint, text: str, old: str, new: str, line: int
) -> None:
    assert old in text
    assert not _lines(lint_text(text))
    assert _lines(lint_text(text.replace(old, new, 1))) == {line}


@pytest.mark.parametrize(("text", "old", "new"), SILENT)
def test_what_others_may_have_is_not(lint_text: Lint, text: str, old: str, new: str) -> None:
    assert old in text
    assert not _lines(lint_text(text.replace(old, new, 1)))


@pytest.mark.parametrize(("text", "old", "new", "line"), SCRIPTS)
def test_names_and_numbers_of_a_command(
    lint_text: Lint, text: str, old: str, new: str, line: int
) -> None:
    assert old in text
    assert not _lines(lint_text(text, "run.sh"))
    assert line in _lines(lint_text(text.replace(old, new, 1), "run.sh"))
