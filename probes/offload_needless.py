"""Whether states are kept in host memory although the GPU would hold them with room to spare."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import GpuSeries, GpuState, LogHits, MemoryEstimate, Source
from medic.facts.memory import gib
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, source_of
from medic.records import replace
from medic.run_config import RunConfig, Setting
from medic.text.patterns import regex

from .memory_estimate import gpu_memory

CHECK = "offload-in-use"
FIELD = "optimizer_offload"
_PLACES = ("cpu", "nvme")
# Keys of FSDP, accelerate, DeepSpeed, and of loops of one's own that wrap them; not those of activations.
_KEY = regex(
    r"^(?:fsdp_?)?(?:cpu_?offload|offload_?params?|offload_?optimizer(?:_device)?|"
    r"offload_?param_device|optimizer_?cpu_?offload|offload_policy)$"
)
_ON = frozenset(("true", "yes", "on", "1", *_PLACES))
HALF = 0.5  # of the card: so much is left beside what no estimate knows of


def run(look: Look) -> Iterator[Finding]:
    config = look.fact(RunConfig)
    source, capacity = _offloaded(config), gpu_memory(look)
    if source is None or capacity is None or _used(look) > HALF * capacity:
        return
    whole = look.estimate_memory(_without(config), capacity)
    if not _is_small(whole, capacity):
        return
    value = {"need": gib(whole.high or 0), "capacity": gib(capacity)}
    yield Finding(CHECK, "would-fit-the-gpu", value=value, source=source, exact=True)


def _offloaded(config: RunConfig) -> Source | None:
    """Where the configuration says that optimizer or parameters are offloaded."""
    for one in config.settings:
        if _offloads(one):
            return source_of(one.origin, f"{'.'.join(one.path)}: {one.value}")
    place = config.get(FIELD)
    if str(place).lower() in _PLACES and config.stated(FIELD):
        return source_of(config.origin(FIELD), f"{FIELD}: {place}")
    return None


def _offloads(setting: Setting) -> bool:
    names = [part.lower().replace("-", "_") for part in setting.path]
    if not names:
        return False
    at = names[-2] if names[-1] == "device" and len(names) > 1 else names[-1]
    return bool(_KEY.search(at)) and str(setting.value).lower() in _ON


def _without(config: RunConfig) -> RunConfig:
    """The configuration without the offload."""
    values = {name: value for name, value in config.values.items() if name != FIELD}
    return replace(
        config, values=values, settings=tuple(s for s in config.settings if not _offloads(s))
    )


def _is_small(estimate: MemoryEstimate, capacity: int) -> bool:
    """Whether the most that the estimate allows for is half of the card."""
    high, open_terms = estimate.high, estimate.not_measured or estimate.unknown
    return high is not None and not open_terms and high <= HALF * capacity


def _used(look: Look) -> int:
    """The most bytes in use on a GPU, of what was saved."""
    used = [0]
    if look.has(GpuSeries):
        samples = look.fact(GpuSeries).samples.values()
        used += [row[2] or 0 for rows in samples for row in rows]
    if look.has(GpuState):
        used += [gpu.used or 0 for gpu in look.fact(GpuState).gpus]
    return max(used)


PROBE = Probe(
    name="offload-needless",
    title=Text("offload beside the GPU's memory", "卸载与显存的对比"),
    tells=(CHECK,),
    needs=(RunConfig,),
    wants=(GpuState, GpuSeries, LogHits),
    run=run,
    seconds=0.2,
    limit_seconds=10.0,
)
