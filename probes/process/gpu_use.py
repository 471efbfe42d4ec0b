"""Use, power and clocks of the GPUs while the stacks are taken, through NVML, read only."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ..gpu.nvml import THROTTLE


class GpuSampler:
    """Samples every GPU of this machine; does nothing where no driver answers."""

    def __init__(self) -> None:
        self._nvml: Any = None
        self._handles: list[Any] = []
        self.rows: list[dict[str, Any]] = []
        try:
            import pynvml

            pynvml.nvmlInit()
            self._nvml = pynvml
            count = pynvml.nvmlDeviceGetCount()
            self._handles = [pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(count)]
        except Exception:  # noqa: BLE001 - a driver of any age; GPUs are an extra here
            self._handles = []
        self.rows = [self._fixed(i, h) for i, h in enumerate(self._handles)]

    def _ask(self, name: str, *arguments: Any) -> Any:
        function = getattr(self._nvml, name, None)
        if function is None:
            return None
        try:
            return function(*arguments)
        except self._nvml.NVMLError:
            return None

    def _fixed(self, index: int, handle: Any) -> dict[str, Any]:
        name = self._ask("nvmlDeviceGetName", handle)
        limit = self._ask("nvmlDeviceGetEnforcedPowerLimit", handle)
        processes = self._ask("nvmlDeviceGetComputeRunningProcesses", handle) or ()
        return {
            "index": index,
            "name": name.decode("utf-8", "replace") if isinstance(name, bytes) else name or "",
            "pids": [p.pid for p in processes],
            "power_limit": limit / 1000 if limit else None,
            "clock_max": self._ask("nvmlDeviceGetMaxClockInfo", handle, 1),  # SM
            "utilisation": [], "power": [], "clock": [], "throttle": [],
        }  # fmt: skip

    def sample(self) -> None:
        for row, handle in zip(self.rows, self._handles, strict=True):
            rates = self._ask("nvmlDeviceGetUtilizationRates", handle)
            power = self._ask("nvmlDeviceGetPowerUsage", handle)
            clock = self._ask("nvmlDeviceGetClockInfo", handle, 1)
            if rates is not None:
                row["utilisation"].append(float(rates.gpu))
            if power is not None:
                row["power"].append(power / 1000)
            if clock is not None:
                row["clock"].append(float(clock))
            bits = self._ask("nvmlDeviceGetCurrentClocksEventReasons", handle) or 0
            for bit, name in THROTTLE.items():
                if bits & bit and name not in row["throttle"]:
                    row["throttle"].append(name)

    def close(self) -> None:
        if self._nvml is not None:
            with suppress(self._nvml.NVMLError):
                self._nvml.nvmlShutdown()
