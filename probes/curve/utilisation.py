"""Model FLOPs utilisation: what of the GPUs' peak the training step uses, by arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from medic.facts import Curve, GpuState, Series
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of
from medic.run_config import RunConfig

from .numbers import clean, median
from .plan import source_at

CHECK = "model-flops-utilisation"
MIN_POINTS = 10
LARGE = 500_000_000  # parameters: a smaller model cannot fill a GPU
_TERA = 1e12
_FIELDS = ("global_batch_tokens", "parameters", "world_size")
_PEAK = Text(
    "the GPU's model, as nvidia-smi prints it, and its published bf16 peak",
    "GPU 型号（nvidia-smi 打印的）及其公开的 bf16 峰值",
)
_STEP_TIME = Text(
    "the step time of 10 steps or a logged mfu", "至少 10 步的每步耗时，或日志中的 mfu"
)
_POSSIBLE = Text(
    "numbers that give a share of the peak below 1", "能得出低于峰值的数字（现有数字互相矛盾）"
)
_OTHER = Text(
    "arithmetic for adapters and experts: only a dense model that is trained whole is computed",
    "适配器或 MoE 的算法：只计算整体训练的稠密模型",
)


def run(look: Look) -> Iterator[Any]:
    curve = look.fact(Curve)
    config = config_of(look)
    found = _logged(curve) or _computed(look, curve, config)
    parameters = config.number("parameters")
    if found is None:
        yield Skip(_lacks(look, curve, config), check=CHECK)
        return
    share, series, how = found
    source = source_at(look, series, len(series.steps) - 1)
    value = {"mfu": f"{share:.0%}", "how": how, "step": series.steps[-1]}
    large = parameters is not None and parameters >= LARGE
    low = share < look.threshold("low-utilisation") and large
    yield Finding(CHECK, "low" if low else "usual", value=value, source=source)


def _lacks(look: Look, curve: Curve, config: RunConfig) -> Text:
    """What of the arithmetic is not known here."""
    times = curve.series.get("step_time")
    lacking = [] if times is not None and len(times.steps) >= MIN_POINTS else [_STEP_TIME]
    lacking += [Text(name, name) for name in _FIELDS if not config.number(name)]
    lacking += [_PEAK] if _peak(look) is None else []
    lacking += [_OTHER] if config.get("lora_rank") or config.get("num_experts") else []
    lacking = lacking or [_POSSIBLE]
    return Text("; ".join(t.en for t in lacking), "；".join(t.zh for t in lacking))


def _logged(curve: Curve) -> tuple[float, Series, Text] | None:
    series = curve.series.get("mfu")
    if series is None or len(series.steps) < MIN_POINTS:
        return None
    level = median(clean(series)[1])
    share = level / 100 if level > 1.5 else level
    return share, series, Text("as logged", "取自日志")


def _computed(look: Look, curve: Curve, config: RunConfig) -> tuple[float, Series, Text] | None:
    """6 N flops a token and 6 L h s of causal attention (PaLM, appendix B; half of it masked)."""
    times = curve.series.get("step_time")
    tokens, parameters, world = (config.number(n) for n in _FIELDS)
    peak = _peak(look)
    if times is None or len(times.steps) < MIN_POINTS or not (tokens and parameters and world):
        return None
    # Adapters need no gradient of the base, experts are used in part: other arithmetic.
    if peak is None or config.get("lora_rank") or config.get("num_experts"):
        return None
    layers, hidden, length = (
        config.number(n) or 0.0 for n in ("num_layers", "hidden_size", "sequence_length")
    )
    seconds = median(clean(times)[1])
    flops = (6 * parameters + 6 * layers * hidden * length) * tokens
    share = flops / (seconds * world * peak) if seconds > 0 else 0.0
    words = Text(
        "{flops} TFLOP per step / ({seconds} s x {world} GPUs x {peak} TFLOP/s)",
        "每步 {flops} TFLOP /（{seconds} 秒 x {world} 卡 x {peak} TFLOP/s）",
    )
    how = words.fill(
        flops=f"{flops / _TERA:,.0f}",
        seconds=f"{seconds:.3g}",
        world=f"{world:.0f}",
        peak=f"{peak / _TERA:,.0f}",
    )
    return (share, times, how) if 0 < share < 1 else None


def _peak(look: Look) -> float | None:
    """Dense bf16 FLOP/s of the run's GPU, by the name that the driver gives it."""
    if not look.has(GpuState):
        return None
    state = look.fact(GpuState)
    if state.origin == "this-host" and look.host_is_the_runs is not True:
        return None
    names = {g.name.lower() for g in state.gpus if g.name}
    if len(names) != 1:
        return None
    words = set(names.pop().replace("-", " ").split())
    if words & {"pcie", "nvl"}:  # slower forms of the same name
        return None
    best = None
    for gpu in look.gpus:
        said = [gpu.name, *gpu.says]
        if gpu.bf16_flops and any(set(s.replace("-", " ").split()) <= words for s in said):
            best = gpu.bf16_flops
    return float(best) if best else None


PROBE = Probe(
    name="curve-utilisation",
    title=Text("use of the GPUs' peak", "GPU 算力利用率"),
    tells=(CHECK,),
    needs=(Curve,),
    wants=(RunConfig, GpuState),
    reliability="heuristic",
    seconds=0.05,
    run=run,
)
