"""``nvidia-smi -q`` as text, and the table that plain ``nvidia-smi`` prints."""

from __future__ import annotations

import re
from collections.abc import Iterable

from medic.facts import GpuProcess
from medic.text.patterns import regex

from .report_xml import Device, Report, process

_DEVICE = regex(r"^GPU [0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d")
_SLOWED = regex(r"(?:HW|Thermal|Brake|Braking) ?(?:Slowdown)?\s+:")
_LINE = regex(r"^(\s*)(\S.*?)(?:\s+:\s?(.*))?$")

_DRIVER = regex(r"Driver Version:\s*([\d.]+)")
_CUDA = regex(r"CUDA Version:\s*([\d.]+)")
_STAMP = regex(r"^\s*(\w{3} \w{3} +\d+ \d{2}:\d{2}:\d{2} \d{4})\s*$")
_NAME = regex(r"^\|\s+(\d+)\s+(\S.*?)\s+(?:On|Off|N/A)\s*\|")
_USE = regex(r"^\|.*?\|\s*(\d+\s*MiB)\s*/\s*(\d+\s*MiB)\s*\|\s*(\d+%|N/A)\s+(\S.*?)\s*\|")
_TEMPERATURE = regex(r"^\|\s*\S+\s+(\d+)C\b")
_ECC = regex(r"\|\s+(\d+|N/A|Off)\s*\|\s*$")
_MIG = regex(r"\|\s*(Enabled|Disabled)\*?\s*\|\s*$")
_PROCESS = regex(
    r"^\|\s+(\d+)\s+(?:(?:N/A|\d+)\s+(?:N/A|\d+)\s+)?(\d+)\s+(?:C|G|M|C\+G|M\+C)\s+(\S.*?)\s+(\d+\s*MiB|N/A)\s*\|"
)


def parse_log(lines: Iterable[str]) -> Report:
    """The last report of ``nvidia-smi -q``, or a part of one; sections are told by their
    indentation."""
    report, path = Report(), [(-1, "")]
    for number, line in enumerate(lines, 1):
        if "NVSMI LOG" in line:
            report, path = Report(), [(-1, "")]
        elif _DEVICE.match(line):
            report.devices.append(Device())
            path = [(-1, "")]
        elif found := _LINE.match(line.rstrip()):
            value = (found[3] or "").strip()
            _enter(report, path, len(found[1]), _key(found[2]), value)
            if value == "Active" and report.devices and _SLOWED.search(line):
                report.devices[-1].line, report.devices[-1].text = number, line.strip()
    for device in report.devices:
        device.processes += _processes(device.fields)
    return report


def is_device(line: str) -> bool:
    """Whether the part of a report begins that tells of one GPU."""
    return _DEVICE.match(line) is not None


def _key(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")


def _enter(report: Report, path: list[tuple[int, str]], indent: int, key: str, value: str) -> None:
    while path[-1][0] >= indent:
        path.pop()
    name = "/".join([k for _, k in path[1:]] + [key])
    path.append((indent, key))
    fields = report.devices[-1].fields if report.devices else report.fields
    if name == "processes/process_id":  # repeats for each process
        count = sum(1 for n in fields if n.startswith("processes/process_id"))
        path[-1] = (indent, name := f"process_id#{count}")
        name = "processes/" + name
    if value:
        fields.setdefault(name, value)


def _processes(fields: dict[str, str]) -> list[GpuProcess]:
    found = []
    for name, pid in fields.items():
        if name.startswith("processes/process_id#") and name.count("/") == 1:
            made = process(pid, fields.get(f"{name}/name"), fields.get(f"{name}/used_gpu_memory"))
            found += [made] if made else []
    return found


def parse_table(lines: Iterable[str]) -> Report:
    """The last table in the lines (a loop prints several)."""
    report, stamp = Report(), ""
    by_index: dict[str, Device] = {}
    for line in lines:
        if found := _STAMP.match(line):
            stamp = found[1]
        elif "NVIDIA-SMI" in line and (driver := _DRIVER.search(line)):
            report, by_index = Report({"driver_version": driver[1], "timestamp": stamp}), {}
            cuda = _CUDA.search(line)
            report.fields["cuda_version"] = cuda[1] if cuda else ""
        elif found := _PROCESS.match(line):
            made = process(found[2], found[3], found[4])
            if made and found[1] in by_index:
                by_index[found[1]].processes.append(made)
        elif found := _NAME.match(line):
            report.devices.append(_named(found[1], found[2], line))
            by_index[found[1]] = report.devices[-1]
        elif report.devices:
            _details(report.devices[-1].fields, line)
    return report


def _named(index: str, name: str, line: str) -> Device:
    device = Device({"product_name": name, "index": index})
    if ecc := _ECC.search(line):
        device.fields["ecc_errors/volatile/uncorrectable"] = ecc[1]
    return device


def _details(fields: dict[str, str], line: str) -> None:
    if (use := _USE.match(line)) and "fb_memory_usage/used" not in fields:
        fields["fb_memory_usage/used"], fields["fb_memory_usage/total"] = use[1], use[2]
        fields["utilization/gpu"], fields["compute_mode"] = use[3], use[4]
        if heat := _TEMPERATURE.match(line):
            fields["temperature/gpu_temp"] = heat[1]
    elif mig := _MIG.search(line):
        fields.setdefault("mig_mode/current", mig[1])
