"""Recomputation of some layers, which nothing was measured of: one answer, and a way out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Sized = Callable[..., dict[str, Any]]
SELECTIVE = """[model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = 1
seq_len = 8192
[optimizer]
name = "AdamW"
[compile]
enable = false
[activation_checkpoint]
mode = "selective"
"""


@pytest.fixture
def titan(tmp_path: Path) -> str:
    file = tmp_path / "train.toml"
    file.write_text(SELECTIVE, "utf-8")
    return str(file)


def test_where_nothing_was_measured_no_line_says_that_it_fits(
    run: Callable[..., tuple[int, str, str]], titan: str
) -> None:
    words = (titan, "--gpu", "65GiB")
    _, out, _ = run(*words, data_parallel_size=8)
    text = " ".join(out.split())
    assert "cannot be told; 0.9 GiB too much by the formulas" in text
    assert "65.9 GiB" in text.split("Where", 1)[0].split("What the formulas", 1)[0]
    assert "sequence_length=4096 -> 41.0 GiB by the formulas, not measured" in text
    assert "fused_loss" not in text.split("Assumed", 1)[0]  # no key of a file sets it here
    assert "barely" not in text
    _, out, _ = run(*words, data_parallel_size=8, lang="zh")
    assert "无法判断；按公式超出 0.9 GiB" in "".join(out.split("\n")).replace("  ", "")


def test_whole_layers_are_recomputed_where_a_file_says_some_of_them(
    sized: Sized, titan: str
) -> None:
    words = (titan, "--gpu", "65GiB")
    some = sized(*words, data_parallel_size=8)
    offered = {one["name"]: one for one in some["remedies"]}["recompute-activations"]
    assert offered["fits"]
    whole = sized(*words, data_parallel_size=8, activation_checkpointing=True)
    assert whole["device"]["estimate"] == offered["device"] < some["device"]["estimate"]
    assert whole["not_modelled"] == []
    nothing = sized(*words, data_parallel_size=8, activation_checkpointing=False)
    assert nothing["device"]["estimate"] > some["device"]["estimate"]
    assert nothing["not_modelled"] == []


def test_a_remedy_that_leaves_more_in_pieces_than_it_saves_is_not_told(
    sized: Sized, titan: str
) -> None:
    words = (titan, "--gpu", "h100-80g")
    bare = {"fused_loss": True, "activation_checkpointing": False}
    plain = sized(*words, data_parallel_size=8, **bare)
    lean = sized(*words, data_parallel_size=8, **bare, optimizer="adamw_8bit")
    assert lean["device"]["estimate"] > plain["device"]["estimate"]
    assert lean["parts"]["optimizer"] < plain["parts"]["optimizer"] / 3
    assert "lean-optimizer" not in [one["name"] for one in plain["remedies"]]
    assert all(one["device"] < plain["device"]["estimate"] for one in plain["remedies"])
