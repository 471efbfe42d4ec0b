"""States in host memory that the GPU would hold with room to spare."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

SMALL = "{vocab_size: 4096, d_model: 1024, n_layer: 12, n_head: 16, max_len: 256}"
LARGE = "{vocab_size: 32000, d_model: 8192, n_layer: 80, n_head: 64, max_len: 256}"
ON = "fsdp_cpu_offload: true"


def run_of(folder: Path, offload: str, model: str = SMALL, used: int = 4909) -> Result:
    rows, gpus = (
        [],
        ["timestamp, index, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n"],
    )
    for n in range(1, 61):
        at = f"10:00:{n - 1:02d}"
        rows.append(f"2026-03-01 {at} INFO step {n}/60 loss={5 - n * 0.01:.4f} lr=3.000e-04\n")
        gpus.append(f"2026/03/01 {at}.000, 0, 70 %, {used} MiB, 81920 MiB\n")
    (folder / "train.log").write_text(
        "".join(rows) + "2026-03-01 10:01:01 INFO training finished\n"
    )
    (folder / "smi.csv").write_text("".join(gpus))
    (folder / "config.yaml").write_text(
        f"model: {model}\ntrain: {{seq_len: 256, micro_batch_size: 16, lr: 0.0003, max_steps: 60}}\n"
        f"{offload}\n"
    )
    (folder / "launch.sh").write_text("torchrun --nproc_per_node=1 train.py --config config.yaml\n")
    return judge(Labelled("run", folder=str(folder)), load())


@pytest.mark.parametrize("offload", [ON, "fsdp: {offload_params: true}", "cpu_offload: true"])
def test_a_small_model_is_offloaded(tmp_path: Path, offload: str) -> None:
    found = run_of(tmp_path, offload)
    assert (found.verdict, found.named[0]) == ("likely", "cpu-offload-slows-steps")


@pytest.mark.parametrize(
    ("offload", "model", "used"),
    [
        ("fsdp_cpu_offload: false", SMALL, 4909),
        ("activation_cpu_offload: true", SMALL, 4909),
        (ON, LARGE, 4909),
        (ON, SMALL, 60_000),  # something else of the run needs the memory
    ],
)
def test_no_offload_or_one_that_is_needed(
    tmp_path: Path, offload: str, model: str, used: int
) -> None:
    assert "cpu-offload-slows-steps" not in run_of(tmp_path, offload, model, used).named
