"""This machine's GPUs through NVML (nvidia-ml-py), read only."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from medic.errors import Unreadable
from medic.facts import Gpu, GpuProcess, GpuState, Source

# Bits of nvmlDeviceGetCurrentClocksEventReasons that slow a GPU down (nvml.h).
THROTTLE = {
    0x4: "sw_power_cap",
    0x8: "hw_slowdown",
    0x20: "sw_thermal_slowdown",
    0x40: "hw_thermal_slowdown",
    0x80: "hw_power_brake_slowdown",
}
COMPUTE_MODES = {0: "Default", 1: "Exclusive_Thread", 2: "Prohibited", 3: "Exclusive_Process"}


def read_host() -> GpuState:
    """The GPUs of this machine. Raises Unreadable, saying what is missing."""
    if not _has_driver():
        raise Unreadable("no NVIDIA driver on this machine", "本机没有 NVIDIA 驱动")
    try:
        import pynvml
    except ImportError:
        raise Unreadable("nvidia-ml-py is not installed", "未安装 nvidia-ml-py") from None
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as problem:
        raise Unreadable(
            f"no NVIDIA driver answers here ({problem})", f"本机没有可用的 NVIDIA 驱动（{problem}）"
        ) from None
    try:
        return _Reader(pynvml).state()
    except pynvml.NVMLError as problem:
        raise Unreadable(f"NVML failed: {problem}", f"NVML 出错：{problem}") from None
    finally:
        pynvml.nvmlShutdown()


def _has_driver() -> bool:
    """Whether the library of the driver is there: it loads in a tenth of the time of ``pynvml``."""
    if sys.platform != "linux" or "pynvml" in sys.modules:
        return True  # it has another name there; it was found before
    from ctypes import CDLL

    try:
        CDLL("libnvidia-ml.so.1")
    except OSError:
        return False
    return True


def gpu_count() -> int | None:
    """GPUs of this machine; None if that cannot be told."""
    try:
        return len(read_host().gpus)
    except Unreadable:
        return None


class _Reader:
    def __init__(self, nvml: Any) -> None:
        self._nvml = nvml

    def state(self) -> GpuState:
        count = self._nvml.nvmlDeviceGetCount()
        if not count:
            raise Unreadable("no GPU on this machine", "本机没有 GPU")
        cuda = self._ask("nvmlSystemGetCudaDriverVersion_v2")
        return GpuState(
            gpus=tuple(self._gpu(i) for i in range(count)),
            origin="this-host",
            driver=_text(self._ask("nvmlSystemGetDriverVersion")),
            cuda=f"{cuda // 1000}.{cuda % 1000 // 10}" if cuda else "",
            source=Source(file="NVML"),
        )

    def _ask(self, name: str, *arguments: Any) -> Any:
        """The answer, or None where this GPU, driver or NVML release has none."""
        function: Callable[..., Any] | None = getattr(self._nvml, name, None)
        if function is None:
            return None
        try:
            return function(*arguments)
        except self._nvml.NVMLError:
            return None

    def _gpu(self, index: int) -> Gpu:
        handle = self._nvml.nvmlDeviceGetHandleByIndex(index)
        memory = self._memory(handle)
        rates = self._ask("nvmlDeviceGetUtilizationRates", handle)
        remapped = self._ask("nvmlDeviceGetRemappedRows", handle)  # corrected, uncorrected, …
        mig = self._ask("nvmlDeviceGetMigMode", handle)  # current, pending
        mode = self._ask("nvmlDeviceGetComputeMode", handle)
        return Gpu(
            index=index,
            name=_text(self._ask("nvmlDeviceGetName", handle)),
            total=memory.total if memory else None,
            used=memory.used if memory else None,
            utilisation=float(rates.gpu) if rates else None,
            processes=self._processes(handle),
            ecc_uncorrected=self._ask("nvmlDeviceGetTotalEccErrors", handle, 1, 0),
            retired_rows=remapped[0] + remapped[1] if remapped else self._retired(handle),
            row_remap_failed=bool(remapped[3]) if remapped else None,
            throttle=self._throttle(handle),
            pcie_width=self._ask("nvmlDeviceGetCurrPcieLinkWidth", handle),
            pcie_width_max=self._ask("nvmlDeviceGetMaxPcieLinkWidth", handle),
            pcie_generation=self._ask("nvmlDeviceGetCurrPcieLinkGeneration", handle),
            pcie_generation_max=self._ask("nvmlDeviceGetMaxPcieLinkGeneration", handle),
            mig=bool(mig[0]) if mig else None,
            compute_mode="" if mode is None else COMPUTE_MODES.get(mode, str(mode)),
            temperature=_float(self._ask("nvmlDeviceGetTemperature", handle, 0)),
        )

    def _memory(self, handle: Any) -> Any:
        """Version 2 leaves out what the driver reserves, as nvidia-smi does."""
        version = getattr(self._nvml, "nvmlMemory_v2", None)
        found = self._ask("nvmlDeviceGetMemoryInfo", handle, version) if version else None
        return found or self._ask("nvmlDeviceGetMemoryInfo", handle)

    def _processes(self, handle: Any) -> tuple[GpuProcess, ...]:
        found: dict[int, GpuProcess] = {}
        for kind in ("Compute", "MPSCompute", "Graphics"):
            for process in self._ask(f"nvmlDeviceGet{kind}RunningProcesses", handle) or ():
                name = _text(self._ask("nvmlSystemGetProcessName", process.pid))
                found.setdefault(
                    process.pid, GpuProcess(process.pid, name[:200], process.usedGpuMemory)
                )
        return tuple(found.values())

    def _retired(self, handle: Any) -> int | None:
        """Pages retired for single-bit (0) and double-bit (1) errors, before Ampere."""
        lists = [self._ask("nvmlDeviceGetRetiredPages", handle, cause) for cause in (0, 1)]
        told = [len(pages) for pages in lists if pages is not None]
        return sum(told) if told else None

    def _throttle(self, handle: Any) -> tuple[str, ...]:
        bits = self._ask("nvmlDeviceGetCurrentClocksEventReasons", handle)
        if bits is None:
            bits = self._ask("nvmlDeviceGetCurrentClocksThrottleReasons", handle)
        return tuple(name for bit, name in THROTTLE.items() if (bits or 0) & bit)


def _text(value: Any) -> str:
    """NVML gives bytes in older releases of its bindings."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def _float(value: Any) -> float | None:
    return None if value is None else float(value)
