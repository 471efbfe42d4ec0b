"""One sample a micro batch in an empty GPU, and fp32 at the rate of fp32."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, judge
from medic.index.knowledge import load

QUERY = (
    "index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n"
    "0, NVIDIA H200, {use} %, {used} MiB, 143771 MiB\n"
)
CONFIG = (
    "block_size: 512\ndtype: {dtype}\nbatch_size: {micro}\ngradient_accumulation_steps: {steps}\n"
    "learning_rate: 0.0004\nmax_iters: 60\n"
)
SMALL = {"use": 28, "used": 3893, "dtype": "bfloat16", "micro": 1, "steps": 64, "mfu": 2.3}
FP32 = {"use": 100, "used": 15567, "dtype": "float32", "micro": 16, "steps": 1, "mfu": 4.19}
BATCH, PRECISION = "micro-batch-too-small", "computes-in-fp32"


def first(folder: Path, values: dict[str, object]) -> tuple[str, ...]:
    rows = (
        f"iter {2 * n}: loss {5 - n * 0.05:.4f}, lr 3.0e-04, time 1300.00ms, mfu {values['mfu']}%\n"
        for n in range(15)
    )
    (folder / "train.log").write_text("".join(rows))
    (folder / "config.yaml").write_text(CONFIG.format(**values))
    (folder / "gpu_query.csv").write_text(QUERY.format(**values))
    return judge(Labelled("run", folder=str(folder)), load()).named[:1]


@pytest.mark.parametrize(("values", "cause"), [(SMALL, BATCH), (FP32, PRECISION)])
def test_a_setting_and_what_the_gpu_shows(
    tmp_path: Path, values: dict[str, object], cause: str
) -> None:
    assert first(tmp_path, values) == (cause,)


@pytest.mark.parametrize(
    ("values", "other"),
    [
        (SMALL, {"used": 120_000}),
        (SMALL, {"use": 95}),
        (SMALL, {"mfu": 35.0}),
        (SMALL, {"steps": 2}),
        (SMALL, {"micro": 4}),
        (FP32, {"use": 40}),
        (FP32, {"mfu": 22.0}),
        (FP32, {"dtype": "bfloat16"}),
    ],
)
def test_one_of_the_signs_is_missing(
    tmp_path: Path, values: dict[str, object], other: dict[str, object]
) -> None:
    assert first(tmp_path, {**values, **other}) not in ((BATCH,), (PRECISION,))
