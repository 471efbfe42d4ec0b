"""Single values: text for a number, parts of counts, misspelt words, what is below zero."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Changed = Callable[[str, str, str, str], list[tuple[str, int]]]
Lint = Callable[..., tuple[LintFinding, ...]]

AXOLOTL = """base_model: some/base
adapter: lora
lora_r: 16
lora_alpha: 32
lora_dropout: 0.05
micro_batch_size: 2
gradient_accumulation_steps: 4
sequence_len: 2048
num_epochs: 3
learning_rate: 0.0001
warmup_steps: 10
lr_scheduler: cosine
optimizer: adamw_torch
max_grad_norm: 1.0
dataloader_num_workers: 2
bf16: true
"""
FACTORY = """model_name_or_path: some/base
stage: sft
do_train: true
finetuning_type: lora
lora_rank: 8
dataset: own
template: llama3
cutoff_len: 2048
flash_attn: fa2
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
learning_rate: 1.0e-4
num_train_epochs: 3.0
save_steps: 500
output_dir: out
bf16: true
"""
NEOX = """{
  "pipe_parallel_size": 1,
  "model_parallel_size": 1,
  "num_layers": 12,
  "hidden_size": 768,
  "num_attention_heads": 12,
  "seq_length": 2048,
  "max_position_embeddings": 2048,
  "pos_emb": "rotary",
  "norm": "rmsnorm",
  "activation": "gelu",
  "optimizer": {"type": "Adam", "params": {"lr": 0.0006}},
  "train_micro_batch_size_per_gpu": 4,
  "train_iters": 1000,
  "lr_decay_iters": 1000,
  "lr_decay_style": "cosine",
  "checkpoint_factor": 100,
  "warmup": 0.01
}
"""
ENGINE = """{
  "train_micro_batch_size_per_gpu": 4,
  "gradient_accumulation_steps": 2,
  "gradient_clipping": 1.0,
  "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}},
  "zero_optimization": {"stage": 2},
  "bf16": {"enabled": true}
}
"""
BATCH = """{
  "train_batch_size": 64,
  "train_micro_batch_size_per_gpu": 4,
  "gradient_accumulation_steps": 2,
  "zero_optimization": {"stage": 2}
}
"""
MEGATRON = """torchrun --nnodes 1 --nproc_per_node 8 pretrain_gpt.py \\
  --num-layers 24 --hidden-size 2048 --num-attention-heads 16 \\
  --seq-length 2048 --max-position-embeddings 2048 \\
  --micro-batch-size 4 --global-batch-size 64 \\
  --train-iters 10000 --lr-decay-iters 10000 --lr-warmup-iters 100 \\
  --lr 3e-4 --min-lr 3e-5 --lr-decay-style cosine --bf16 \\
  --normalization RMSNorm --position-embedding-type rope --clip-grad 1.0 \\
  --save ckpt --save-interval 500 --eval-interval 500 --log-interval 10
"""
VERL = """python3 -m verl.trainer.main_ppo \\
  algorithm.adv_estimator=grpo \\
  data.train_files=a.parquet data.val_files=b.parquet \\
  data.train_batch_size=64 data.max_prompt_length=512 data.max_response_length=512 \\
  actor_rollout_ref.model.path=some/base \\
  actor_rollout_ref.actor.ppo_mini_batch_size=64 \\
  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 \\
  actor_rollout_ref.rollout.name=vllm \\
  actor_rollout_ref.rollout.gpu_memory_utilization=0.6 \\
  actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4 \\
  actor_rollout_ref.rollout.tensor_model_parallel_size=1 \\
  actor_rollout_ref.rollout.n=8 \\
  trainer.n_gpus_per_node=8 trainer.nnodes=1 trainer.save_freq=20
