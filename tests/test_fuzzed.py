"""Small inputs that broke a reader once, found by changing real files at random."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.runner.run import observe

MANY = "9" * 5000  # more digits than Python makes an integer of
GPU = "timestamp, index, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("train.log", f"step 1 / {MANY} loss 2.0\nstep 2 / nan loss 2.0\nstep 3 / 1e999 loss 1\n"),
        ("train.log", f"Root Cause (first observed failure):\n  rank : {MANY}\n  exitcode : {MANY}\n"),
        ("train.log", f"[rank{MANY}]: step 1 loss 2.0\nexited with exit code {MANY}\n"),
        ("train.log", f'Traceback (most recent call last):\n  File "a.py", line {MANY}, in b\nKeyError: 1\n'),
        ("train.log", f"  1%|#  | {MANY}/{MANY} [00:01<00:02, 1.0s/it, loss=2]\nEpoch {MANY}: 1%| | 1/2 \n"),
        ("launch.sh", f"#SBATCH --nodes=²\n#SBATCH --ntasks=²\n#SBATCH -N {MANY}\ntorchrun --nnodes=² --nproc-per-node={MANY} train.py\n"),
        ("nvidia-smi.csv", GPU + f"2026/11/28 09:00:01.000, {MANY}, {MANY} %, {MANY} MiB, 9 MiB\n"),
        ("train.log", "\0\1\2binary\3" * 90),
        ("metrics.jsonl", '{"step": 1, "loss": 2.0, "learning_rate": 0.1}\n' * 30 + "\0\1" * 900),
    ],
)  # fmt: skip
def test_no_probe_breaks(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    seen = observe(collect([str(tmp_path / name)]), load())
    assert {n: r.error for n, r in seen.runs.items() if r.error} == {}
