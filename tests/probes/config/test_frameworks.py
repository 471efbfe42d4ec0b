"""Each framework entry reads a small configuration of its own kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from medic.probes.config.keys import Keys, Paths
from medic.probes.config.reading import PROBE
from medic.probes.flags.launches import launches_of

from medic.facts import Launches
from medic.run_config import FIELDS, RunConfig, Scalar
from medic.syntax import parse

Make = Callable[..., Any]

SAMPLES: list[tuple[str, str, str, dict[str, Scalar]]] = [
    ("axolotl", "a.yml",
     ("base_model: org/x\nmicro_batch_size: 2\ngradient_accumulation_steps: 4\nsequence_len: 4096\n"
     "learning_rate: 2e-4\nlora_r: 8\nbf16: auto\nflash_attention: true\n"),
     {"micro_batch_size": 2, "sequence_length": 4096, "learning_rate": 2e-4, "lora_rank": 8,
      "precision": None, "gradient_clip": 1.0}),
    ("llama-factory", "a.yaml",
     ("model_name_or_path: org/x\nfinetuning_type: lora\nstage: sft\ncutoff_len: 1024\n"
     "per_device_train_batch_size: 1\nmax_steps: -1\nwarmup_ratio: 0.1\n"),
     {"micro_batch_size": 1, "sequence_length": 1024, "total_steps": None, "warmup_ratio": 0.1}),
    ("torchtitan", "a.toml",
     ("[training]\nlocal_batch_size = 2\nglobal_batch_size = -1\nseq_len = 8192\nmax_norm = 0.5\n"
     "[parallelism]\ndata_parallel_shard_degree = -1\ntensor_parallel_degree = 8\n"),
     {"micro_batch_size": 2, "global_batch_size": None, "tensor_parallel_size": 8,
      "gradient_accumulation_steps": 1, "gradient_clip": 0.5}),
    ("gpt-neox", "a.yml",
     ('{"pipe-parallel-size": 0, "model_parallel_size": 2, "train_micro_batch_size_per_gpu": 4,\n'
     '"optimizer": {"type": "Adam", "params": {"lr": 0.0006}}, "lr-decay-iters": 100,\n'
     '"train-iters": 100, "fp16": {"enabled": true}, # c\n}'),
     {"pipeline_parallel_size": 1, "tensor_parallel_size": 2, "micro_batch_size": 4,
      "learning_rate": 6e-4, "decay_steps": 100, "precision": "fp16"}),
    ("nanotron", "a.yaml",
     ("tokens: {micro_batch_size: 2, batch_accumulation_per_replica: 3, sequence_length: 8,\n"
     "  train_steps: 9}\nparallelism: {dp: 4, tp: 2, pp: 1}\nmodel: {dtype: bfloat16}\n"),
     {"micro_batch_size": 2, "gradient_accumulation_steps": 3, "world_size": 8,
      "global_batch_size": 24, "precision": "bf16"}),
    ("nemo", "a.yaml",
     ("trainer: {devices: 8, num_nodes: 2, precision: bf16, accumulate_grad_batches: 1}\n"
     "exp_manager: {}\nmodel:\n  micro_batch_size: 4\n  global_batch_size: 128\n"
     "  tensor_model_parallel_size: 2\n  encoder_seq_length: 64\n"
     "  optim: {lr: 2e-4}\n"),
     {"micro_batch_size": 4, "data_parallel_size": 8, "gradient_accumulation_steps": 4,
      "learning_rate": 2e-4}),
    ("olmo", "a.yaml",
     ("device_train_microbatch_size: 2\nglobal_train_batch_size: 64\nmax_duration: 2e12T\n"
     "precision: amp_bf16\nmodel: {d_model: 64, n_layers: 2, max_sequence_length: 128}\n"),
     {"micro_batch_size": 2, "global_batch_size": 64, "total_steps": None, "precision": "bf16"}),
    ("litgpt", "a.yaml",
     ("train: {global_batch_size: 64, micro_batch_size: 4, max_tokens: 1000, lr_warmup_steps: 5}\n"
     "devices: 4\nnum_nodes: 2\nprecision: bf16-mixed\noptimizer: {init_args: {lr: 0.001}}\n"),
     {"global_batch_size": 64, "world_size": 8, "gradient_accumulation_steps": 2,
      "total_tokens": 1000, "learning_rate": 1e-3}),
    ("torchtune", "a.yaml",
     ("tokenizer: {_component_: x, max_seq_len: null}\nmodel: {_component_: m, lora_rank: 64}\n"
     "optimizer: {_component_: torch.optim.AdamW, lr: 3e-4}\nbatch_size: 2\n"
     "clip_grad_norm: null\ndtype: bf16\n"),
     {"micro_batch_size": 2, "learning_rate": 3e-4, "gradient_clip": 0.0, "lora_rank": 64}),
    ("verl", "a.yaml",
     ("data: {train_batch_size: 1024}\ntrainer: {nnodes: 2, n_gpus_per_node: 8, save_freq: -1}\n"
     "actor_rollout_ref: {actor: {optim: {lr: 1e-6}, ppo_mini_batch_size: 256}}\n"),
     {"world_size": 16, "global_batch_size": None, "learning_rate": 1e-6, "save_interval": None}),
    ("trl", "a.yaml",
     ("model_name_or_path: x\ndataset_name: y\nper_device_train_batch_size: 2\nmax_length: 512\n"
     "learning_rate: 1e-5\n"),
     {"micro_batch_size": 2, "sequence_length": 512, "activation_checkpointing": True}),
    ("ms-swift", "a.yaml",
     ("model: x\ndataset: y\ntrain_type: lora\nper_device_train_batch_size: 1\n"
     "torch_dtype: bfloat16\n"),
     {"precision": "bf16", "gradient_accumulation_steps": None, "weight_decay": 0.1}),
    ("lightning", "a.yaml",
     ("trainer: {devices: [0, 1], max_steps: 10, accumulate_grad_batches: 4,\n"
     "  gradient_clip_val: null, precision: 16-mixed}\ndata: {batch_size: 8}\n"),
     {"gpus_per_node": 2, "world_size": 2, "global_batch_size": 64, "gradient_clip": 0.0,
      "precision": "fp16"}),
    ("grouped", "a.yaml",
     ("training: {batch_size: 8, epochs: 3, lr: 0.001, gradient_clip_val: 1.0}\n"
     "optimization: {use_amp: yes, num_workers: 4, use_compile: off}\n"
     "distributed: {num_nodes: 2, gpus_per_node: 4}\nmodel: {hidden_size: 64}\n"),
     {"micro_batch_size": 8, "use_amp": True, "compile": False, "global_batch_size": 64}),
    ("hf-trainer", "training_args.json",
     '{"max_steps": 60, "warmup_steps": 100000, "bf16": true, "logging_steps": 5}',
     {"total_steps": 60, "warmup_steps": 100_000, "micro_batch_size": 8}),
    ("plain", "a.yaml",
     "lr: 1e-3\nbs: 4\ngrad_accum: 2\nblock_size: 64\nmax_iters: 100\ntoken_budget: 1.5B\n",
     {"learning_rate": 1e-3, "micro_batch_size": 4, "gradient_accumulation_steps": 2,
      "sequence_length": 64, "total_steps": 100, "total_tokens": 1_500_000_000}),
    ("megatron", "run.sh",
     ("torchrun --nproc_per_node 8 pretrain_gpt.py --micro-batch-size 2 --global-batch-size 32 "
     "--tensor-model-parallel-size 2 --seq-length 64 --train-iters 9 --bf16 "
     "--distributed-timeout-minutes 30\n"),
     {"data_parallel_size": 4, "gradient_accumulation_steps": 4, "precision": "bf16",
      "nccl_timeout": 1800}),
    ("", "ds_config.json",
     ('{"train_batch_size": 64, "fp16": {"enabled": "auto"}, "zero_optimization": {"stage": 3,\n'
     '"offload_optimizer": {"device": "cpu"}}, "gradient_clipping": 1.0}'),
     {"global_batch_size": 64, "precision": None, "zero_stage": 3, "optimizer_offload": "cpu"}),
    ("", "acc.yaml",
     ("compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nmixed_precision: 'no'\n"
     "num_machines: 2\nnum_processes: 16\n"),
     {"world_size": 16, "gpus_per_node": 8, "fsdp": True, "precision": None}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "file", "text", "expected"), SAMPLES,
                         ids=[s[0] or s[1] for s in SAMPLES])  # fmt: skip
def test_reads(look: Make, name: str, file: str, text: str, expected: dict[str, Scalar]) -> None:
    launches = launches_of(parse(text.encode(), file)) if file.endswith(".sh") else []
    made = look({file: text}, facts=[Launches(tuple(launches))])
    (config,) = [item for item in PROBE.run(made) if isinstance(item, RunConfig)]
    assert config.framework == name
    assert {field: config.get(field) for field in expected} == expected


def test_the_entries_hold(look: Make) -> None:
    entries = look().frameworks
    assert len({e.name for e in entries}) == len(entries)
    for entry in entries:
        assert set(entry.defaults) <= set(FIELDS)
        for field, value in entry.defaults.items():
            assert isinstance(value, (FIELDS[field][0], int)), (entry.name, field)
        for key in entry.keys:
            assert key.field in FIELDS
            means = [key.true_means, key.false_means, *key.values.values()]
            assert all(isinstance(m, (FIELDS[key.field][0], int)) for m in means if m is not None)


def test_paths_and_flags_find_the_same_key(look: Make) -> None:
    entries = {e.name: e for e in look().frameworks}
    plain = Keys(entries["plain"])
    grouped = Keys(entries["grouped"], plain)
    for found in (
        grouped.find(("training", "batch_size")),
        grouped.find(("training.batch-size",)),
        grouped.find_flag("--training-batch-size"),
        grouped.find_flag("--training.batch_size"),
    ):
        assert [key.field for _, key in found] == ["micro_batch_size"]
    assert [k.field for _, k in plain.find(("a", "scheduler", "total_steps"))] == ["decay_steps"]
    assert plain.find(("eval", "batch_size")) == []
    assert plain.find_flag("--nonsense") == []


def test_a_framework_is_told_by_all_keys_of_a_set(look: Make) -> None:
    entries = {e.name: e for e in look().frameworks}
    keys = Keys(entries["litgpt"])
    batch = [("train", "global_batch_size"), ("train", "micro_batch_size")]
    assert keys.specificity(Paths([*batch, ("train", "lr_warmup_steps")])) == 3
    assert keys.specificity(Paths(batch)) == 0  # names that any script may use
    assert keys.specificity(Paths([("train", "global_batch_size")])) == 0