"""
IMPOSSIBLE, NOT_TAKEN = "impossible-value", "flag-value-not-accepted"
NO_EFFECT, NEVER = "option-without-effect", "checkpoints-never-saved"
MULTIPLE = "global-batch-not-multiple-of-micro"
MUTATIONS = [
    (AXOLOTL, "a.yaml", "micro_batch_size: 2", "micro_batch_size: eight", IMPOSSIBLE, 6),
    (NEOX, "a.yml", '"cosine"', '"step"', NOT_TAKEN, 16),
    (AXOLOTL, "a.yaml", "micro_batch_size: 2", "micro_batch_size: 2.5", IMPOSSIBLE, 6),
    (AXOLOTL, "a.yaml", "learning_rate: 0.0001", "learning_rate: 1e-4x", IMPOSSIBLE, 10),
    (AXOLOTL, "a.yaml", "learning_rate: 0.0001", "learning_rate: -0.0001", IMPOSSIBLE, 10),
    (AXOLOTL, "a.yaml", "warmup_steps: 10", "warmup_steps: -100", IMPOSSIBLE, 11),
    (AXOLOTL, "a.yaml", "num_workers: 2", "num_workers: -4", IMPOSSIBLE, 15),
    (AXOLOTL, "a.yaml", "epochs: 3", "epochs: -3", IMPOSSIBLE, 9),
    (AXOLOTL, "a.yaml", "lora_r: 16", "lora_r: 0", IMPOSSIBLE, 3),
    (AXOLOTL, "a.yaml", "norm: 1.0", "norm: -1.0", NO_EFFECT, 14),
    (AXOLOTL, "a.yaml", "scheduler: cosine", "scheduler: cosnie", NOT_TAKEN, 12),
    (AXOLOTL, "a.yaml", "adapter: lora", "adapter: lroa", NOT_TAKEN, 2),
    (AXOLOTL, "a.yaml", "bf16: true", "bf16: ture", NOT_TAKEN, 16),
    (FACTORY, "a.yaml", "stage: sft", "stage: stf", NOT_TAKEN, 2),
    (FACTORY, "a.yaml", "stage: sft", "stage: instruct", NOT_TAKEN, 2),
    (FACTORY, "a.yaml", "type: lora", "type: qlora", NOT_TAKEN, 4),
    (FACTORY, "a.yaml", "flash_attn: fa2", "flash_attn: diasbled", NOT_TAKEN, 9),
    (FACTORY, "a.yaml", "do_train: true", "do_train: treu", NOT_TAKEN, 3),
    (FACTORY, "a.yaml", "save_steps: 500", "save_steps: 0", NEVER, 14),
    (FACTORY, "a.yaml", "save_steps: 500", "save_steps: 500.5", IMPOSSIBLE, 14),
    (NEOX, "a.yml", '"rotary"', '"roatry"', NOT_TAKEN, 9),
    (NEOX, "a.yml", '"rmsnorm"', '"rmsnrom"', NOT_TAKEN, 10),
    (NEOX, "a.yml", '"cosine"', '"cosien"', NOT_TAKEN, 16),
    (NEOX, "a.yml", '"checkpoint_factor": 100', '"checkpoint_factor": 0', NEVER, 17),
    (ENGINE, "ds.json", '"stage": 2', '"stage": 5', IMPOSSIBLE, 6),
    (ENGINE, "ds.json", '"AdamW"', '"AdmaW"', NOT_TAKEN, 5),
    (ENGINE, "ds.json", '_clipping": 1.0', '_clipping": -1.0', NO_EFFECT, 4),
    (ENGINE, "ds.json", 'per_gpu": 4', 'per_gpu": 0', IMPOSSIBLE, 2),
    (BATCH, "ds.json", '"train_batch_size": 64', '"train_batch_size": 60', MULTIPLE, 2),
    (MEGATRON, "a.sh", "--lr-decay-style cosine", "--lr-decay-style cosin", NOT_TAKEN, 6),
    (MEGATRON, "a.sh", "RMSNorm", "RSMNorm", NOT_TAKEN, 7),
    (MEGATRON, "a.sh", "--micro-batch-size 4", "--micro-batch-size 4,000", IMPOSSIBLE, 4),
    (MEGATRON, "a.sh", "--train-iters 10000", "--train-iters 10000.5", IMPOSSIBLE, 5),
    (VERL, "a.sh", "memory_utilization=0.6", "memory_utilization=1.6", IMPOSSIBLE, 9),
    (VERL, "a.sh", "adv_estimator=grpo", "adv_estimator=grop", NOT_TAKEN, 2),
    (VERL, "a.sh", "ppo_micro_batch_size_per_gpu=4", "ppo_micro_batch_size_per_gpu=0", IMPOSSIBLE, 7),
    (FACTORY, "a.yaml", "bf16: true", "bf16: tree", IMPOSSIBLE, 16),
    (FACTORY, "a.yaml", "template: llama3", "template: llmaa3", NOT_TAKEN, 7),
    (FACTORY, "a.yaml", "template: llama3", "template: qwn", NOT_TAKEN, 7),
    (FACTORY, "a.yaml", "flash_attn: fa2", "flash_attn: fa22", NOT_TAKEN, 9),
    (FACTORY, "a.yaml", "_rank: 8", "_rank: 8\nlora_target: q_proj,v_prj", NOT_TAKEN, 6),
    (AXOLOTL, "a.yaml", "lora_r: 16", "lora_r: 16\nlora_target_modules: [q_proj, v_prj]", NOT_TAKEN, 4),
    (AXOLOTL, "a.yaml", "bf16: true", "bf16: true\ntorch_dtype: bf61", NOT_TAKEN, 17),
    (ENGINE, "ds.json", '_steps": 2', '_steps": "$((4*2))"', IMPOSSIBLE, 3),
    (FACTORY, "a.yaml", "lora_rank: 8", "lora_rank: 8\nlora_alpha: 16k", IMPOSSIBLE, 6),
    (FACTORY, "a.yaml", "lora_rank: 8", "lora_rank: 8\nlora_dropout: 5%", IMPOSSIBLE, 6),
    (FACTORY, "a.yaml", "lora_rank: 8", "lora_rank: 8\nlora_alpha: [16]", IMPOSSIBLE, 6),
    (FACTORY, "a.yaml", "do_train: true", "do_train: 2", IMPOSSIBLE, 3),
    (FACTORY, "a.yaml", "1.0e-4", "1*10^-4", IMPOSSIBLE, 12),
    (FACTORY, "a.yaml", "1.0e-4", "1e- 4", IMPOSSIBLE, 12),
    (FACTORY, "a.yaml", "save_steps: 500", "save_steps: 500 steps", IMPOSSIBLE, 14),
    (AXOLOTL, "a.yaml", "optimizer: adamw_torch", "optimizer: ADAMW_TORCH", NOT_TAKEN, 13),
    (AXOLOTL, "a.yaml", "bf16: true", "bf16: auto\nfp16: true", "options-exclude-each-other", 17),
    (FACTORY, "a.yaml", "stage: sft", "stage: SFT", NOT_TAKEN, 2),
    (AXOLOTL, "a.yaml", "num_epochs: 3", "num_epochs: 0", IMPOSSIBLE, 9),
    (AXOLOTL, "a.yaml", "accumulation_steps: 4", "accumulation_steps: -1", IMPOSSIBLE, 7),
    (AXOLOTL, "a.yaml", "learning_rate: 0.0001", "learning_rate: 1e-12", IMPOSSIBLE, 10),
    (AXOLOTL, "a.yaml", "learning_rate: 0.0001", "learning_rate: le-4", IMPOSSIBLE, 10),
    (AXOLOTL, "a.yaml", "bf16: true", "bf16: true\nval_set_size: -0.1", IMPOSSIBLE, 17),
    (AXOLOTL, "a.yaml", "bf16: true", "bf16: true\nshuffle_buffer: 100,", IMPOSSIBLE, 17),
    (FACTORY, "a.yaml", "do_train: true", 'do_train: "false"', "option-reads-otherwise", 3),
    (ENGINE, "ds.json", '"stage": 2', '"stage": -1', IMPOSSIBLE, 6),
    (ENGINE, "ds.json", '{"lr": 1e-4}', '{"lr": 1e-4, "betas": [0.9, 9.5]}', IMPOSSIBLE, 5),
    (NEOX, "a.yml", '"train_iters": 1000', '"train_iters": 0', IMPOSSIBLE, 14),
]  # fmt: skip
QUIET = [
    (AXOLOTL, "a.yaml", "num_epochs: 3", "num_epochs: 0\nmax_steps: 100"),
    (AXOLOTL, "a.yaml", "learning_rate: 0.0001", "learning_rate: 1.0e-6"),
    (AXOLOTL, "a.yaml", "bf16: true", "bf16: true\ngpu_ids: 0,"),
    (FACTORY, "a.yaml", "do_train: true", 'do_train: "true"'),
    (ENGINE, "ds.json", '{"lr": 1e-4}', '{"lr": 1e-4, "betas": [0.9, 0.95]}'),
    (FACTORY, "a.yaml", "template: llama3", "template: my_own"),
    (FACTORY, "a.yaml", "template: llama3", "template: llama7"),
    (FACTORY, "a.yaml", "lora_rank: 8", "lora_rank: 8\nlora_target: q_proj,my_proj"),
    (AXOLOTL, "a.yaml", "bf16: true", "bf16: true\ntorch_dtype: fp8"),
    (VERL, "a.sh", "rollout.name=vllm", "rollout.name='${oc.select:rollout.engine,vllm}'"),
    (AXOLOTL, "a.yaml", "learning_rate: 0.0001", "learning_rate: ${LR}"),
    (FACTORY, "a.yaml", "flash_attn: fa2", "flash_attn: auto"),
    (FACTORY, "a.yaml", "save_steps: 500", "save_strategy: epoch\nsave_steps: 0"),
    (FACTORY, "a.yaml", "lora_rank: 8", "lora_rank: 8\nlora_alpha: ${ALPHA}"),
    (FACTORY, "a.yaml", "lora_rank: 8", "lora_rank: 8\nlora_alpha: null"),
    (MEGATRON, "a.sh", "--lr 3e-4", "--lr $LR"),
]


@pytest.mark.parametrize(("text", "name"), list(dict.fromkeys((r[0], r[1]) for r in MUTATIONS)))
def test_clean_files_are_silent(lint_text: Lint, text: str, name: str) -> None:
    assert [f for f in lint_text(text, name) if f.severity != "info"] == []


@pytest.mark.parametrize(("text", "name", "old", "new", "cause", "line"), MUTATIONS)
def test_each_mutation_fires(
    lint_text: Lint, text: str, name: str, old: str, new: str, cause: str, line: int
) -> None:
    assert old in text
    found = lint_text(text.replace(old, new), name)
    assert [(f.name, f.line) for f in found if f.severity != "info"] == [(cause, line)]


@pytest.mark.parametrize(("text", "name", "old", "new"), QUIET)
def test_what_may_be_right_is_left_alone(
    lint_changed: Changed, text: str, name: str, old: str, new: str
) -> None:
    told = {name for name, _ in lint_changed(text, name, old, new)}
    assert told.isdisjoint((IMPOSSIBLE, NOT_TAKEN, NO_EFFECT, NEVER))


AXOLOTL = """base_model: some/model
micro_batch_size: 2
datasets:
  - path: some/set
    type: {}
    shards: 4
"""


def test_words_in_the_blocks_of_a_list_are_judged(lint_text: Lint) -> None:
    told = [(f.name, f.line) for f in lint_text(AXOLOTL.format("alapca"), "config.yaml")]
    assert ("flag-value-not-accepted", 5) in told
    for word in ("alpaca", "my_own_type", "chat_template"):
        found = lint_text(AXOLOTL.format(word), "config.yaml")
        assert [f for f in found if f.name == "flag-value-not-accepted"] == []
