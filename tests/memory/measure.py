"""Measures the peak GPU memory of training steps: one JSON line of settings in, one measured out.

    python tests/memory/measure.py PLAN.jsonl ROWS.jsonl [SECONDS]

Needs torch with CUDA and transformers; ``liger_kernel`` for ``loss: fused``, ``peft`` for ``lora``,
``bitsandbytes`` for ``quant`` and 8-bit optimizers, ``deepspeed`` for the ZeRO modes. A file of
rows is a plan too: measuring it again checks it. Rows of one rank share the GPUs, one a GPU; then
come the rows of several ranks. A row takes three steps on random tokens in processes of its own: the
workspaces of cuBLAS lie elsewhere in a process that trained before, and Liger's kernels stay.

Settings: hidden, layers, heads, kv_heads, inter, vocab, tie, seq, micro, and optionally dtype
(bf16_autocast, bf16_pure, fp16_autocast, fp32), optim (adamw, adamw_fused, adamw_foreach_off,
adamw_8bit, sgd, sgd_momentum, adafactor, muon), ckpt, attn (sdpa, eager), accum, loss (full,
fused), lora (rank), lora_every, quant (nf4, int8), prepared, family, experts, top_k, limit (bytes
that the process may reserve), evaluate (sequences of an evaluation after the steps), world, and
mode: ddp (bucket_view), fsdp1, fsdp2 (reshard, reduce, offload), zero1 to zero3 (offload, bucket,
overlap), tp, pp (1F1B over accum micro batches), megatron (tensor, pipeline, sequence_parallel,
distributed_optimizer; Megatron Core without Transformer Engine). ``trainer`` and ``arguments``: see
``measure_trainers.py``.

Adds bytes: params (a count), peak_allocated, peak_reserved, device_used, device_total, and the
torch peaks of the latest step's forward, backward and optimizer, and of an evaluation, in
``phases``; of several ranks what each saw in ``ranks``, the fullest one outside.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from measure_steps import DEVICE, TINY, train

ROW_SECONDS = 45
MEASURED = {"params", "ok", "error", "failed", "peak_allocated", "peak_reserved", "device_used",
            "device_total", "phases", "retries", "ranks", "ranks_reserved", "half", "seconds"}  # fmt: skip


def child(row: dict[str, Any], rank: int, world: int, out: int) -> None:
    """Body of a forked process: the row's line goes to the pipe ``out``."""
    with os.fdopen(out, "w") as pipe:
        try:
            signal.alarm(ROW_SECONDS)
            started(rank, world)
            one_row(row, rank, pipe)
        except Exception as problem:
            words = f"{type(problem).__name__}: {problem}"[:900]
            pipe.write(json.dumps({"failed": words}) + "\n")
    os._exit(0)


def started(rank: int, world: int) -> None:
    import torch

    if DEVICE == "cuda":
        torch.cuda.set_device(rank)
    if world > 1:
        os.environ.update(RANK=str(rank), WORLD_SIZE=str(world), LOCAL_RANK=str(rank))
        os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="29541")
        torch.distributed.init_process_group("nccl" if DEVICE == "cuda" else "gloo")


def one_row(row: dict[str, Any], rank: int, pipe: Any) -> None:
    """Measures the row and writes its line."""
    began = time.monotonic()
    result = train(row, rank)
    result["seconds"] = round(time.monotonic() - began, 1)
    pipe.write(json.dumps(result) + "\n")


class Keep:
    """Writes rows until the time is up."""

    def __init__(self, path: str, seconds: float) -> None:
        self.file = Path(path).open("a", encoding="utf-8")  # noqa: SIM115 - kept open
        self.end = time.monotonic() + seconds

    def late(self) -> bool:
        return time.monotonic() > self.end

    def row(self, row: dict[str, Any], found: list[dict[str, Any]]) -> None:
        settings = {k: v for k, v in row.items() if k not in MEASURED}
        problem = next((one for one in found if "failed" in one), {})
        fullest = max(found, key=lambda one: one.get("peak_reserved", 0))
        more = {"ranks": found} if len(found) > 1 and not problem else {}
        self.file.write(json.dumps({**settings, **fullest, **problem, **more}) + "\n")
        self.file.flush()
        told = problem.get("failed") or fullest.get("ok")
        print(fullest.get("seconds"), settings.get("mode", ""), told, flush=True)  # noqa: T201


def run(row: dict[str, Any], ranks: list[int], world: int, keep: Keep) -> None:
    """One process for each rank."""
    made = []
    for rank in ranks:
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            child(row, rank, world, write)
        os.close(write)
        made.append((pid, os.fdopen(read)))
    found = [json.loads(pipe.readline() or "{}") for _, pipe in made]
    keep.row(row, [one or {"failed": "no answer in time"} for one in found])
    for pid, pipe in made:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        pipe.close()
        os.waitpid(pid, 0)


def together(rows: list[dict[str, Any]], ranks: list[int], world: int, keep: Keep) -> None:
    """All rows on these ranks."""
    for row in rows:
        if keep.late():
            break
        run(row, ranks, world, keep)


def main(plan: str, out: str, seconds: float = 1e9) -> None:
    import torch  # noqa: F401 - loaded once, before the forks
    import transformers
    from transformers.models.llama import modeling_llama  # noqa: F401

    transformers.logging.set_verbosity_error()
    rows = [json.loads(line) for line in Path(plan).read_text("utf-8").splitlines()]
    listed = (
        ""
        if TINY
        else subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True).stdout
    )
    gpus = len(listed.splitlines()) or 2
    keep = Keep(out, seconds)
    alone = [row for row in rows if row.get("world", 1) == 1]
    helpers = []
    for gpu in range(gpus):
        pid = os.fork()
        if pid == 0:
            together(alone[gpu::gpus], [gpu], 1, keep)
            os._exit(0)
        helpers.append(pid)
    for pid in helpers:
        os.waitpid(pid, 0)
    shared = [row for row in rows if row.get("world", 1) > 1]
    for world in sorted({row["world"] for row in shared}):
        group = [row for row in shared if row["world"] == world]
        together(group, list(range(world)), world, keep)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(float, sys.argv[3:4]))
