"""The estimate against measured training steps.

``measured.jsonl``: transformers Llama models with random weights, three AdamW steps each, torch
2.11 on one H100 (sharded runs: two H200). Bytes; ``allocated`` is torch's peak, ``used`` what the
device reported. ``mode`` is how two ranks shared the work.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from medic.memory.estimate import estimate
from medic.memory.peak import size, step_of
from medic.memory.views import read_setups
from medic.run_config import Origin, RunConfig, Setting, Value

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "measured.jsonl").read_text("utf-8").splitlines()
]
H100 = 85_017_493_504
# The script's own loop runs no autocast over weights in 16 bits: no trainer is told a precision.
PRECISION = {"fp32": "fp32", "fp16": "fp16", "bf16_pure": None}


def name(row: dict[str, Any]) -> str:
    shown = ("hidden", "layers", "seq", "micro", "dtype", "optim", "mode", "lora", "attn", "accum")
    flags = [flag for flag in ("ckpt", "compile") if row.get(flag)]
    return "-".join([str(row[k]) for k in shown if k in row] + flags)


def config_of(row: dict[str, Any]) -> RunConfig:
    """The row as a run config that leaves nothing open."""
    mode = row.get("mode", "")
    values = {
        "hidden_size": row["hidden"],
        "num_layers": row["layers"],
        "num_heads": row["heads"],
        "num_kv_heads": row.get("kv", row["heads"]),
        "ffn_size": row["inter"],
        "vocab_size": row["vocab"],
        "tied_embeddings": row.get("tie", False),
        "sequence_length": row["seq"],
        "micro_batch_size": row["micro"],
        "gradient_accumulation_steps": row.get("accum", 1),
        "activation_checkpointing": row.get("ckpt", False),
        "compile": row.get("compile", False),
        "attention": row.get("attn", "sdpa"),
        "fused_loss": False,
        "optimizer": row.get("optim", "adamw"),
        "precision": PRECISION.get(row.get("dtype", ""), "bf16"),
        "parameter_dtype": "bf16" if row.get("dtype") == "bf16_pure" else "fp32",
        "world_size": 2 if mode else 1,
        "fsdp": mode.startswith("fsdp"),
        "quantization": "none",
        "lora_rank": row.get("lora"),
    }
    stated = {k: Value(v, Origin("given")) for k, v in values.items() if v is not None}
    maps = {True: "all", False: "q_proj v_proj"}.get(row.get("every_map", ""))
    settings = (Setting(("lora_target_modules",), maps, Origin("given")),) if maps else ()
    return RunConfig(stated, framework="hf-trainer", settings=settings)


def allocated(config: RunConfig) -> int:
    """The likely peak of torch's own tensors."""
    step = step_of(read_setups(config).setups[1])
    assert step is not None
    # These rows are of a later step: DDP had laid out its buckets.
    phases = {n: parts for n, parts in step.phases.items() if n != "second step"}
    return max(size(parts) - parts["context"] for parts in phases.values())


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_bounds_hold_what_was_measured(row: dict[str, Any]) -> None:
    found = estimate(config_of(row), H100)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= row["used"] <= found.high
    assert found.fits is not False


@pytest.mark.parametrize("row", [r for r in ROWS if "lora" not in r], ids=name)
def test_parameters_are_counted_exactly(row: dict[str, Any]) -> None:
    assert read_setups(config_of(row)).setups[1].parameters == row["params"]


# FSDP1's flat parameters are told by no field, compiled recomputation saves more.
ODD = [r for r in ROWS if r.get("mode") == "fsdp1" or (r.get("ckpt") and r.get("compile"))]


@pytest.mark.parametrize("row", [r for r in ROWS if r not in ODD], ids=name)
def test_peak_of_tensors(row: dict[str, Any]) -> None:
    assert allocated(config_of(row)) == pytest.approx(row["allocated"], rel=0.03)


@pytest.mark.parametrize("row", ODD, ids=name)
def test_peak_of_tensors_where_a_field_is_missing(row: dict[str, Any]) -> None:
    assert allocated(config_of(row)) == pytest.approx(row["allocated"], rel=0.4)


def test_mean_error() -> None:
    errors = [abs((estimate(config_of(r), H100).estimate or 0) / r["used"] - 1) for r in ROWS]
    assert sum(errors) / len(errors) < 0.08
