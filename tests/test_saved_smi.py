"""What people save of nvidia-smi beside a log: columns that they chose, parts of -q, a table first."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.filekind import kind_of
from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

ASKED = (
    "$ nvidia-smi --query-gpu=index,utilization.gpu,clocks.sm,clocks_event_reasons.active,"
    "temperature.gpu --format=csv\n"
)
TITLES = (
    "index, utilization.gpu [%], clocks.current.sm [MHz], clocks_event_reasons.active, "
    "temperature.gpu\n"
)
EVEN = "".join(f"{n}, 99 %, 1980 MHz, 0x0000000000000000, 5{n}\n" for n in range(3))
HOT = "3, 99 %, 855 MHz, 0x0000000000000060, 91\n"
NAMED = (
    "index, clocks.current.sm [MHz], clocks.max.sm [MHz], temperature.gpu, power.draw [W], "
    "clocks_throttle_reasons.hw_thermal_slowdown\n"
    "0, 1980 MHz, 1980 MHz, 55, 640.10 W, Not Active\n3, {clock}, 1980 MHz, 91, 310.20 W, {held}\n"
)
STAMPED = (
    "timestamp, index, name, pstate, utilization.gpu [%], clocks.current.sm [MHz], "
    "clocks_event_reasons.hw_power_brake_slowdown\n"
    "2026/03/11 02:01:11.120, 1, NVIDIA A100-SXM4-80GB, P0, 100 %, 1410 MHz, Not Active\n"
    "2026/03/11 02:01:11.122, 2, NVIDIA A100-SXM4-80GB, P0, 100 %, 630 MHz, Active\n"
)
DETAIL = (
    "GPU 00000000:9C:00.0\n    Clocks Event Reasons\n        Idle                  : Not Active\n"
    "        SW Power Cap          : {cap}\n        HW Slowdown           : {held}\n"
    "            HW Thermal Slowdown           : {held}\n    Clocks\n"
    "        SM                    : {clock} MHz\n    Max Clocks\n"
    "        SM                    : 1980 MHz\n"
)
TABLE = """\
Wed Mar 11 02:00:00 2026
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |
|-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
|=========================================+========================+======================|
|   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |
| N/A   34C    P0             71W /  700W |       1MiB /  81559MiB |      0%      Default |
+-----------------------------------------+------------------------+----------------------+
"""
SLOWER = "".join(
    f" [2026-03-11 02:{n // 60:02d}:{n % 60:02d}] iteration {n:8d}/ 5000 | elapsed time per iteration "
    f"(ms): {4010.0 + n % 7 if n < 60 else 6900.0 + n % 9:.1f} | lm loss: {2.5 - n / 1000:.6E} |\n"
    for n in range(1, 130)
)
RAISED = (
    "Traceback (most recent call last):\n"
    '  File "/job/train.py", line 61, in <module>\n    import flash_attn\n'
    "ModuleNotFoundError: No module named 'flash_attn'\n"
)
THROTTLED = "gpu-clocks-throttled"


def of(folder: Path, report: str, log: str = SLOWER, name: str = "gpu.txt") -> Result:
    (folder / name).write_text(report)
    (folder / "rank0.log").write_text(log)
    return judge(Labelled("run", folder=str(folder)), load())


@pytest.mark.parametrize(
    ("name", "report"),
    [
        ("smi.txt", ASKED + TITLES + EVEN + HOT),
        ("smi.csv", TITLES + EVEN + HOT),
        ("smi.txt", ASKED + EVEN + HOT),  # noheader
        ("nvidia-smi-n3.txt", NAMED.format(clock="855 MHz", held="Active")),
        ("gpu.csv", NAMED.format(clock="855 MHz", held="Active")),
        ("gpu.txt", DETAIL.format(cap="Not Active", held="Active", clock=855)),
        ("smi-node3.txt", STAMPED),
    ],
)
def test_a_card_that_is_held_back(tmp_path: Path, name: str, report: str) -> None:
    assert of(tmp_path, report, name=name).named[0] == THROTTLED


def test_a_card_of_a_lower_clock(tmp_path: Path) -> None:
    report = TITLES + EVEN + HOT.replace("0x0000000000000060", "0x0000000000000000")
    assert THROTTLED in of(tmp_path, report).named
    assert THROTTLED not in of(tmp_path, TITLES + EVEN).named


@pytest.mark.parametrize(
    ("name", "report"),
    [
        ("smi.txt", ASKED + TITLES + EVEN),
        ("smi.txt", TITLES + EVEN + "3, 0 %, 345 MHz, 0x0000000000000001, 31\n"),  # idle
        ("smi.txt", TITLES + EVEN + "3, 99 %, 1755 MHz, 0x0000000000000004, 66\n"),  # power cap
        ("gpu.csv", NAMED.format(clock="1965 MHz", held="Not Active")),
        ("gpu.txt", DETAIL.format(cap="Active", held="Not Active", clock=1850)),
    ],
)
def test_cards_that_are_not(tmp_path: Path, name: str, report: str) -> None:
    assert THROTTLED not in of(tmp_path, report, name=name).named[:1]


def test_a_report_of_another_month_says_nothing(tmp_path: Path) -> None:
    stamped = "==============NVSMI LOG==============\nTimestamp : Wed Jul 22 10:10:51 2026\n"
    report = stamped + DETAIL.format(cap="Not Active", held="Active", clock=855)
    assert of(tmp_path, report).named[0] != THROTTLED


@pytest.mark.parametrize(
    ("titles", "row", "fails"),
    [
        ("index, ecc.errors.uncorrected.volatile.total", "1, 12", True),
        ("index, ecc.errors.uncorrected.volatile.total", "1, 0", False),
        (
            "gpu_bus_id, remapped_rows.uncorrectable, remapped_rows.failure",
            "00000000:9C:00.0, 4, 1",
            True,
        ),
        (
            "gpu_bus_id, remapped_rows.uncorrectable, remapped_rows.failure",
            "00000000:9C:00.0, 1, 0",
            False,
        ),
    ],
)
def test_errors_of_memory(tmp_path: Path, titles: str, row: str, fails: bool) -> None:
    failed = (
        "step 410 | loss 2.11\ntorch.AcceleratorError: CUDA error: an illegal memory access was "
        "encountered\n"
    )
    found = of(tmp_path, f"{titles}\n{row}\n", failed, "ecc.txt")
    assert ("gpu-memory-ecc-error" in found.named[:1]) is fails


def test_a_job_that_prints_its_cards_first_is_a_log(tmp_path: Path) -> None:
    for last in (RAISED, "bash: torchrun: command not found\n", "step 10 | loss 2.1\n"):
        path = tmp_path / "slurm-9.out"
        path.write_text(TABLE + last)
        assert kind_of(str(path)) == "log"
    path.write_text(TABLE)
    assert kind_of(str(path)) == "gpu-report"
    path.unlink()
    assert of(tmp_path, "", TABLE + RAISED).named[0] == "flash-attn-not-installed"
