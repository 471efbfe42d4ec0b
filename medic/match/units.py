"""Captured text -> values in canonical units."""

from __future__ import annotations

from medic.facts import CaptureValue
from medic.text.patterns import regex

_SIZE = regex(r"\s*([\d,]*\.?\d+(?:[eE][-+]?\d+)?)\s*([kKMGTP]?)(i?)[bB]?(?:ytes?)?\s*$")
_BUS = regex(r"[0-9a-fA-F]{1,13}")
_DEVICES, _FUNCTIONS = 0x1F, 7  # the largest of a PCI address
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}


def bytes_of(text: str) -> int | None:
    """``2.00 GiB`` -> 2147483648. A unit without ``i`` is decimal, as in SI."""
    found = _SIZE.match(text)
    if found is None:
        return None
    number, prefix, binary = found.groups()
    base = 1024 if binary else 1000
    return round(float(number.replace(",", "")) * float(base ** _POWERS[prefix.upper()]))


def pci_of(text: str) -> str | None:
    """``1b000`` -> 0000:1b:00.0: NCCL's bus id, the digits of a PCI address as one hexadecimal number
    without its first zeros (int64ToBusId of its utils.cc). None where it is no such address."""
    found = _BUS.fullmatch(text)
    if found is None:
        return None
    number = int(text, 16)
    device, function = number >> 4 & 0xFF, number & 0xF
    if not number or device > _DEVICES or function > _FUNCTIONS:
        return None
    return f"{number >> 20:04x}:{number >> 12 & 0xFF:02x}:{device:02x}.{function:x}"


def convert(text: str, unit: str) -> CaptureValue | None:
    """A capture in its unit (bytes, index, integer, number, pci, text); None if it does not read so.
    What is no PCI address is shown as it stands."""
    text = text.strip()
    try:
        if unit == "bytes":
            return bytes_of(text)
        if unit in ("index", "integer"):
            return int(text.replace(",", "").replace("_", ""))
        if unit == "number":
            return float(text.replace(",", "").replace("_", ""))
        if unit == "pci":
            return pci_of(text) or text
    except ValueError:
        return None
    return text
