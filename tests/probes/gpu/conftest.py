"""nvidia-smi output in its forms, and a module that stands for pynvml."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

XML = """\
<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
  <timestamp>Fri Mar  6 10:20:30 2026</timestamp>
  <driver_version>550.10</driver_version>
  <cuda_version>12.4</cuda_version>
  <attached_gpus>2</attached_gpus>
  <gpu id="00000000:07:00.0">
    <product_name>NVIDIA A100-SXM4-80GB</product_name>
    <mig_mode><current_mig>Disabled</current_mig><pending_mig>Enabled</pending_mig></mig_mode>
    <minor_number>1</minor_number>
    <pci><pci_gpu_link_info>
      <pcie_gen><max_link_gen>4</max_link_gen><current_link_gen>1</current_link_gen></pcie_gen>
      <link_widths><max_link_width>16x</max_link_width><current_link_width>8x</current_link_width></link_widths>
    </pci_gpu_link_info></pci>
    <clocks_event_reasons>
      <clocks_event_reason_gpu_idle>Active</clocks_event_reason_gpu_idle>
      <clocks_event_reason_hw_thermal_slowdown>Active</clocks_event_reason_hw_thermal_slowdown>
      <clocks_event_reason_sw_power_cap>Not Active</clocks_event_reason_sw_power_cap>
    </clocks_event_reasons>
    <fb_memory_usage>
      <total>81920 MiB</total><reserved>600 MiB</reserved><used>20480 MiB</used>
    </fb_memory_usage>
    <compute_mode>Exclusive_Process</compute_mode>
    <utilization><gpu_util>87 %</gpu_util><memory_util>N/A</memory_util></utilization>
    <ecc_errors>
      <volatile>
        <sram_correctable>9</sram_correctable>
        <sram_uncorrectable_parity>1</sram_uncorrectable_parity>
        <sram_uncorrectable_secded>0</sram_uncorrectable_secded>
        <dram_uncorrectable>2</dram_uncorrectable>
      </volatile>
      <aggregate><dram_uncorrectable>50</dram_uncorrectable></aggregate>
    </ecc_errors>
    <remapped_rows>
      <remapped_row_corr>1</remapped_row_corr><remapped_row_unc>3</remapped_row_unc>
      <remapped_row_failure>Yes</remapped_row_failure>
    </remapped_rows>
    <temperature><gpu_temp>61 C</gpu_temp></temperature>
    <processes>
      <process_info>
        <pid>4321</pid><type>C</type>
        <process_name>/opt/ollama</process_name><used_memory>19456 MiB</used_memory>
      </process_info>
      <process_info>
        <pid>12</pid><type>G</type>
        <process_name>Xorg</process_name><used_memory>N/A</used_memory>
      </process_info>
    </processes>
  </gpu>
</nvidia_smi_log>
"""

LOG = """\

==============NVSMI LOG==============

Timestamp                                 : Fri Mar  6 10:20:30 2026
Driver Version                            : 550.10
CUDA Version                              : 12.4

Attached GPUs                             : 1
GPU 00000000:07:00.0
    Product Name                          : NVIDIA A100-SXM4-80GB
    MIG Mode
        Current                           : Disabled
        Pending                           : Enabled
    PCI
        GPU Link Info
            PCIe Generation
                Max                       : 4
                Current                   : 1
            Link Width
                Max                       : 16x
                Current                   : 8x
    Clocks Event Reasons
        Idle                              : Active
        HW Slowdown                       : Not Active
            HW Thermal Slowdown           : Active
    FB Memory Usage
        Total                             : 81920 MiB
        Used                              : 20480 MiB
    Compute Mode                          : Exclusive_Process
    Utilization
        GPU                               : 87 %
    ECC Errors
        Volatile
            SRAM Uncorrectable Parity     : 1
            DRAM Uncorrectable            : 2
    Remapped Rows
        Correctable Error                 : 1
        Uncorrectable Error               : 3
        Remapping Failure Occurred        : Yes
    Temperature
        GPU Current Temp                  : 61 C
    Processes
        GPU instance ID                   : N/A
        Process ID                        : 4321
            Type                          : C
            Name                          : /opt/ollama
            Used GPU Memory               : 19456 MiB
        GPU instance ID                   : N/A
        Process ID                        : 4400
            Type                          : C
            Name                          : python
            Used GPU Memory               : 512 MiB
