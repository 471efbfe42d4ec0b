"""Settings that leave most of a GPU unused, seen on the GPU itself: a micro batch of one sample
beside empty memory, and fp32 arithmetic at the rate of fp32."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Curve, Gpu, GpuState, LogHits, Series
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig

from ..gpu.near import is_beside
from .numbers import clean, median
from .plan import source_at

CHECK = "settings-beside-gpu"
FEW = 5  # rows of a share
EMPTY = 0.25  # of the memory: four times the micro batch would fit, whatever part is weights
IDLE = 50.0  # percent of the time in which any kernel runs
LITTLE = 0.1  # of the peak: dense models reach 0.35 to 0.55 (PaLM, Megatron-LM, Llama 3)
MICRO_STEPS = 4  # of accumulation: fewer may be what the global batch asks for
BUSY = 90.0
# fp32 without TF32 over dense bf16, by NVIDIA's data sheets: A100 19.5 / 312, H100 and H200 67 / 989
# TFLOP/s. With TF32 it is half of bf16.
FP32_SHARE = 0.07


def run(look: Look) -> Iterator[Finding]:
    state = look.fact(GpuState)
    if state.origin == "this-host" or not is_beside(look, state.source):
        return
    share = _share(look.fact(Curve))
    gpus = [g for g in state.gpus if g.used and g.total and g.utilisation is not None]
    if share is None or not gpus:
        return
    yield from _one_sample(look, gpus, *share)
    yield from _fp32(look, gpus, *share)


def _share(curve: Curve) -> tuple[float, Series] | None:
    """The logged MFU, 0 to 1, of the settled run."""
    series = curve.series.get("mfu")
    values = clean(series)[1][1:] if series is not None else []
    if series is None or len(values) < FEW:
        return None
    # Both shares and percents are logged.
    level = median(values)
    level = level / 100 if level > 1 else level
    return (level, series) if 0 < level < 1 else None


def _one_sample(look: Look, gpus: list[Gpu], share: float, series: Series) -> Iterator[Finding]:
    config = config_of(look)
    steps = config.integer("gradient_accumulation_steps") or 0
    if config.integer("micro_batch_size") != 1 or steps < MICRO_STEPS or share >= LITTLE:
        return
    if any((g.used or 0) > EMPTY * (g.total or 0) or (g.utilisation or 0) > IDLE for g in gpus):
        return
    gpu = max(gpus, key=lambda g: g.used or 0)
    value = {
        "steps": steps,
        "used": _gib(gpu.used),
        "total": _gib(gpu.total),
        "utilisation": f"{gpu.utilisation:.0f}%",
        "mfu": f"{share:.1%}",
    }
    source = source_at(look, series, len(series.steps) - 1)
    yield Finding(CHECK, "one-sample", value=value, source=source)


def _fp32(look: Look, gpus: list[Gpu], share: float, series: Series) -> Iterator[Finding]:
    config = config_of(look)
    adapts = config.get("lora_rank") or config.get("num_experts")
    if config.get("precision") != "fp32" or not config.stated("precision") or adapts:
        return
    if share > FP32_SHARE or any((g.utilisation or 0) < BUSY for g in gpus):
        return
    value = {"mfu": f"{share:.1%}", "utilisation": f"{min(g.utilisation or 0 for g in gpus):.0f}%"}
    source = source_at(look, series, len(series.steps) - 1)
    yield Finding(CHECK, "fp32", value=value, source=source)


def _gib(size: int | None) -> str:
    return f"{(size or 0) / 2**30:.3g} GiB"


PROBE = Probe(
    name="settings-beside-gpu",
    title=Text("settings beside what the GPU shows", "设置与 GPU 实况的对照"),
    tells=(CHECK,),
    needs=(Curve, GpuState),
    wants=(RunConfig, LogHits),
    reliability="heuristic",
    seconds=0.02,
    run=run,
)
