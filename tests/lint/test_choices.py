"""Words of keys that take a closed list, by framework: those of no release, and those of some."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
NAME = "flag-value-not-accepted"

MEGATRON = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096"
    " --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096"
    " --micro-batch-size 1 --global-batch-size 8 --lr 1e-4 --train-iters 1000 {more}\n"
)
HF = (
    "model_name_or_path: gpt2\nper_device_train_batch_size: 1\noutput_dir: o\n"
    "learning_rate: 1.0e-4\nnum_train_epochs: 1\n{more}\n"
)
FACTORY = (
    "model_name_or_path: gpt2\nstage: sft\ndo_train: true\nfinetuning_type: lora\n"
    "dataset: alpaca\noutput_dir: o\nper_device_train_batch_size: 1\n{more}\n"
)
AXOLOTL = (
    "base_model: gpt2\nsequence_len: 1024\nmicro_batch_size: 1\n"
    "datasets: [{{path: a, type: alpaca}}]\nlearning_rate: 1.0e-4\n{more}\n"
)
SWIFT = (
    "swift sft --model Qwen/Qwen2.5-7B-Instruct --dataset a.jsonl"
    " --per_device_train_batch_size 1 {more}\n"
)
VERL = (
    "python3 -m verl.trainer.main_ppo data.train_files=a data.max_prompt_length=512"
    " data.max_response_length=512 actor_rollout_ref.model.path=Qwen/Qwen2.5-7B"
    " trainer.n_gpus_per_node=8 {more}\n"
)
OPENRLHF = (
    "python -m openrlhf.cli.train_ppo_ray --pretrain gpt2 --prompt_data a"
    " --train_batch_size 8 {more}\n"
)
TITAN = '[model]\nname = "llama3"\nflavor = "8B"\n[training]\nlocal_batch_size = 1\nseq_len = 4096\nsteps = 9\n{more}\n'
NEOX = (
    "pipe-parallel-size: 1\nmodel-parallel-size: 1\nnum-layers: 2\nhidden-size: 128\n"
    "num-attention-heads: 2\nseq-length: 1024\nmax-position-embeddings: 1024\n"
    "train-iters: 100\nlr-decay-iters: 100\ntrain_micro_batch_size_per_gpu: 1\n"
    "optimizer: {{type: Adam, params: {{lr: 0.0001}}}}\n{more}\n"
)
SHELL, YAML, TOML = "run.sh", "train.yaml", "train.toml"


def _told(found: tuple[LintFinding, ...]) -> list[str]:
    return [f.severity for f in found if f.name == NAME]


@pytest.mark.parametrize(
    ("text", "name", "more", "severity"),
    [
        (MEGATRON, SHELL, "--lr-decay-style cos", "warning"),
        (MEGATRON, SHELL, "--transformer-impl te", "warning"),
        (MEGATRON, SHELL, "--recompute-granularity partial", "warning"),
        (MEGATRON, SHELL, "--ckpt-format torch_distributed", "warning"),
        (MEGATRON, SHELL, "--moe-token-dispatcher-type all2all", "warning"),
        (MEGATRON, SHELL, "--cp-comm-type ring", "warning"),
        (HF, YAML, "attn_implementation: flash_attn", "error"),
        (HF, YAML, "fsdp: full_shards", "error"),
        (HF, YAML, "fsdp: shard_full auto_wrap", "warning"),
        (HF, YAML, "fsdp: [full_shard, auto_wrp]", "error"),
        (HF, YAML, "log_level: verbose", "warning"),
        (HF, YAML, "torch_dtype: bf-16", "error"),
        (FACTORY, YAML, "template: qwen2.5", "error"),
        (FACTORY, YAML, "template: qwen2", "info"),
        (FACTORY, YAML, "template: qwen\ndeepspeed: zero3", "error"),
        (AXOLOTL, YAML, "chat_template: qwen2.5", "error"),
        (AXOLOTL, YAML, "deepspeed: zero3", "error"),
        (AXOLOTL, YAML, "fsdp: [full_shards]", "error"),
        (SWIFT, SHELL, "--deepspeed zero4", "error"),
        (SWIFT, SHELL, "--deepspeed zero-3", "error"),
        (SWIFT, SHELL, "--lr_scheduler_type cos", "warning"),
        (VERL, SHELL, "algorithm.adv_estimator=ppo", "error"),
        (VERL, SHELL, "actor_rollout_ref.actor.kl_loss_type=low_var", "warning"),
        (VERL, SHELL, "actor_rollout_ref.actor.optim.lr_scheduler_type=linear", "warning"),
        (VERL, SHELL, "actor_rollout_ref.actor.checkpoint.save_contents=[model,optim]", "warning"),
        (VERL, SHELL, "critic.strategy=deepspeed", "warning"),
        (VERL, SHELL, "actor_rollout_ref.model.fused_kernel_options.impl_backend=cuda", "warning"),
        (VERL, SHELL, "actor_rollout_ref.actor.fsdp_config.model_dtype=half_precision", "warning"),
        (FACTORY, YAML, "template: qwen\nfp8_backend: cutlass", "warning"),
        (NEOX, YAML, "distributed_backend: fastest", "warning"),
        (OPENRLHF, SHELL, "--policy_loss_type grpo", "error"),
        (OPENRLHF, SHELL, "--attn_implementation flash_attn", "error"),
        (TITAN, TOML, '[activation_checkpoint]\nselective_ac_option = "ops"', "error"),
        (TITAN, TOML, '[compile]\ncomponents = ["modl"]', "error"),
        (TITAN, TOML, '[parallelism]\ncontext_parallel_rotate_method = "ring"', "warning"),
    ],
)
def test_a_word_of_no_release_is_told(
    lint_text: Lint, text: str, name: str, more: str, severity: str
) -> None:
    assert _told(lint_text(text.format(more=more), name)) == [severity]


@pytest.mark.parametrize(
    ("text", "name", "more"),
    [
        (MEGATRON, SHELL, "--lr-decay-style WSD --lr-wsd-decay-style minus_sqrt"),
        (MEGATRON, SHELL, "--normalization rmsnorm"),  # Megatron-DeepSpeed spells it so
        (MEGATRON, SHELL, "--optimizer dist_muon"),
        (MEGATRON, SHELL, "--optimizer my_own"),  # forks bring others
        (MEGATRON, SHELL, "--tokenizer-type MyTokenizer"),
        (HF, YAML, 'fsdp: "hybrid_shard auto_wrap offload"'),
        (HF, YAML, "fsdp: [full_shard, auto_wrap]"),
        (HF, YAML, 'fsdp: ""'),
        (HF, YAML, "attn_implementation: kernels-community/flash-attn3"),
        (HF, YAML, "attn_implementation: sdpa"),
        (FACTORY, YAML, "template: my_own_template"),
        (FACTORY, YAML, "template: qwen\ndeepspeed: examples/zero3.json"),
        (AXOLOTL, YAML, "chat_template: tokenizer_default_fallback_chatml"),
        (SWIFT, SHELL, "--deepspeed zero3_offload --attn_impl flash_attn"),
        (SWIFT, SHELL, "--deepspeed $DS --lr_scheduler_type cosine_with_min_lr"),
        (VERL, SHELL, "algorithm.adv_estimator=my_estimator"),
        (VERL, SHELL, "actor_rollout_ref.actor.checkpoint.save_contents=[model,hf_model]"),
        (VERL, SHELL, "actor_rollout_ref.actor.kl_loss_type=low_var_kl"),
        (VERL, SHELL, "worker.actor.optim.strategy=adamw_bf16"),  # EasyR1's
        (NEOX, YAML, "distributed_backend: nccl"),
        (TITAN, TOML, '[activation_checkpoint]\nselective_ac_option = "2"'),
    ],
)
def test_a_word_of_some_release_or_of_one_s_own_is_not(
    lint_text: Lint, text: str, name: str, more: str
) -> None:
    assert _told(lint_text(text.format(more=more), name)) == []
