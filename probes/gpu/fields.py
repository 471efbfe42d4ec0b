"""One GPU from the fields of ``nvidia-smi -q``, whose XML and text forms name them differently.

A field's path is that of its tags or section titles, in lower case with ``_`` for spaces:
``fb_memory_usage/total``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from medic.facts import Gpu, GpuProcess
from medic.text.patterns import regex

Fields = Mapping[str, str]

UNITS = {"B": 1, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}
_NUMBER = regex(r"^(-?\d{1,18}(?:\.\d+)?)\s*([A-Za-z%]*)")
_LINK = "pci/pci_gpu_link_info/", "pci/gpu_link_info/"
_REASONS = "clocks_event_reasons/", "clocks_throttle_reasons/"
# An idle GPU clocks down, and settings of the owner are no fault.
_NO_THROTTLE = frozenset({"gpu_idle", "idle", "applications_clocks_setting", "sync_boost"})


def number(text: str | None) -> float | None:
    """The number that a value starts with; None for N/A and the like."""
    found = _NUMBER.match(text.strip()) if text else None
    return float(found[1]) if found else None


def whole(text: str | None) -> int | None:
    value = number(text)
    return None if value is None else int(value)


def size(text: str | None) -> int | None:
    """Bytes of ``81559 MiB``; a bare number counts MiB, nvidia-smi's unit."""
    found = _NUMBER.match(text.strip()) if text else None
    if found is None:
        return None
    return int(float(found[1]) * UNITS.get(found[2].upper() or "MIB", 1 << 20))


def flag(text: str | None) -> bool | None:
    word = (text or "").strip().lower()
    if word in ("yes", "enabled"):
        return True
    return False if word in ("no", "disabled") else None


def gpu(index: int, fields: Fields, processes: Iterable[GpuProcess]) -> Gpu:
    """The device that these fields describe; what is absent or N/A stays None."""
    return Gpu(
        index=index,
        name=_first(fields, "product_name") or "",
        total=size(_first(fields, "fb_memory_usage/total")),
        used=size(_first(fields, "fb_memory_usage/used")),
        utilisation=number(_first(fields, "utilization/gpu_util", "utilization/gpu")),
        processes=tuple(processes),
        ecc_uncorrected=_uncorrected(fields),
        retired_rows=_retired(fields),
        row_remap_failed=flag(
            _first(
                fields,
                "remapped_rows/remapped_row_failure",
                "remapped_rows/remapping_failure_occurred",
            )
        ),
        throttle=_throttle(fields),
        pcie_width=whole(_link(fields, "link_widths/current_link_width", "link_width/current")),
        pcie_width_max=whole(_link(fields, "link_widths/max_link_width", "link_width/max")),
        pcie_generation=whole(
            _link(fields, "pcie_gen/current_link_gen", "pcie_generation/current")
        ),
        pcie_generation_max=whole(_link(fields, "pcie_gen/max_link_gen", "pcie_generation/max")),
        mig=flag(_first(fields, "mig_mode/current_mig", "mig_mode/current")),
        compute_mode=_first(fields, "compute_mode") or "",
        clock=number(_first(fields, "clocks/sm_clock", "clocks/sm", "clocks/graphics")),
        clock_max=number(
            _first(fields, "max_clocks/sm_clock", "max_clocks/sm", "max_clocks/graphics")
        ),
        temperature=number(_first(fields, "temperature/gpu_temp", "temperature/gpu_current_temp")),
    )


def _first(fields: Fields, *paths: str) -> str | None:
    return next((fields[p] for p in paths if p in fields), None)


def _link(fields: Fields, *ends: str) -> str | None:
    return _first(fields, *(start + end for start in _LINK for end in ends))


def _uncorrected(fields: Fields) -> int | None:
    """Uncorrected errors since the driver was loaded, of all memories together."""
    counts = [
        whole(value)
        for path, value in fields.items()
        if path.startswith("ecc_errors/volatile/")
        and ("uncorrectable" in path or path.endswith("double_bit/total"))
    ]
    told = [c for c in counts if c is not None]
    return sum(told) if told else None


def _retired(fields: Fields) -> int | None:
    """Rows remapped (Ampere and later), else pages retired."""
    ends = (
        ("remapped_rows/remapped_row_corr", "remapped_rows/correctable_error"),
        ("remapped_rows/remapped_row_unc", "remapped_rows/uncorrectable_error"),
    )
    told = [whole(_first(fields, *pair)) for pair in ends]
    if all(t is None for t in told):
        pages = (
            "retired_pages/multiple_single_bit_retirement/retired_count",
            "retired_pages/double_bit_retirement/retired_count",
            "retired_pages/single_bit_ecc",
            "retired_pages/double_bit_ecc",
        )
        told = [whole(fields.get(p)) for p in pages]
    counts = [t for t in told if t is not None]
    return sum(counts) if counts else None


def _throttle(fields: Fields) -> tuple[str, ...]:
    """Names of the active reasons, as NVML calls them (hw_thermal_slowdown, sw_power_cap, …)."""
    found = []
    for path, value in fields.items():
        if path.startswith(_REASONS) and value.strip() == "Active":
            name = path.rpartition("/")[2]
            name = re.sub(r"^clocks_(?:event|throttle)_reason_", "", name)
            if name not in _NO_THROTTLE:
                found.append(name)
    return tuple(found)
