"""Whether a saved report shows a GPU that its hardware slows down while it works."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import GpuState, LogHits
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip

from .clocks import BUSY
from .near import is_near

CHECK = "gpu-clocks"
_SLOWED = {"hw_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown"}
_NEEDS = Text("nvidia-smi -q output of the run's time", "运行期间的 nvidia-smi -q 输出")


def run(look: Look) -> Iterator[Finding | Skip]:
    state = look.fact(GpuState)
    if state.origin == "this-host" or not is_near(look, state.source):
        yield Skip(_NEEDS, check=CHECK)
        return
    for gpu in state.gpus:
        if _SLOWED & set(gpu.throttle) and (gpu.utilisation or 0) >= BUSY:
            value = {"gpu": gpu.index, "share": "1/1", "how": ", ".join(gpu.throttle)}
            yield Finding(CHECK, "held-back", value=value, source=state.source)
            return


PROBE = Probe(
    name="gpu-slowed",
    title=Text("slowdowns in saved GPU reports", "GPU 报告中的降频"),
    tells=(CHECK,),
    needs=(GpuState,),
    wants=(LogHits,),
    seconds=0.01,
    run=run,
)
