"""The budgets, measured as ratios on this machine: python tests/bench [--check].

Run it with the interpreter of an environment that has medic installed as a wheel. A unit "start"
is ``python -I -S -c pass``. ``--check`` fails where a budget is exceeded by half.
"""

from __future__ import annotations

import json
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PYTHON = sys.executable
MEDIC = str(Path(PYTHON).parent / "medic")
SLACK = 1.5


@dataclass
class Row:
    work: str
    measured: float
    budget: float
    unit: str

    @property
    def ratio(self) -> float:
        return self.measured / self.budget


def seconds(command: list[str], repeat: int = 5) -> float:
    """Median wall time of a command."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def peak_mib(command: list[str]) -> float:
    """Peak resident memory of a command in MiB."""
    code = (
        "import resource,subprocess,sys;"
        "subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL,stderr=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    out = subprocess.run([PYTHON, "-c", code, *command], capture_output=True, text=True, check=True)
    factor = 1024 if sys.platform != "darwin" else 1024 * 1024
    return int(out.stdout) / factor


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="medic-bench-") as name:
        yield Path(name)


def explain(start: float) -> list[Row]:
    took = seconds([MEDIC, "explain", "CUDA out of memory"], 9)
    return [Row("explain, new process", took / start, 10, "starts")]


OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
    "capacity of 79.10 GiB of which 1.01 GiB is free. Including non-PyTorch memory, this process "
    "has 78.09 GiB memory in use. Of the allocated memory 76.00 GiB is allocated by PyTorch, and "
    "300.00 MiB is reserved by PyTorch but unallocated.\n"
)


def long_log(where: Path) -> Path:
    """50 MB of a healthy run, with the error at its end."""
    log = where / "train.log"
    line = (
        "2026-05-01 10:00:00,000 [rank0] INFO train: step {} | loss 3.1415 | lr 3.0e-04 "
        "| grad_norm 0.51\n"
    )
    with log.open("w") as out:
        for i in range(50 * 1024 * 1024 // 100):
            out.write(line.format(i))
        out.write(OOM)
    return log


def diagnose(_: float) -> list[Row]:
    with folder() as where:
        log = long_log(where)
        command = [MEDIC, "diagnose", str(log)]
        base = seconds(["wc", "-l", str(log)])
        took = seconds(command, 3)
        return [
            Row("diagnose, 50 MB log, error at the end", took / base, 60, "x wc -l"),
            Row("  its peak memory", peak_mib(command), 150, "MiB"),
        ]


CONFIG = """training:
  micro_batch_size: 8
  gradient_accumulation_steps: 4
  seq_len: 2048
  lr: 3.0e-4
  warmup_steps: 500
  total_steps: 10000
"""


def lint(start: float) -> list[Row]:
    with folder() as where:
        files = []
        for i in range(500):
            file = where / f"c{i}.yaml"
            file.write_text(CONFIG)
            files.append(str(file))
        one = seconds([MEDIC, "lint", files[0]])
        many = seconds([MEDIC, "lint", *files], 1)
        return [
            Row("lint, one file", one / start, 12, "starts"),
            Row("lint, 500 files, per file after that", (many - one) / 499 * 1000, 5, "ms"),
        ]


# Full training that does not fit as it stands: its remedies are weighed, and their diff is made.
AXOLOTL = """base_model: meta-llama/Meta-Llama-3-8B
sequence_len: 8192
micro_batch_size: 1
gradient_accumulation_steps: 8
optimizer: adamw_torch_fused
learning_rate: 2e-5
bf16: true
flash_attention: true
gradient_checkpointing: true
"""


def memory(start: float) -> list[Row]:
    with folder() as where:
        file = where / "axolotl.yml"
        file.write_text(AXOLOTL)
        took = seconds([MEDIC, "memory", str(file), "--model", "llama-3-8b", "--gpu", "h100-80g"])
        return [Row("memory, full training with remedies", took / start, 12, "starts")]


def sharded(where: Path, shards: int = 30, layers: int = 80) -> Path:
    """A checkpoint of 140 GB as sparse files with true headers."""
    where.mkdir()
    weight_map = {}
    per = -(-layers // shards)
    for s in range(shards):
        header, at = {}, 0
        for layer in range(s * per, min(layers, (s + 1) * per)):
            for name in ("q", "k", "v", "o", "up", "gate", "down"):
                size = 8192 * 15600 * 2
                key = f"model.layers.{layer}.{name}.weight"
                header[key] = {
                    "dtype": "BF16",
                    "shape": [8192, 15600],
                    "data_offsets": [at, at + size],
                }
                weight_map[key] = f"model-{s:05}.safetensors"
                at += size
        raw = json.dumps(header).encode()
        with (where / f"model-{s:05}.safetensors").open("wb") as out:
            out.write(struct.pack("<Q", len(raw)) + raw)
            out.truncate(8 + len(raw) + at)
    (where / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    return where / "model.safetensors.index.json"


def checkpoints(_: float) -> list[Row]:
    with folder() as where:
        a, b = sharded(where / "a"), sharded(where / "b")
        command = [MEDIC, "probe", "checkpoint", str(a), str(b)]
        return [
            Row("key diff of two 140 GB checkpoints", seconds(command, 3), 1, "s"),
            Row("  its peak memory", peak_mib(command), 200, "MiB"),
        ]


STEP = """
import time
from medic.beliefs.model import Model, Seen
from medic.index.knowledge import load
from medic.planner.looks import Open, next_look
index = load()
model = Model(index)
opened = [Open(n, c.ask.minutes) for n, c in index.checks.items() if c.ask]
seen = [Seen("cuda-out-of-memory", "present")]
next_look(model, seen, frozenset(), opened)
times = []
for _ in range(20):
    start = time.perf_counter(); next_look(model, seen, frozenset(), opened)
    times.append(time.perf_counter() - start)
