"""axolotl's fused loss: a flag and the plugin that reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., tuple[int, str, str]]
Sized = Callable[..., dict[str, Any]]
FULL = """base_model: Qwen/Qwen2.5-7B
sequence_len: 8192
micro_batch_size: 2
gradient_accumulation_steps: 1
bf16: true
gradient_checkpointing: true
flash_attention: true
optimizer: adamw_torch_8bit
learning_rate: 1e-5
"""
FLAG = "cut_cross_entropy: true\n"
LIGER = "plugins:\n      - axolotl.integrations.liger.LigerPlugin"
CUT = "plugins:\n  - axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin\n"
LINES = "In the axolotl file, by hand"


@pytest.mark.parametrize(
    ("more", "lines"),
    [
        ("", f"{LIGER}\n    liger_fused_linear_cross_entropy: true"),
        (FLAG, "CutCrossEntropyPlugin\n    cut_cross_entropy: true"),
    ],
)
def test_the_lines_of_a_fused_loss_are_told(
    run: Run, tmp_path: Path, more: str, lines: str
) -> None:
    (tmp_path / "full.yml").write_text(FULL + more)
    out = run(str(tmp_path / "full.yml"), "--gpu=40GB", world_size=1)[1]
    assert "loss in chunks" in out
    assert lines in out.partition(LINES)[2]
    assert "+liger_fused_linear" not in out  # the flag alone is no change
    chinese = run(str(tmp_path / "full.yml"), "--gpu=40GB", lang="zh", world_size=1)[1]
    assert "在 axolotl 文件中手工加入（只写其中一行不起作用）" in chinese


def test_a_loss_that_is_fused_is_not_advised(run: Run, tmp_path: Path) -> None:
    (tmp_path / "full.yml").write_text(FULL + FLAG + CUT)
    out = run(str(tmp_path / "full.yml"), "--gpu=40GB", world_size=1)[1]
    assert "loss in chunks" not in out
    assert "Plugin" not in out.partition(LINES)[2]


@pytest.mark.parametrize(("more", "whole"), [("", True), (FLAG, True), (FLAG + CUT, False)])
def test_what_is_given_counts_as_stated_and_a_flag_alone_does_not(
    sized: Sized, tmp_path: Path, more: str, whole: bool
) -> None:
    (tmp_path / "full.yml").write_text(FULL + more)
    file = str(tmp_path / "full.yml")
    assert ("logits" in sized(file, world_size=1)["parts"]) is whole
    assert "logits" not in sized(file, world_size=1, fused_loss=True)["parts"]


def test_sharding_is_told_as_the_group_that_switches_it_on(run: Run, tmp_path: Path) -> None:
    (tmp_path / "full.yml").write_text(FULL)
    out = run(str(tmp_path / "full.yml"), "--gpu=80GB", world_size=4, zero_stage=0)[1]
    assert "fsdp_config:" in out.partition(LINES)[2]
    assert "+fsdp_version" not in out
