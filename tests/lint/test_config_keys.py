"""Misspelt and foreign keys of frameworks whose configurations are nested."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
NAME = "misspelt-config-key"
TITAN = (
    "[job]\n"
    'dump_folder = "./out"\n'
    "[training]\n"
    "local_batch_size = 2\n"
    "seq_len = 4096\n"
    "steps = 1000\n"
    "[optimizer]\n"
    "lr = 3e-4\n"
    "[parallelism]\n"
    "tensor_parallel_degree = 2\n"
    "[my_own]\n"
    "tensor_parallel_degrees = 2\n"
)
NANOTRON = (
    "tokens:\n"
    "  batch_accumulation_per_replica: 4\n"
    "  micro_batch_size: 2\n"
    "  sequence_length: 1024\n"
    "  train_steps: 100\n"
    "optimizer:\n"
    "  zero_stage: 0\n"
    "  weight_decay: 0.1\n"
    "  learning_rate_scheduler:\n"
    "    learning_rate: 0.0003\n"
    "    lr_warmup_style: linear\n"
    "    lr_warmup_steps: 5\n"
    "parallelism:\n"
    "  dp: 2\n"
    "  tp: 1\n"
    "  pp: 1\n"
    "data_stages:\n"
    "- name: main\n"
    "  start_training_step: 1\n"
    "  data:\n"
    "    num_loading_workers: 1\n"
)
OLMO = (
    "run_name: mine\n"
    "model:\n"
    "  d_model: 1024\n"
    "  n_heads: 16\n"
    "  max_sequence_length: 2048\n"
    "optimizer:\n"
    "  name: adamw\n"
    "  learning_rate: 3.0e-4\n"
    "scheduler:\n"
    "  name: cosine_with_warmup\n"
    "  t_warmup: 200\n"
    "global_train_batch_size: 512\n"
    "device_train_microbatch_size: 4\n"
    "max_duration: 10000\n"
)
VERL = (
    "actor_rollout_ref:\n"
    "  actor:\n"
    "    ppo_mini_batch_size: 256\n"
    "    ppo_micro_batch_size_per_gpu: 8\n"
    "    optim:\n"
    "      lr: 1e-6\n"
    "      lr_warmup_steps_ratio: 0.1\n"
    "  rollout:\n"
    "    gpu_memory_utilization: 0.5\n"
    "data:\n"
    "  train_batch_size: 1024\n"
    "trainer:\n"
    "  total_epochs: 3\n"
)
NEMO = (
    "trainer:\n"
    "  devices: 8\n"
    "  num_nodes: 1\n"
    "  max_steps: 1000\n"
    "exp_manager:\n"
    "  name: mine\n"
    "model:\n"
    "  micro_batch_size: 1\n"
    "  global_batch_size: 8\n"
    "  tensor_model_parallel_size: 1\n"
    "  pipeline_model_parallel_size: 1\n"
)
MEGATRON = (
    "MODEL_ARGS:\n"
    "  --micro-batch-size: 2\n"
    "  --train-iters: 100\n"
    "  --lr-decay-style: cosine\n"
    "  --my-own-switch: true\n"
    "ENV_VARS:\n"
    "  TRAIN_ITER: 1\n"
)
ENGINE = (
    '{"train_micro_batch_size_per_gpu": 2,\n'
    ' "scheduler": {"type": "WarmupLR", "params": {\n'
    '   "warmup_num_steps": 100}},\n'
    ' "compression_training": {"weight_quantization": {"different_groups": {"mine": {\n'
    '   "params": {\n'
    '     "quantization_period": 50}}}}}}\n'
)
# A part of verl's configuration, which stands in a file of its own.
PART = (
    "strategy: fsdp\n"
    "param_offload: false\n"
    "optimizer_offload: false\n"
    "reshard_after_forward: true\n"
    "fsdp_size: -1\n"
    "forward_prefetch: false\n"
    "model_dtype: fp32\n"
    "use_orig_params: false\n"
    "seed: 42\n"
)
CLEAN = {
    "titan.toml": TITAN,
    "nanotron.yaml": NANOTRON,
    "olmo.yaml": OLMO,
    "verl.yaml": VERL,
    "nemo.yaml": NEMO,
    "megatron.yaml": MEGATRON,
    "ds_config.json": ENGINE,
    "fsdp.yaml": PART,
}
MUTATIONS = [
    ("titan.toml", "seq_len", "seqlen", 5, "seq_len is meant"),
    ("titan.toml", "local_batch_size", "micro_batch_size", 4, "here it is local_batch_size"),
    ("titan.toml", "lr =", "learning_rate =", 8, "here it is lr"),
    ("titan.toml", "[optimizer]", "[optimiser]", 7, "optimizer is meant"),
    ("titan.toml", "tensor_parallel_degree =", "tensor_paralel_degree =", 10, "tensor_parallel"),
    ("nanotron.yaml", "train_steps", "train_step", 5, "train_steps is meant"),
    ("nanotron.yaml", "lr_warmup_steps", "lr_warmup_step", 12, "lr_warmup_steps is meant"),
    ("nanotron.yaml", "micro_batch_size", "per_device_train_batch_size", 3, "micro_batch_size"),
    ("nanotron.yaml", "num_loading_workers", "num_loading_worker", 21, "num_loading_workers"),
    ("olmo.yaml", "t_warmup", "t_warmpu", 11, "t_warmup is meant"),
    ("olmo.yaml", "global_train_batch_size", "global_train_batchsize", 12, "global_train_batch"),
    ("olmo.yaml", "learning_rate", "learnig_rate", 8, "learning_rate is meant"),
    ("verl.yaml", "ppo_mini_batch_size", "ppo_minibatch_size", 3, "ppo_mini_batch_size is meant"),
    ("verl.yaml", "gpu_memory_utilization", "gpu_memory_utilisation", 9, "gpu_memory_utilization"),
    ("verl.yaml", "total_epochs", "total_epoch", 13, "total_epochs is meant"),
    ("nemo.yaml", "max_steps", "max_step", 4, "max_steps is meant"),
    ("nemo.yaml", "tensor_model_parallel_size", "tensor_model_paralel_size", 10, "tensor_model"),
    ("megatron.yaml", "--train-iters", "--train-iter", 3, "--train-iters is meant"),
    ("megatron.yaml", "--lr-decay-style", "--lr-decay-stlye", 4, "--lr-decay-style is meant"),
    ("ds_config.json", "warmup_num_steps", "warmup_num_step", 3, "warmup_num_steps is meant"),
    ("ds_config.json", "quantization_period", "quantisation_period", 6, "quantization_period"),
    ("fsdp.yaml", "optimizer_offload", "optimiser_offload", 3, "optimizer_offload is meant"),
]


@pytest.mark.parametrize("name", CLEAN)
def test_the_clean_files_have_no_such_key(lint_text: Lint, name: str) -> None:
    assert NAME not in [f.name for f in lint_text(CLEAN[name], name)]


@pytest.mark.parametrize(("name", "old", "new", "line", "says"), MUTATIONS)
def test_a_misspelt_key_is_told(
    lint_text: Lint, name: str, old: str, new: str, line: int, says: str
) -> None:
    text = CLEAN[name]
    assert old in text
    found = [f for f in lint_text(text.replace(old, new, 1), name) if f.name == NAME]
    assert [f.line for f in found] == [line]
    assert says in found[0].message.en


@pytest.mark.parametrize("key", ["betas", "rms_norm_epsilon_2", "beta", "my_scheduler"])
def test_a_key_of_ones_own_means_no_other(lint_text: Lint, key: str) -> None:
    text = NANOTRON.replace("zero_stage: 0\n", f"zero_stage: 0\n  {key}: 1\n")
    found = [f for f in lint_text(text, "nanotron.yaml") if f.name == NAME]
    assert [(f.severity, f.fix) for f in found] == [("warning", None)]  # nanotron refuses it
    own = NANOTRON.replace("data_stages:", f"my_own:\n  {key}: 1\ndata_stages:")
    assert NAME not in [f.name for f in lint_text(own, "nanotron.yaml")]


@pytest.mark.parametrize(("old", "new"), [("gradient_clipping", "max_grad_norm")])
def test_a_name_of_another_block_is_wrong_in_this_one(lint_text: Lint, old: str, new: str) -> None:
    text = (
        '{{\n  "train_micro_batch_size_per_gpu": 2,\n  "{}": 1.0,\n  "zero_optimization": '
        '{{"stage": 2}},\n  "optimizer": {{"type": "AdamW", "params": {{"lr": 1e-4}}}}\n}}\n'
    )
    assert [f.name for f in lint_text(text.format(old), "ds.json") if f.severity == "error"] == []
    found = [f for f in lint_text(text.format(new), "ds.json") if f.severity == "error"]
    assert [(f.name, f.line) for f in found] == [("misspelt-config-key", 3)]
