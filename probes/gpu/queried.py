"""``nvidia-smi --query-gpu=… --format=csv``, ``--query-compute-apps=…`` and the like, saved once.

Titles are those that nvidia-smi prints above the columns; without them (``noheader``) those of the
command that was saved with its output. Fields: nvidia-smi --help-query-gpu.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from medic.facts import GpuProcess
from medic.records import dataclass, field
from medic.text.patterns import regex

from .fields import number
from .report_xml import Device, Report, process

# Title without its unit -> the field of nvidia-smi -q.
_FIELDS = {
    "index": "index", "gpu": "index",
    "name": "product_name", "gpu_name": "product_name",
    "uuid": "uuid", "gpu_uuid": "uuid", "pci.bus_id": "bus", "gpu_bus_id": "bus",
    "timestamp": "timestamp",
    "utilization.gpu": "utilization/gpu_util",
    "memory.used": "fb_memory_usage/used", "memory.total": "fb_memory_usage/total",
    "temperature.gpu": "temperature/gpu_temp",
    "power.draw": "power/draw", "power.draw.instant": "power/draw",
    "power.limit": "power/limit", "enforced.power.limit": "power/limit",
    "clocks.sm": "clocks/sm", "clocks.current.sm": "clocks/sm",
    "clocks.gr": "clocks/graphics", "clocks.current.graphics": "clocks/graphics",
    "clocks.max.sm": "max_clocks/sm", "clocks.max.graphics": "max_clocks/graphics",
    "ecc.errors.uncorrected.volatile.total": "ecc_errors/volatile/uncorrectable",
    "ecc.errors.uncorrected.volatile.dram": "ecc_errors/volatile/dram_uncorrectable",
    "ecc.errors.uncorrected.volatile.sram": "ecc_errors/volatile/sram_uncorrectable",
    "remapped_rows.correctable": "remapped_rows/remapped_row_corr",
    "remapped_rows.uncorrectable": "remapped_rows/remapped_row_unc",
    "remapped_rows.failure": "remapped_rows/remapped_row_failure",
    "retired_pages.single_bit_ecc.count": "retired_pages/single_bit_ecc",
    "retired_pages.double_bit.count": "retired_pages/double_bit_ecc",
    "pcie.link.width.current": "pci/pci_gpu_link_info/link_widths/current_link_width",
    "pcie.link.width.max": "pci/pci_gpu_link_info/link_widths/max_link_width",
    "mig.mode.current": "mig_mode/current_mig", "compute_mode": "compute_mode",
    "pstate": "performance_state",
    "pid": "pid", "process_name": "process_name",
    "used_memory": "used_memory", "used_gpu_memory": "used_memory",
}  # fmt: skip
_REASONS = regex(r"clocks_(?:event|throttle)_reasons\.(\w+)$")
# Bits of clocks_event_reasons.active (nvml.h, nvmlClocksEventReason*).
_BITS = {
    0x01: "gpu_idle", 0x02: "applications_clocks_setting", 0x04: "sw_power_cap",
    0x08: "hw_slowdown", 0x10: "sync_boost", 0x20: "sw_thermal_slowdown",
    0x40: "hw_thermal_slowdown", 0x80: "hw_power_brake_slowdown", 0x100: "display_clock_setting",
}  # fmt: skip
_TITLE = regex(r"([a-z][\w.]*)\s*(?:\[([%A-Za-z]+)\])?")
_COMMAND = regex(r"nvidia-smi\b.*--query-(?:gpu|compute-apps|remapped-rows)[= ]([\w.,]+)")
# Of these one at least: "name, index" may be the titles of any table.
_TELLING = regex(
    r"(?:utilization\.|clocks|temperature\.|power\.|ecc\.|remapped_rows|retired_pages|pcie\.|memory\.(?:used|total|free)"
    r"|pstate|used_(?:gpu_)?memory)"
)
FEW = 5  # samples of one GPU: with more it is a series


@dataclass
class Query:
    """The report, and how many samples of one GPU there are at most."""

    report: Report = field(default_factory=Report)
    samples: int = 0


def titles_of(line: str) -> Sequence[str]:
    """The columns that a line titles, without units; none if it is no such line."""
    found = [_TITLE.fullmatch(t.strip().lower()) for t in line.split(",")]
    names = [f[1] for f in found if f]
    if len(names) < 2 or len(names) < len(found) or not any(map(_TELLING.match, names)):
        return ()
    return names if sum(n in _FIELDS or bool(_REASONS.match(n)) for n in names) > 1 else ()


def is_query(line: str) -> bool:
    """Whether a line titles such columns, or is the command that prints them."""
    return bool(titles_of(line)) or _COMMAND.search(line) is not None


def parse_query(lines: Iterable[tuple[int, str]]) -> Query:
    """(number, text) of all lines of a file, of which other ones are passed over."""
    query = Query()
    titles: Sequence[str] = ()
    devices: dict[str, Device] = {}
    counts: dict[str, int] = {}
    for at, text in lines:
        if command := _COMMAND.search(text):
            titles = command[1].lower().split(",")
            continue
        if found := titles_of(text):
            titles = found
            continue
        cells = [c.strip() for c in text.split(",")]
        if not titles or len(cells) != len(titles):
            continue
        fields = _row(titles, cells)
        if "pid" in fields:
            _add_process(devices, fields)
            continue
        key = fields.get("index") or fields.get("uuid") or fields.get("bus") or str(len(devices))
        counts[key] = counts.get(key, 0) + 1
        made = devices.setdefault(key, Device())
        made.fields.update(fields)
        made.line, made.text = at, text.strip()
    query.report.devices = list(devices.values())
    query.report.fields["timestamp"] = next(
        (d.fields["timestamp"] for d in devices.values() if "timestamp" in d.fields), ""
    )
    query.samples = max(counts.values(), default=0)
    return query


def _row(titles: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for title, cell in zip(titles, cells, strict=True):
        if reason := _REASONS.match(title):
            fields |= _reasons(reason[1], cell)
        elif title in _FIELDS and cell and not cell.startswith("["):  # "[N/A]", "[Not Supported]"
            fields[_FIELDS[title]] = _yes(cell) if title.endswith(".failure") else cell
    return fields


def _yes(cell: str) -> str:
    value = number(cell)
    return cell if value is None else "Yes" if value else "No"


def _reasons(name: str, cell: str) -> Mapping[str, str]:
    start = "clocks_event_reasons/"
    if name != "active":
        return {start + name: cell}
    try:
        bits = int(cell, 16)
    except ValueError:
        return {}
    return {start + word: "Active" for bit, word in _BITS.items() if bits & bit}


def _add_process(devices: Mapping[str, Device], fields: Mapping[str, str]) -> None:
    """To the GPU that its row names; of a machine with one GPU, to that."""
    made: GpuProcess | None = process(
        fields.get("pid"), fields.get("process_name"), fields.get("used_memory")
    )
    named = {fields[k] for k in ("uuid", "bus") if k in fields}
    of = [d for d in devices.values() if named & {d.fields.get("uuid"), d.fields.get("bus")}]
    of = of or ([*devices.values()] if len(devices) == 1 else [])
    if made is not None and of:
        of[0].processes.append(made)
