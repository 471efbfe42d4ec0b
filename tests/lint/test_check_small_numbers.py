"""Intervals, sizes and numbers of which one file states what does not go together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
MEGATRON = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py \\\n"
    "  --micro-batch-size 2 --global-batch-size 64 --train-iters 10000 \\\n"
    "  --save ckpt --save-interval 1000 \\\n"
    "  --save-retain-interval 2000 \\\n"
    "  --log-interval 10 \\\n"
    "  --log-memory-interval 100 --lr 1e-4\n"
)
TITAN = (
    "[job]\ndump_folder = 'o'\n[training]\nlocal_batch_size = 2\nsteps = 1000\n[parallelism]\n"
    "data_parallel_replicate_degree = 2\ndata_parallel_shard_degree = 4\n"
    "tensor_parallel_degree = 2\nexpert_parallel_degree = 4\n"
)
GO = "torchrun --nproc_per_node=8 --nnodes=2 -m torchtitan.train --job.config_file a.toml\n"
TRAINER = "output_dir: o\nper_device_train_batch_size: 10\nmax_steps: 100\nlearning_rate: 1.0e-5\n"
ENGINE = (
    '{"train_micro_batch_size_per_gpu": 10,\n "bf16": {"enabled": true},\n'
    ' "zero_optimization": {"stage": 1}}\n'
)
FSDP2 = (
    "ENV_VARS:\n  CUDA_DEVICE_MAX_CONNECTIONS: 8\nMODEL_ARGS:\n  --micro-batch-size: 1\n"
    "  --train-iters: 10\n  --use-torch-fsdp2: true\n  --ckpt-format: torch_dist\n"
    "  --untie-embeddings-and-output-weights: true\n  --no-gradient-accumulation-fusion: true\n"
)
MEGATRON_FSDP = FSDP2.replace("use-torch-fsdp2", "use-megatron-fsdp").replace(
    "torch_dist", "fsdp_dtensor"
)
HF = TRAINER + "deepspeed: ds.json\nbf16: true\n"
MUTATIONS = [
    ("go.sh", MEGATRON, {}, "interval 2000", "interval 2500", "interval-not-multiple", 4),
    ("go.sh", MEGATRON, {}, "interval 100 ", "interval 105 ", "interval-not-multiple", 6),
    (
        "a.toml", TITAN, {"go.sh": GO}, "shard_degree = 4", "shard_degree = 2",
        "parallel-sizes-exceed-world", 8,
    ),
    (
        "a.toml", TITAN, {"go.sh": GO}, "expert_parallel_degree = 4", "expert_parallel_degree = 3",
        "parallel-sizes-exceed-world", 10,
    ),
    ("a.yaml", TRAINER, {}, "size: 10", "size: 010", "number-read-otherwise", 2),
    ("a.yaml", TRAINER, {}, "max_steps: 100", "max_steps: 0100", "number-read-otherwise", 3),
    ("a.yaml", TRAINER, {}, "max_steps: 100", "max_steps: 1:30", "number-read-otherwise", 3),
    (
        "ds.json", ENGINE, {"a.yaml": HF}, ',\n "zero_optimization": {"stage": 1}', "",
        "option-needs-another-option", 1,
    ),
    (
        "a.yaml", FSDP2, {}, "CONNECTIONS: 8", "CONNECTIONS: 1", "options-exclude-each-other", 6,
    ),
    (
        "a.yaml", MEGATRON_FSDP, {}, "CONNECTIONS: 8", "CONNECTIONS: 1", "options-exclude-each-other", 6,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "more", "old", "new", "check", "line"), MUTATIONS)
def test_one_thing_wrong_is_told(
    lint_text: Lint,
    name: str,
    text: str,
    more: dict[str, str],
    old: str,
    new: str,
    check: str,
    line: int,
) -> None:
    assert old in text
    assert check not in [f.name for f in lint_text(text, name, more)]
    found = [f for f in lint_text(text.replace(old, new, 1), name, more) if f.name == check]
    assert [f.line for f in found] == [line]


def test_shards_that_take_what_is_left_are_no_fault(lint_text: Lint) -> None:
    text = TITAN.replace("shard_degree = 4", "shard_degree = -1")
    assert not [f for f in lint_text(text, "a.toml", {"go.sh": GO}) if f.severity == "error"]
    text = text.replace("replicate_degree = 2", "replicate_degree = 3")
    found = [f for f in lint_text(text, "a.toml", {"go.sh": GO}) if f.severity == "error"]
    assert [(f.name, "replicas" in f.message.en) for f in found] == [
        ("parallel-sizes-exceed-world", True)
    ]


@pytest.mark.parametrize(("written", "read"), [("0100", 64), ("1:30", 90), ("100", 100)])
def test_the_run_has_the_number_that_its_reader_makes(
    tmp_path: Path, written: str, read: int
) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(TRAINER.replace("max_steps: 100", f"max_steps: {written}"), "utf-8")
    report = lint(collect([str(file)]), load())
    assert report.run_config.get("total_steps") == read
    told = [f.message.en for f in report.findings if f.name == "number-read-otherwise"]
    assert told == [f"max_steps: {written} is {read} for PyYAML"] * (written != str(read))


def test_a_reader_of_yaml_1_2_takes_it_as_written(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("trainer:\n  max_steps: 0100\n  devices: 8\n  precision: bf16-mixed\n", "utf-8")
    report = lint(collect([str(file)]), load())
    assert report.run_config.framework == "lightning"
    assert report.run_config.get("total_steps") == 100
