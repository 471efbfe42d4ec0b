"""Shapes, batches and parallel sizes: clean launches are silent, each mutation fires in place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Changed = Callable[[str, str, str, str], list[tuple[str, int]]]
Lint = Callable[..., tuple[LintFinding, ...]]

MEGATRON = """torchrun --nnodes 2 --nproc_per_node 8 pretrain_gpt.py \\
  --num-layers 24 --hidden-size 2048 --num-attention-heads 32 --ffn-hidden-size 8192 \\
  --group-query-attention --num-query-groups 8 \\
  --tensor-model-parallel-size 2 --sequence-parallel \\
  --pipeline-model-parallel-size 2 \\
  --context-parallel-size 2 \\
  --seq-length 4096 --max-position-embeddings 4096 \\
  --micro-batch-size 1 --global-batch-size 64 \\
  --lr 1e-4 --lr-warmup-iters 10 --bf16 --train-iters 1000
"""
MOE = """torchrun --nnodes 1 --nproc_per_node 8 pretrain_gpt.py \\
  --num-layers 12 --hidden-size 1024 --num-attention-heads 16 \\
  --num-experts 16 \\
  --expert-model-parallel-size 4 \\
  --seq-length 2048 --max-position-embeddings 2048 \\
  --micro-batch-size 1 --global-batch-size 64 --lr 1e-4 --lr-warmup-iters 10 --bf16 \\
  --train-iters 1000
"""
NANOTRON = """parallelism:
  dp: 4
  tp: 2
  pp: 1
model:
  model_config:
    hidden_size: 1024
    num_attention_heads: 16
    num_key_value_heads: 4
    num_hidden_layers: 8
    intermediate_size: 4096
tokens:
  micro_batch_size: 4
  batch_accumulation_per_replica: 2
  sequence_length: 2048
  train_steps: 1000
"""
NEOX = """model_parallel_size: 2
pipe_parallel_size: 1
num_layers: 12
hidden_size: 768
num_attention_heads: 12
seq_length: 2048
max_position_embeddings: 2048
train_micro_batch_size_per_gpu: 4
train_iters: 1000
lr_decay_iters: 1000
warmup: 0.01
"""
ACCELERATE = """compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
machine_rank: 0
num_machines: 2
num_processes: 16
"""
PLAIN = """model:
  hidden_size: 1024
  num_attention_heads: 16
  max_position_embeddings: 4096
train:
  world_size: 16
  tp_size: 2
  dp_size: 8
  seq_length: 4096
  global_batch_size: 64
"""
BATCH = "optimizer:\n  lr: 1.0e-4\nmicro_batch_size: 4\nglobal_batch_size: 64\n"
DIVIDES = "model-not-divisible-by-parallel-size"
WORLD = "parallel-sizes-exceed-world"
SEQUENCE = "sequence-not-divisible-by-parallel-size"
MUTATIONS = [
    (MEGATRON, "a.sh", "heads 32", "heads 31", "hidden-size-not-divisible-by-heads", 2),
    (MEGATRON, "a.sh", "groups 8", "groups 3", "heads-not-divisible-by-kv-heads", 3),
    (MEGATRON, "a.sh", "layers 24", "layers 25", DIVIDES, 5),
    (MEGATRON, "a.sh", "ffn-hidden-size 8192", "ffn-hidden-size 8191", DIVIDES, 4),
    (
        MEGATRON,
        "a.sh",
        "pipeline-model-parallel-size 2",
        "pipeline-model-parallel-size 3",
        WORLD,
        5,
    ),
    (MEGATRON, "a.sh", "context-parallel-size 2", "context-parallel-size 3", WORLD, 6),
    (MEGATRON, "a.sh", "seq-length 4096", "seq-length 4095", SEQUENCE, 7),
    (
        MEGATRON,
        "a.sh",
        "seq-length 4096",
        "seq-length 8192",
        "sequence-longer-than-position-limit",
        7,
    ),
    (MEGATRON, "a.sh", "global-batch-size 64", "global-batch-size 2", "pipeline-mostly-idle", 5),
    (MOE, "a.sh", "num-experts 16", "num-experts 6", DIVIDES, 4),
    (MOE, "a.sh", "parallel-size 4", "parallel-size 16", WORLD, 4),
    (NANOTRON, "a.yaml", "tp: 2", "tp: 8", DIVIDES, 3),
    (NANOTRON, "a.yaml", "_heads: 16", "_heads: 18", "hidden-size-not-divisible-by-heads", 8),
    (NEOX, "a.yml", "_heads: 12", "_heads: 10", "hidden-size-not-divisible-by-heads", 5),
    (
        NEOX,
        "a.yml",
        "seq_length: 2048",
        "seq_length: 4096",
        "sequence-longer-than-position-limit",
        6,
    ),
    (NEOX, "a.yml", "hidden_size: 768", "hidden_size: 780", "head-size-unsuited", 5),
    (ACCELERATE, "a.yaml", "processes: 16", "processes: 15", "processes-uneven-over-nodes", 5),
    (PLAIN, "a.yaml", "tp_size: 2", "tp_size: 3", WORLD, 7),
    (PLAIN, "a.yaml", "dp_size: 8", "dp_size: 4", WORLD, 8),
    (PLAIN, "a.yaml", "seq_length: 4096", "seq_length: 8192", "positions-beyond-trained", 9),
    (
        PLAIN,
        "a.yaml",
        "batch_size: 64",
        "batch_size: 60",
        "global-batch-not-divisible-by-replicas",
        10,
    ),
    (
        BATCH,
        "a.yaml",
        "global_batch_size: 64",
        "global_batch_size: 66",
        "global-batch-not-multiple-of-micro",
        4,
    ),
]


@pytest.mark.parametrize(("text", "name"), list(dict.fromkeys((r[0], r[1]) for r in MUTATIONS)))
def test_clean_files_are_silent(lint_text: Lint, text: str, name: str) -> None:
    assert lint_text(text, name) == ()


@pytest.mark.parametrize(("text", "name", "old", "new", "cause", "line"), MUTATIONS)
def test_each_mutation_fires(
    lint_changed: Changed, text: str, name: str, old: str, new: str, cause: str, line: int
) -> None:
    assert lint_changed(text, name, old, new) == [(cause, line)]
