"""Captured text -> values in canonical units."""

from __future__ import annotations

from medic.facts import CaptureValue
from medic.text.patterns import regex

_SIZE = regex(r"\s*([\d,]*\.?\d+(?:[eE][-+]?\d+)?)\s*([kKMGTP]?)(i?)[bB]?(?:ytes?)?\s*$")
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}


def bytes_of(text: str) -> int | None:
    """``2.00 GiB`` -> 2147483648. A unit without ``i`` is decimal, as in SI."""
    found = _SIZE.match(text)
    if found is None:
        return None
    number, prefix, binary = found.groups()
    base = 1024 if binary else 1000
    return round(float(number.replace(",", "")) * float(base ** _POWERS[prefix.upper()]))


def convert(text: str, unit: str) -> CaptureValue | None:
    """A capture in its unit (bytes, index, integer, number, text); None if it does not read so."""
    text = text.strip()
    try:
        if unit == "bytes":
            return bytes_of(text)
        if unit in ("index", "integer"):
            return int(text.replace(",", "").replace("_", ""))
        if unit == "number":
            return float(text.replace(",", "").replace("_", ""))
    except ValueError:
        return None
    return text
