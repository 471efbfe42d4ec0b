"""A difference from the run that worked which is the turn of a known fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from medic.baseline.turns import turn_of, turns
from medic.commands import main
from medic.facts import Difference
from medic.facts.since_good import Kind
from medic.index.knowledge import load


def differs(name: str, good: str, now: str, kind: Kind = "config") -> Difference:
    return Difference(kind, name, now, good)


@pytest.mark.parametrize(
    ("name", "good", "now", "outcome"),
    [
        ("learning_rate", "0.0003", "0.003", "rate-raised"),
        ("learning_rate", "0.003", "0.0003", "rate-lowered"),
        ("learning_rate", "0.0003", "0.00032", ""),
        ("train.num_workers", "8", "0", "workers-lowered"),
        ("num_workers", "8", "16", ""),
        ("gradient_clip", "1.0", "0", "clip-loosened"),
        ("gradient_clip", "1.0", "0.5", ""),
        ("warmup_steps", "2000", "0", "warmup-shortened"),
        ("precision", "bf16", "fp16", "to-fp16"),
        ("zero_stage", "2", "3", "sharded-deeper"),
        ("optimizer_offload", "", "cpu", "offload-set"),
        ("activation_checkpointing", "True", "False", "recompute-removed"),
        ("save_interval", "1000", "10", "saves-more-often"),
        ("CUDA_LAUNCH_BLOCKING", "", "1", "debug-set"),
        ("NCCL_P2P_DISABLE", "", "1", "peer-to-peer-off"),
        ("hidden_size", "1024", "2048", ""),
    ],
)
def test_the_turn_that_a_difference_is(name: str, good: str, now: str, outcome: str) -> None:
    assert turn_of(differs(name, good, now)) == outcome
    assert not outcome or outcome in load().checks["turned-since-good"].outcomes


def test_the_network_of_the_nodes_and_other_kinds() -> None:
    assert turn_of(differs("NCCL network", "IB", "Socket", "node")) == "rdma-lost"
    assert not turn_of(differs("learning_rate", "0.0003", "0.003", "speed"))


def test_two_runs_that_differ_in_all_things_tell_of_none() -> None:
    names = ("learning_rate", "micro_batch_size", "sequence_length", "epochs", "weight_decay")
    several = [differs(name, "1", "9") for name in names]
    assert len(turns(several[:4])) == 4
    assert not turns(several)


def run(folder: Path, seconds: float, variables: str = "") -> Path:
    folder.mkdir()
    rows = "".join(
        f"step {n}/120 loss={5 - n * 0.02:.4f} lr=3.000e-04 step_time={seconds + 0.01 * (n % 3):.3f}\n"
        for n in range(1, 121)
    )
    (folder / "train.log").write_text(rows + "training finished\n")
    (folder / "config.yaml").write_text(
        "train: {micro_batch_size: 16, lr: 0.0003, max_steps: 120}\n"
    )
    (folder / "launch.sh").write_text(f"{variables}torchrun --nproc_per_node=2 train.py\n")
    return folder


@pytest.mark.parametrize(
    ("seconds", "variables", "first"),
    [
        (1.4, "export NCCL_P2P_DISABLE=1\n", "interconnect-too-slow"),
        (0.5, "export NCCL_P2P_DISABLE=1\n", ""),  # no slower than before
    ],
)
def test_a_slower_run_and_what_was_changed(
    tmp_path: Path, capsys: Any, seconds: float, variables: str, first: str
) -> None:
    good, now = run(tmp_path / "good", 0.5), run(tmp_path / "now", seconds, variables)
    main(["diagnose", str(now), "--baseline", str(good), "--json"])
    found = json.loads(capsys.readouterr().out)
    names = [cause["name"] for cause in found["causes"]]
    assert names[:1] == ([first] if first else [])
    assert [one["name"] for one in found["changed_since_good"] if one["kind"] == "config"] == [
        "NCCL_P2P_DISABLE"
    ]