print(sorted(times)[10] * 1000)
"""


def engine(_: float) -> list[Row]:
    out = subprocess.run([PYTHON, "-c", STEP], capture_output=True, text=True, check=True)
    return [Row("one engine step over all causes", float(out.stdout), 5, "ms")]


# Until the first screen is drawn, after which the app begins to work.
PAINT = """
import asyncio, gc, time
start = time.perf_counter()
gc.set_threshold(50_000)  # as the command has it
from medic.case.collect import Case
from medic.i18n import use
use("en")
from medic.tui.app import MedicApp
from medic.tui.talk_screen import TalkScreen
from medic.index.knowledge import load
TalkScreen._begin = lambda screen: screen.app.exit(time.perf_counter() - start)
async def main():
    app = MedicApp(load, Case(root="."))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
    print(app.return_value)
asyncio.run(main())
"""


def paint(start: float) -> list[Row]:
    times = []
    for _ in range(3):
        out = subprocess.run([PYTHON, "-c", PAINT], capture_output=True, text=True, check=True)
        times.append(float(out.stdout.split()[0]))
    return [Row("first paint of the app", statistics.median(times) / start, 40, "starts")]


def blocks(_: float) -> list[Row]:
    """The longest blocks of the app's event loop, the median of three runs."""
    script = str(Path(__file__).with_name("blocks.py"))
    with folder() as where:
        long_log(where)
        command = [PYTHON, script, str(where)]
        runs = [subprocess.run(command, capture_output=True, check=True).stdout for _ in range(3)]
    found = [json.loads(out) for out in runs]
    middle = {part: statistics.median(one[part] for one in found) for part in found[0]}
    reading = middle.pop("reading")
    return [
        Row("longest block of the app, 50 MB log read", reading, 50, "ms"),
        *(Row(f"  {part}", longest, 50, "ms") for part, longest in middle.items()),
    ]


PARTS: list[Callable[[float], list[Row]]] = [
    explain,
    diagnose,
    lint,
    memory,
    checkpoints,
    engine,
    paint,
    blocks,
]


def main() -> int:
    os.environ["MEDIC_STATE"] = tempfile.mkdtemp(prefix="medic-bench-state-")
    start = seconds([PYTHON, "-I", "-S", "-c", "pass"], 15)
    sys.stdout.write(f"unit: one start = {start * 1000:.1f} ms\n")
    worst = 0.0
    wanted = [a for a in sys.argv[1:] if not a.startswith("-")]
    for part in PARTS:
        if wanted and part.__name__ not in wanted:
            continue
        for row in part(start):
            worst = max(worst, row.ratio)
            sys.stdout.write(
                f"{row.work:<42}{row.measured:9.2f} {row.unit:<8} budget {row.budget:g}  "
                f"ratio {row.ratio:.2f}\n"
            )
            sys.stdout.flush()
    return 1 if "--check" in sys.argv and worst > SLACK else 0


if __name__ == "__main__":
    sys.exit(main())
