"""Saved nvidia-smi output in each of its forms."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.gpu.saved import read_saved, stamp

from medic.errors import Unreadable
from medic.facts import GivenFile, Gpu, GpuProcess, GpuState

TIME = 1772792430.0  # 2026-03-06 10:20:30 UTC
OLLAMA = GpuProcess(4321, "/opt/ollama", 19456 << 20)


def read(look: Any, text: str | bytes, name: str = "nvidia-smi.txt") -> Any:
    seen = look({name: text}, kinds={name: "gpu-report"})
    (file,) = (f for f in seen.files("gpu-report") if f.name == name)
    assert isinstance(file, GivenFile)
    return read_saved(seen, file)


def test_xml(look: Any, smi: Any) -> None:
    state = read(look, smi.xml, "report.xml")
    assert (state.driver, state.cuda, state.source.time) == ("550.10", "12.4", TIME)
    assert state.origin == "report.xml"
    assert state.gpus[1] == Gpu(
        index=1,
        name="NVIDIA A100-SXM4-80GB",
        total=81920 << 20,
        used=20480 << 20,
        utilisation=87.0,
        processes=(OLLAMA, GpuProcess(12, "Xorg", None)),
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


def test_gpus_that_the_report_left_out_are_counted(look: Any, smi: Any) -> None:
    """attached_gpus says 2; ``-i 1`` showed the second only."""
    state = read(look, smi.xml, "report.xml")
    assert state.gpus[0] == Gpu(0)
    assert [g.index for g in state.gpus] == [0, 1]


def test_text_of_minus_q_tells_the_same(look: Any, smi: Any) -> None:
    text, xml = read(look, smi.log), read(look, smi.xml, "report.xml")
    assert (text.driver, text.cuda, text.source.time) == (xml.driver, xml.cuda, TIME)
    (gpu,) = text.gpus
    assert gpu.processes == (OLLAMA, GpuProcess(4400, "python", 512 << 20))
    for name in Gpu.__dataclass_fields__:
        if name not in ("index", "processes", "source"):
            assert getattr(gpu, name) == getattr(xml.gpus[1], name), name


def test_table(look: Any, smi: Any) -> None:
    state = read(look, smi.table)
    assert (state.driver, state.cuda, state.source.time) == ("550.10", "12.4", TIME)
    first, second = state.gpus
    assert (first.used, first.total, first.utilisation, first.processes) == (
        7 << 20,
        81920 << 20,
        0.0,
        (),
    )
    assert (second.ecc_uncorrected, second.mig, second.compute_mode) == (3, False, "E. Process")
    assert second.temperature == 61.0
    assert second.processes == (
        GpuProcess(4321, "/opt/my ollama serve", 19456 << 20),
        GpuProcess(4400, "...env/bin/python", 512 << 20),
    )


def test_table_of_an_old_driver(look: Any, smi: Any) -> None:
    (gpu,) = read(look, smi.old_table).gpus
    assert (gpu.used, gpu.total) == (9876 << 20, 16130 << 20)
    assert gpu.processes == (GpuProcess(55555, "python", 9865 << 20),)


@pytest.mark.parametrize("form", ["xml", "log", "table"])
def test_of_several_reports_in_one_file_the_last_counts(look: Any, smi: Any, form: str) -> None:
    first = getattr(smi, form)
    last = first.replace("10:20:30", "11:20:30").replace("4321", "9999")
    state = read(look, first + last)
    assert state.source.time == TIME + 3600
    assert state.gpus[-1].processes[0].pid == 9999
    assert len(state.gpus) == len(read(look, first).gpus)


def test_a_report_cut_off_in_a_loop(look: Any, smi: Any) -> None:
    state = read(look, smi.xml + smi.xml[:900], "report.xml")
    assert state.gpus[1].processes[0].pid == 4321


def test_an_entity_is_refused(look: Any) -> None:
    bomb = (
        '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
        "<nvidia_smi_log><gpu><product_name>&b;</product_name></gpu></nvidia_smi_log>"
    )
    for data in (bomb.encode(), bomb.replace("?>", ' encoding="utf-16"?>', 1).encode("utf-16")):
        with pytest.raises(Unreadable):
            read(look, data, "report.xml")
    with pytest.raises(Unreadable, match="entity"):
        read(look, bomb, "report.xml")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<nvidia_smi_log>",
        b"<a>" * 100,
        b"\x00\xff" * 50,
        b"no such table\n",
        b"<nvidia_smi_log></nvidia_smi_log>",
    ],
)
def test_what_is_no_report(look: Any, data: bytes) -> None:
    with pytest.raises(Unreadable):
        read(look, data)


def test_values_that_are_not_available(look: Any, smi: Any) -> None:
    import re

    blank = re.sub(r">(?:\d+|\d+ [^<]+|\d+x|Yes|Disabled)<", ">[N/A]<", smi.xml)
    blank = blank.replace("<attached_gpus>[N/A]", "<attached_gpus>1")
    (gpu,) = read(look, blank, "report.xml").gpus
    told = {
        n: getattr(gpu, n)
        for n in Gpu.__dataclass_fields__
        if n not in ("index", "name", "throttle", "compute_mode", "source")
    }
    assert set(told.values()) == {None, ()}


def test_stamp() -> None:
    assert stamp("Fri Mar  6 10:20:30 2026") == TIME
    assert stamp("yesterday") is None


def test_series_in_a_file_called_a_report(look: Any) -> None:
    rows = "timestamp, index, utilization.gpu [%], memory.used [MiB]\n"
    row = "2026/03/06 10:20:3{n}.5, 0, 3 %, 7 MiB\n"
    series = read(look, rows + "".join(row.format(n=n) for n in range(5)))
    assert not isinstance(series, GpuState)
    assert series.samples[0][0] == (TIME + 0.5, 3.0, 7 << 20, None, 2)
    once = read(look, rows + row.format(n=0))
    assert isinstance(once, GpuState)
    assert (once.source.time, once.gpus[0].used) == (TIME, 7 << 20)
