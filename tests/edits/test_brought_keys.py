"""A key is written with those that its framework asks for, and in place of one that says less."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.edits.patch import diff_for
from medic.fixes import propose
from medic.i18n import Text
from medic.index.knowledge import load
from medic.run_config import Change, RunConfig
from medic.sizing import size_run

FULL = "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1"
START = "torchrun pretrain_gpt.py --num-layers 8 --hidden-size 1024 --micro-batch-size 8"
SWIFT = "megatron sft --load m --micro_batch_size 8 --max_length 4096"
SLIME = "python3 train.py --rollout-batch-size 8 --num-rollout 9 --micro-batch-size 1 --bf16 {}"
NEMO = (
    "trainer:\n  devices: 8\n"
    "model:\n  micro_batch_size: 8\n  global_batch_size: 64\n  tensor_model_parallel_size: 1\n"
    "  encoder_seq_length: 4096\n  megatron_amp_O2: true\n"
)


RECOMPUTED = ("activation_checkpointing", True)


def added(
    folder: Path, name: str, text: str, asked: tuple[str, bool | int] = RECOMPUTED
) -> list[str]:
    """The lines of a file with one field changed, as far as they are others."""
    file = folder / name
    file.write_text(text)
    index = load()
    config = size_run(collect([str(file)]), index).run_config
    field, value = asked
    change = Change(field, config.get(field), value, Text("-", "-"))
    frameworks = list(index.frameworks.values())
    diff = diff_for([change], config, {}, frameworks, lambda path: Path(path).read_bytes())
    return [line[1:] for line in diff.splitlines() if line.startswith("+") and line[1:2] != "+"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (START, f"{START} {FULL}"),
        (f"{START} --recompute-activations", f"{START} {FULL}"),
        (f"{START} --recompute-activations --bf16", f"{START} --bf16 {FULL}"),
        (f"{START} --recompute-granularity selective", f"{START} {FULL}"),
        (f"{START} --deepspeed", f"{START} --deepspeed --checkpoint-activations"),
        (SLIME.format("--recompute-activations"), SLIME.format(FULL)),
        (SWIFT, f"{SWIFT} {FULL.replace('-', '_').replace('__', '--')}"),
    ],
)
def test_megatron_recomputes_whole_layers_by_three_flags(
    tmp_path: Path, before: str, after: str
) -> None:
    assert added(tmp_path, "run.sh", before + "\n") == [after]


def test_what_is_stated_is_not_brought(tmp_path: Path) -> None:
    method = f"{START} --recompute-method block"
    full = f"{method} --recompute-granularity full --recompute-num-layers 1"
    assert added(tmp_path, "run.sh", method + "\n") == [full]
    assert added(tmp_path, "run.sh", f"{START} {FULL}\n") == []


@pytest.mark.parametrize("method", ["", "  activations_checkpoint_method: null\n"])
def test_nemo_has_names_of_its_own(tmp_path: Path, method: str) -> None:
    assert sorted(added(tmp_path, "conf.yaml", NEMO + method)) == [
        "  activations_checkpoint_granularity: full",
        "  activations_checkpoint_method: uniform",
        "  activations_checkpoint_num_layers: 1",
    ]


@pytest.mark.parametrize(
    ("before", "size", "after"),
    [
        ("--num-experts 8", 2, "--num-experts 8 --sequence-parallel"),
        ("--num-experts 8 --sequence-parallel", 2, "--num-experts 8 --sequence-parallel"),
        ("--bf16", 2, "--bf16"),
    ],
)
def test_experts_ask_for_sequence_parallelism_beside_tensor_parallelism(
    tmp_path: Path, before: str, size: int, after: str
) -> None:
    start = f"{START} --tensor-model-parallel-size"
    found = added(tmp_path, "run.sh", f"{start} 1 {before}\n", ("tensor_parallel_size", size))
    assert found == [f"{start} {size} {after}"]


@pytest.mark.parametrize(
    ("setting", "made"),
    [
        ("--recompute-activations", False),
        ("--recompute-granularity selective", False),
        (FULL, True),
    ],
)
def test_recomputing_a_part_is_not_recomputing_whole_layers(
    tmp_path: Path, setting: str, made: bool
) -> None:
    (tmp_path / "run.sh").write_text(f"{START} {setting}\n")
    index = load()
    config = size_run(collect([str(tmp_path / "run.sh")]), index).run_config
    remedy = index.remedies["recompute-activations"]
    assert propose(remedy, {RunConfig: config}, index).made is made
