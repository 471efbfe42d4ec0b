"""What a plain YAML scalar means: by the YAML 1.2 core schema, and to PyYAML (YAML 1.1)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from medic.text.patterns import regex

Plain = int | float | bool | str | None

# YAML 1.2 core schema; digits may be grouped by underscores, as every loader in use allows.
_LONG = 64  # no number that means anything is longer
_INT = regex(r"[-+]?[0-9][0-9_]*")
_OCTAL = regex(r"0o[0-7]+")
_HEX = regex(r"[-+]?0x[0-9a-fA-F][0-9a-fA-F_]*")
_BINARY = regex(r"[-+]?0b[01][01_]*")
_FLOAT = regex(r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITY = regex(r"[-+]?\.(?:inf|Inf|INF)")
_WORDS: dict[str, Plain] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    ".nan": float("nan"), ".NaN": float("nan"), ".NAN": float("nan"),
}  # fmt: skip
# YAML 1.1 as PyYAML has it (yaml/resolver.py): its words, and how its numbers begin. Most scalars are
# told by them; the patterns for the rest take longer to compile than a file to read.
_WORDS_1_1: dict[str, Plain] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"), False),
    "0": 0,
}
_NUMBERS_1_1 = frozenset("-+.0123456789")


def yaml_1_2(raw: str) -> Plain:
    """The value of a plain scalar: ``1e-5`` is a float, ``yes`` and ``1:30`` are text."""
    if raw in _WORDS:
        return _WORDS[raw]
    if len(raw) > _LONG or raw[0] not in "-+.0123456789":
        return raw
    digits = raw.replace("_", "")
    if _INT.fullmatch(raw):
        return int(digits)
    if "o" in raw and _OCTAL.fullmatch(raw):
        return int(raw[2:], 8)
    if "x" in raw and _HEX.fullmatch(raw):
        return int(digits, 16)
    if "b" in raw and _BINARY.fullmatch(raw):
        return int(digits, 2)
    if _FLOAT.fullmatch(raw):
        return float(digits)
    if _INFINITY.fullmatch(raw):
        return float(raw.replace(".", ""))
    return raw


@lru_cache(maxsize=1)
def _loader() -> Any:
    from medic.syntax.pyyaml import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)("")


def pyyaml(raw: str) -> Plain:
    """What ``yaml.safe_load`` makes of a plain scalar; dates stay text."""
    if len(raw) > _LONG:
        return raw
    if raw in _WORDS_1_1:
        return _WORDS_1_1[raw]
    if not raw or raw[0] not in _NUMBERS_1_1:
        return raw
    if raw.isascii() and raw.isdigit() and raw[0] != "0":
        return int(raw)
    return _real_1_1(raw) if _FLOAT.fullmatch(raw) and not raw.isdigit() else _loaded(raw)


def _real_1_1(raw: str) -> Plain:
    """Of a number with a point or an exponent: YAML 1.1 has floats with a point, without a sign before
    a leading one, and with a sign in the exponent. What it does not take is text."""
    digits, _, exponent = raw.lower().partition("e")
    signed = not exponent or exponent[0] in "-+"
    if "." in digits and digits[:2] not in ("-.", "+.") and signed:
        return float(raw.replace("_", ""))
    return raw if exponent else _loaded(raw)


@lru_cache(maxsize=4096)
def _loaded(raw: str) -> Plain:
    from medic.syntax.pyyaml import yaml

    loader = _loader()
    tag = loader.resolve(yaml.ScalarNode, raw, (True, False))
    kind = tag.rsplit(":", 1)[-1]
    if kind not in ("int", "float", "bool", "null"):
        return raw
    node = yaml.ScalarNode(tag, raw)
    try:
        if kind == "int":
            return int(loader.construct_yaml_int(node))
        if kind == "float":
            return float(loader.construct_yaml_float(node))
    except ValueError:  # "0b_", "0x_": the resolver takes them, the constructor does not
        return raw
    return None if kind == "null" else bool(loader.construct_yaml_bool(node))


def tagged(tag: str, raw: str) -> Plain:
    """The value of a scalar with an explicit tag; None for a tag that medic does not know."""
    kind = tag.rsplit(":", 1)[-1]
    if kind in ("str", "!", "binary", "timestamp"):
        return raw
    value = yaml_1_2(raw)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "float" and number:
        return float(value or 0)
    if kind == "int" and number:
        return int(value or 0)
    return value if kind == "bool" and isinstance(value, bool) else None
