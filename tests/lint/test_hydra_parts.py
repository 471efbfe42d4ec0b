"""A configuration in parts: each stands where the defaults list says, and the whole rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintReport

MAIN = """defaults:
  - actor@actor_rollout_ref.actor: dp_actor
  - rollout@actor_rollout_ref.rollout: rollout
  - _self_
actor_rollout_ref:
  actor:
    ppo_mini_batch_size: 256
trainer:
  nnodes: 1
  n_gpus_per_node: 8
  total_epochs: 30
data:
  train_batch_size: 1024
"""
ACTOR = """defaults:
  - ../optim@optim: fsdp
strategy: fsdp
ppo_mini_batch_size: 128
ppo_micro_batch_size_per_gpu: 2
grad_clip: 1.0
"""
FILES = {
    "ppo_trainer.yaml": MAIN,
    "actor/dp_actor.yaml": ACTOR,
    "actor/megatron_actor.yaml": ACTOR.replace("fsdp", "megatron"),
    "optim/fsdp.yaml": "lr: 1.0e-6\nweight_decay: 0.01\n",
    "rollout/rollout.yaml": "name: vllm\nnnodes: 0\ndata_parallel_size: 1\n"
    "tensor_model_parallel_size: 2\n",
}


def _report(folder: Path, files: dict[str, str]) -> LintReport:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return lint(collect([str(folder / name) for name in files]), load())


def _wrong(report: LintReport) -> list[tuple[str, int]]:
    return [(Path(f.file).name, f.line) for f in report.findings if f.severity != "info"]


def test_the_parts_are_one_run(tmp_path: Path) -> None:
    report = _report(tmp_path, FILES)
    assert _wrong(report) == []
    config = report.run_config
    assert config.number("learning_rate") == pytest.approx(1e-6)
    assert (config.number("nodes"), config.number("epochs")) == (1, 30)
    assert [Path(n.file).name for n in report.not_read] == ["megatron_actor.yaml"]


def test_a_slip_in_a_part(tmp_path: Path) -> None:
    broken = ACTOR.replace("ppo_mini_batch_size", "ppo_mini_batch_siz")
    report = _report(tmp_path, FILES | {"actor/dp_actor.yaml": broken})
    assert _wrong(report) == [("dp_actor.yaml", 4)]


def test_parts_of_several_are_of_none(tmp_path: Path) -> None:
    report = _report(tmp_path, FILES | {"other.yaml": MAIN})
    names = {Path(n.file).name for n in report.not_read}
    assert {"dp_actor.yaml", "rollout.yaml"} <= names
    assert _wrong(report) == []


def test_a_lone_part_is_read_as_before(tmp_path: Path) -> None:
    report = _report(tmp_path, {"actor/dp_actor.yaml": ACTOR})
    assert _wrong(report) == []
