"""What one process of ``measure.py`` does: three training steps of a row, and their peaks."""

from __future__ import annotations

import contextlib
import os
from typing import Any

from measure_megatron import megatron_step
from measure_models import model_of, optimizer_of
from measure_ranks import context_step, deepspeed_engine, spread, stage_of
from measure_trainers import trainer_step

STEPS = 3
TINY = os.environ.get("MEASURE_ON_CPU")  # to try the script without a GPU
DEVICE = "cpu" if TINY else "cuda"
HALF = {"bf16_autocast": "bfloat16", "fp16_autocast": "float16"}


class Peaks:
    """Peak bytes so far, and by phase of the latest step."""

    def __init__(self) -> None:
        self.allocated = self.reserved = 0
        self.phases: dict[str, int] = {}

    def mark(self, phase: str) -> None:
        """The phase ends here."""
        import torch

        now = torch.cuda.max_memory_allocated()
        self.phases[phase] = max(self.phases.get(phase, 0), now)
        self.allocated = max(self.allocated, now)
        self.reserved = max(self.reserved, torch.cuda.max_memory_reserved())
        torch.cuda.reset_peak_memory_stats()


def train(row: dict[str, Any], rank: int) -> dict[str, Any]:
    """Three steps; the peaks in bytes."""
    import torch

    if row.get("limit"):
        total = torch.cuda.mem_get_info()[1]
        torch.cuda.set_per_process_memory_fraction(row["limit"] / total)
    torch.manual_seed(rank)
    peaks = Peaks()
    result: dict[str, Any] = {"ok": True}
    try:
        step = stepper(row, rank, result)
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        for _ in range(STEPS):
            peaks.phases = {}
            step(peaks)
        if row.get("evaluate"):
            evaluation(row, step, peaks, result)
    except torch.OutOfMemoryError as problem:
        result.update(ok=False, error=str(problem)[:900])
    result.pop("evaluated", None)
    result.pop("close", int)()
    last = dict(peaks.phases)
    peaks.mark("end")
    free, total = torch.cuda.mem_get_info()
    result.update(peak_allocated=peaks.allocated, peak_reserved=peaks.reserved)
    result.update(device_used=total - free, device_total=total, phases=last)
    result["retries"] = torch.cuda.memory_stats().get("num_alloc_retries", 0)
    return result


def stepper(row: dict[str, Any], rank: int, result: dict[str, Any]) -> Any:
    """The function that takes one step of the row."""
    import torch

    mode = row.get("mode", "")
    if mode == "megatron":
        return megatron_step(row, result)
    model = model_of(row, DEVICE)
    result["params"] = parameters(model)
    if row.get("trainer"):
        return trainer_step(row, model)
    if mode == "pp":
        return pipeline(row, model, rank)  # which keeps only this rank's layers
    if mode.startswith("zero"):
        engine = deepspeed_engine(row, model)
        result["close"] = engine.destroy
        return lambda peaks: engine_step(row, engine, peaks)
    if row.get("world", 1) > 1:
        model = spread(row, model, DEVICE)
    optimizer = optimizer_of(row, model)
    if row.get("pairs"):
        return preferring(row, model, optimizer)
    take = lambda peaks: one_step(row, model, optimizer, peaks)  # noqa: E731
    if row.get("evaluate"):
        result["evaluated"] = model
    torch.cuda.synchronize()
    return take


def parameters(model: Any) -> int:
    """A packed 4-bit weight counts its values, not its bytes."""
    state = lambda p: getattr(p, "quant_state", None)  # noqa: E731
    return sum(state(p).shape.numel() if state(p) else p.numel() for p in model.parameters())


def cast_of(row: dict[str, Any]) -> Any:
    import torch

    name = HALF.get(row.get("dtype", "bf16_autocast"))
    if name is None or row.get("mode", "").startswith(("fsdp", "zero", "cp")):
        return contextlib.nullcontext()
    return torch.autocast(DEVICE, getattr(torch, name))


