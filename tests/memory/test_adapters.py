"""What adapters keep: their input, in 16 bits where autocast runs, else in fp32."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from medic.memory.estimate import estimate
from medic.memory.habits import settled
from medic.memory.peak import size, step_of
from medic.memory.traces import trace_of
from medic.memory.usual import with_usual
from medic.memory.views import read_setups
from medic.run_config import Origin, RunConfig, Setting, Value

MODEL: dict[str, Any] = {
    "hidden_size": 2048,
    "num_layers": 16,
    "num_heads": 32,
    "num_kv_heads": 8,
    "ffn_size": 8192,
    "vocab_size": 128256,
    "tied_embeddings": True,
    "world_size": 1,
    "lora_rank": 16,
}
BF16 = {"precision": "bf16", "parameter_dtype": "bf16"}


def width(framework: str, fields: dict[str, str], **settings: Any) -> int:
    given = Origin("given")
    config = RunConfig(
        {k: Value(v, given) for k, v in {**MODEL, **fields}.items()},
        framework=framework,
        settings=tuple(Setting((k,), v, given) for k, v in settings.items()),
    )
    return read_setups(settled(config)[0]).setups[1].adapter_width


@pytest.mark.parametrize(
    ("framework", "fields", "settings", "bytes_kept"),
    [
        ("hf-trainer", BF16, {"bf16": True}, 2),
        ("hf-trainer", {"precision": "fp16"}, {"bf16": False, "fp16": True}, 2),
        ("trl", {}, {}, 2),
        ("", {"parameter_dtype": "bf16"}, {}, 4),  # a loop of one's own over 16-bit weights
        ("llama-factory", {"precision": "bf16"}, {"pure_bf16": True}, 4),
        ("llama-factory", {"precision": "bf16"}, {"pure_bf16": True, "bf16": True}, 2),
    ],
)
def test_the_width_of_a_kept_input(
    framework: str, fields: dict[str, str], settings: dict[str, Any], bytes_kept: int
) -> None:
    assert width(framework, fields, **settings) == bytes_kept


HERE = Path(__file__).parent
OF = runpy.run_path(str(HERE / "rows.py"))
ROWS = [
    row
    for name in ("fresh", "regions", "everyday", "h100", "h200")
    for row in map(json.loads, (HERE / f"{name}.jsonl").read_text("utf-8").splitlines())
    if row.get("lora") and row["ok"] and row.get("world", 1) == 1 and not row.get("ckpt")
]


@pytest.mark.parametrize("row", ROWS)
def test_trace_and_formula_hold_the_tensors_that_adapters_leave(row: dict[str, Any]) -> None:
    """What frozen maps and norms do not keep is freed in both; the trace leaves small blocks out."""
    trained = "trainer" in row
    config = with_usual(OF["trainer_config"](row))[0] if trained else OF["config_of"](row)
    step = step_of(read_setups(config).setups[1])
    assert step is not None
    trace = trace_of(step)
    trace.run()
    assert trace.meter.peak == pytest.approx(row["peak_allocated"], rel=0.04)
    parts = max(step.phases.values(), key=size)
    assert size(parts) - parts["context"] == pytest.approx(row["peak_allocated"], rel=0.02)


LATER = [json.loads(text) for text in (HERE / "adapters.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("row", LATER, ids=[f"{r['region']} {r['seq']}" for r in LATER])
def test_rows_that_were_predicted_first_are_near(row: dict[str, Any]) -> None:
    """A long sequence: the widest adapter's gradient passes in fp32 beside what its layer keeps. TRL:
    a model that is named is loaded in fp32 where the config tells no dtype."""
    trained = "trainer" in row
    config = with_usual(OF["trainer_config"](row))[0] if trained else OF["config_of"](row)
    found = estimate(config, row["device_total"])
    assert found.reserved == pytest.approx(row["peak_reserved"], rel=0.10)
    assert (found.reserved_low or 0) <= row["peak_reserved"] <= (found.reserved_high or 0)


@pytest.mark.parametrize(
    ("framework", "stated", "style"),
    [("trl", {}, "autocast"), ("trl", {"dtype": "auto"}, "pure"), ("hf-trainer", {}, "pure")],
)
def test_trl_loads_in_fp32_what_no_dtype_is_told_for(
    framework: str, stated: dict[str, str], style: str
) -> None:
    given = Origin("given")
    config = RunConfig(
        {k: Value(v, given) for k, v in {**MODEL, "precision": "bf16"}.items()},
        framework=framework,
        settings=tuple(Setting((k,), v, given) for k, v in stated.items()),
    )
    assert [s.style for s in read_setups(config).setups] == ["pure", style, "autocast"]
