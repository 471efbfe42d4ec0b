"""This machine's GPUs through a module that stands for pynvml."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from medic.probes.gpu.nvml import gpu_count, read_host

from medic.errors import Unreadable
from medic.facts import Gpu, GpuProcess


def test_all_fields(fake_nvml: Any) -> None:
    fake = fake_nvml()
    state = read_host()
    assert (state.origin, state.driver, state.cuda) == ("this-host", "550.10", "12.4")
    assert len(state.gpus) == 2
    assert state.gpus[1] == Gpu(
        index=1,
        name="NVIDIA A100",
        total=80 << 30,
        used=20 << 30,
        utilisation=87.0,
        processes=(GpuProcess(4321, "/opt/ollama", 19 << 30),),
        ecc_uncorrected=3,
        retired_rows=4,
        row_remap_failed=True,
        throttle=("hw_thermal_slowdown",),
        pcie_width=8,
        pcie_width_max=16,
        pcie_generation=1,
        pcie_generation_max=4,
        mig=False,
        compute_mode="Exclusive_Process",
        temperature=61.0,
    )
    assert fake.calls[-1] == "nvmlShutdown"


def test_what_is_not_supported_is_not_told(fake_nvml: Any) -> None:
    needed = ("nvmlInit", "nvmlShutdown", "nvmlDeviceGetCount", "nvmlDeviceGetHandleByIndex")
    fake_nvml(missing=tuple(n for n in fake_nvml().functions if n not in needed))
    gpu = read_host().gpus[0]
    told = {n: getattr(gpu, n) for n in Gpu.__dataclass_fields__ if n not in ("index", "source")}
    assert set(told.values()) == {None, (), ""}


def test_functions_that_an_old_release_lacks(fake_nvml: Any) -> None:
    fake = fake_nvml(missing=("nvmlDeviceGetRemappedRows",))
    del fake.nvmlDeviceGetCurrentClocksEventReasons
    fake.nvmlDeviceGetCurrentClocksThrottleReasons = lambda _: 0x4
    gpu = read_host().gpus[0]
    assert (gpu.retired_rows, gpu.row_remap_failed, gpu.throttle) == (4, None, ("sw_power_cap",))


def test_no_driver(fake_nvml: Any) -> None:
    fake_nvml(dead=True)
    with pytest.raises(Unreadable, match="Driver Not Loaded"):
        read_host()
    assert gpu_count() is None


def test_no_gpu(fake_nvml: Any) -> None:
    fake = fake_nvml(count=0)
    with pytest.raises(Unreadable, match="no GPU"):
        read_host()
    assert fake.calls[-1] == "nvmlShutdown"


def test_no_bindings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    with pytest.raises(Unreadable, match="nvidia-ml-py is not installed"):
        read_host()