def tokens_of(row: dict[str, Any], count: int) -> Any:
    import torch

    return torch.randint(0, row["vocab"], (count, row["seq"]), device=DEVICE)


def one_step(row: dict[str, Any], model: Any, optimizer: Any, peaks: Peaks) -> None:
    """Forward and backward of each micro batch, the optimizer's step, gradients freed."""
    import torch

    for _ in range(row.get("accum", 1)):
        tokens = tokens_of(row, row["micro"])
        if row.get("mode") == "cp":
            context_step(row, model, tokens, peaks)
            continue
        places = {}
        if row.get("mode") == "sp":  # the embedding's result is this rank's part only
            places["position_ids"] = torch.arange(row["seq"], device=DEVICE)[None]
        with cast_of(row):
            loss = model(input_ids=tokens, labels=tokens, **places).loss
        peaks.mark("forward")
        loss.backward()
        peaks.mark("backward")
        del loss
    optimizer.step()
    peaks.mark("optimizer")
    optimizer.zero_grad(set_to_none=True)


def preferring(row: dict[str, Any], model: Any, optimizer: Any) -> Any:
    """A step of direct preference optimisation in a loop of one's own: ``micro`` pairs, chosen and
    rejected in one batch, beside a frozen model of the same size."""
    import torch

    frozen = model_of({**row, "ckpt": False, "lora": None}, DEVICE).eval().requires_grad_(False)

    def summed(one: Any, tokens: Any) -> Any:
        logits = one(input_ids=tokens).logits[:, :-1]
        found = torch.log_softmax(logits.float(), -1)
        return found.gather(-1, tokens[:, 1:, None]).squeeze(-1).sum(-1)

    def step(peaks: Peaks) -> None:
        tokens = tokens_of(row, 2 * row["micro"])
        with cast_of(row):
            with torch.no_grad():
                before = summed(frozen, tokens)
            change = summed(model, tokens) - before
            better, worse = change.chunk(2)
            loss = -torch.nn.functional.logsigmoid(0.1 * (better - worse)).mean()
        peaks.mark("forward")
        loss.backward()
        peaks.mark("backward")
        optimizer.step()
        peaks.mark("optimizer")
        optimizer.zero_grad(set_to_none=True)

    return step


def engine_step(row: dict[str, Any], engine: Any, peaks: Peaks) -> None:
    for _ in range(row.get("accum", 1)):
        tokens = tokens_of(row, row["micro"])
        loss = engine(input_ids=tokens, labels=tokens).loss
        peaks.mark("forward")
        engine.backward(loss)
        peaks.mark("backward")
        del loss
        engine.step()
        peaks.mark("optimizer")


def pipeline(row: dict[str, Any], model: Any, rank: int) -> Any:
    schedule, part = stage_of(row, model, rank, DEVICE)
    del model
    optimizer = optimizer_of(row, part)

    def step(peaks: Peaks) -> None:
        tokens = tokens_of(row, row["micro"] * row["accum"])
        with cast_of(row):
            if rank == 0:
                schedule.step(tokens)
            else:
                schedule.step(target=tokens)
        peaks.mark("backward")
        optimizer.step()
        peaks.mark("optimizer")
        optimizer.zero_grad(set_to_none=True)

    return step


def evaluation(row: dict[str, Any], step: Any, peaks: Peaks, result: dict[str, Any]) -> None:
    """Loss of ``evaluate`` sequences at once without gradients, model and optimizer kept."""
    import torch

    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    model = result.pop("evaluated").eval()
    tokens = tokens_of(row, row["evaluate"])
    with torch.no_grad(), cast_of(row):
        model(input_ids=tokens, labels=tokens)
    peaks.phases["evaluation"] = torch.cuda.max_memory_allocated()
    peaks.phases["evaluation reserved"] = torch.cuda.max_memory_reserved()
    torch.cuda.reset_peak_memory_stats()