"""

TABLE = """\
Fri Mar  6 10:20:30 2026
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 550.10                 Driver Version: 550.10         CUDA Version: 12.4     |
|-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA A100-SXM4-80GB          On  |   00000000:07:00.0 Off |                    0 |
| N/A   33C    P0             61W /  400W |       7MiB /  81920MiB |      0%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
|   1  NVIDIA A100-SXM4-80GB          On  |   00000000:0F:00.0 Off |                    3 |
| N/A   61C    P0            234W /  400W |   20480MiB /  81920MiB |     87%   E. Process |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+

+-----------------------------------------------------------------------------------------+
| Processes:                                                                              |
|  GPU   GI   CI        PID   Type   Process name                              GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|
|    1   N/A  N/A      4321      C   /opt/my ollama serve                       19456MiB |
|    1   N/A  N/A      4400    C+G   ...env/bin/python                             512MiB |
+-----------------------------------------------------------------------------------------+
"""

OLD_TABLE = """\
| NVIDIA-SMI 418.87.00    Driver Version: 418.87.00    CUDA Version: 10.1     |
|   0  Tesla V100-SXM2...  On   | 00000000:1A:00.0 Off |                    0 |
| N/A   35C    P0    56W / 300W |   9876MiB / 16130MiB |     12%      Default |
|    0     55555      C   python                                      9865MiB |
"""


class NVMLError(Exception):
    """As in pynvml: the base of NotSupported and the others."""


class FakeNvml(ModuleType):
    """The functions of pynvml for two GPUs; those in ``missing`` are not supported."""

    def __init__(self, count: int = 2, missing: tuple[str, ...] = (), dead: bool = False) -> None:
        super().__init__("pynvml")
        self.calls: list[str] = []
        answers: dict[str, Any] = {
            "nvmlInit": None,
            "nvmlShutdown": None,
            "nvmlDeviceGetCount": count,
            "nvmlDeviceGetHandleByIndex": 0,
            "nvmlSystemGetDriverVersion": b"550.10",
            "nvmlSystemGetCudaDriverVersion_v2": 12040,
            "nvmlDeviceGetName": "NVIDIA A100",
            "nvmlDeviceGetMemoryInfo": SimpleNamespace(total=80 << 30, used=20 << 30),
            "nvmlDeviceGetUtilizationRates": SimpleNamespace(gpu=87, memory=3),
            "nvmlDeviceGetComputeRunningProcesses": [process(19 << 30)],
            "nvmlDeviceGetMPSComputeRunningProcesses": [],
            "nvmlDeviceGetGraphicsRunningProcesses": [process(None)],
            "nvmlSystemGetProcessName": b"/opt/ollama",
            "nvmlDeviceGetTotalEccErrors": 3,
            "nvmlDeviceGetRemappedRows": (1, 3, 0, 1),
            "nvmlDeviceGetRetiredPages": [7, 8],
            "nvmlDeviceGetCurrentClocksEventReasons": 0x1 | 0x40,
            "nvmlDeviceGetCurrPcieLinkWidth": 8,
            "nvmlDeviceGetMaxPcieLinkWidth": 16,
            "nvmlDeviceGetCurrPcieLinkGeneration": 1,
            "nvmlDeviceGetMaxPcieLinkGeneration": 4,
            "nvmlDeviceGetMigMode": [0, 1],
            "nvmlDeviceGetComputeMode": 3,
            "nvmlDeviceGetTemperature": 61,
        }
        self.functions = tuple(answers)
        failing = {*missing, "nvmlInit"} if dead else {*missing}
        for name, answer in answers.items():
            setattr(self, name, self._function(name, answer, name in failing))
        for name, value in (("NVMLError", NVMLError), ("nvmlMemory_v2", 2)):
            setattr(self, name, value)

    def _function(self, name: str, answer: Any, fails: bool) -> Any:
        def function(*_: Any) -> Any:
            self.calls.append(name)
            if fails:
                raise NVMLError("Driver Not Loaded" if name == "nvmlInit" else "Not Supported")
            return answer

        return function


def process(used: int | None) -> SimpleNamespace:
    return SimpleNamespace(pid=4321, usedGpuMemory=used)


@pytest.fixture
def smi() -> SimpleNamespace:
    return SimpleNamespace(xml=XML, log=LOG, table=TABLE, old_table=OLD_TABLE)


@pytest.fixture
def fake_nvml(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts a FakeNvml in the place of pynvml and gives it."""

    def make(**how: Any) -> FakeNvml:
        import sys

        fake = FakeNvml(**how)
        monkeypatch.setitem(sys.modules, "pynvml", fake)
        return fake

    return make
