"""A new value written in the style of the old one: quotes, underscores, exponent, words for true.

``1_000_000`` stays grouped, ``1.0e+12`` stays scientific, ``"4"`` stays quoted, ``True`` stays
capitalised; whole numbers stay whole. A scientific number in YAML always gets a dot and a signed
exponent, because YAML 1.1 readers (PyYAML) take ``5e-5`` for text. A whole number that stood as ``1e3``
there is written in digits, since ``1.0e+3`` would be none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from medic.run_config import Scalar, Syntax
from medic.text.patterns import regex

if TYPE_CHECKING:  # loaded where a number is written
    from decimal import Decimal

_INTEGER = regex(r"[-+]?\d[\d_,]*")
_SCIENTIFIC = regex(r"[-+]?[\d_.]+[eE]([-+]?)(\d+)")
# What a YAML 1.1 reader takes for text: with a dot it would be a number, and no whole one.
_TEXT = regex(r"[-+]?[\d_]+[eE]\+?\d+")
_MAX_DIGITS = 10**9
_SIZED = regex(r"[\d._]+\s*([kKmMbBgGtT])")
_SIZES = {"k": 10**3, "m": 10**6, "b": 10**9, "g": 10**9, "t": 10**12}
_PAIRS = (("true", "false"), ("yes", "no"), ("on", "off"), ("1", "0"))
_PLAIN_YAML = regex(r"[A-Za-z_./][\w./@+-]*(?: [\w./@+-]+)*")
_PLAIN_SHELL = regex(r"[\w./:@%+=,-]+")
_YAML_WORDS = frozenset(("true", "false", "yes", "no", "on", "off", "null", "none", "y", "n"))
_QUOTES = ('"', "'")


def render(new: Scalar, raw: str, syntax: Syntax) -> str:
    """``new`` as it stands where ``raw`` stood; ``raw`` is empty for a value that is inserted."""
    if len(raw) >= 2 and raw[0] in _QUOTES and raw[-1] == raw[0]:
        return raw[0] + _escaped(_bare(new, raw[1:-1], syntax), raw[0], syntax) + raw[0]
    text = _bare(new, raw, syntax)
    return _quoted(text, syntax) if isinstance(new, str) else text


def _bare(new: Scalar, old: str, syntax: Syntax) -> str:
    if new is None:
        return "null"
    if isinstance(new, bool):
        return _switch(new, old)
    if isinstance(new, int):
        return _whole(new, old, syntax)
    return _real(new, old, syntax) if isinstance(new, float) else new


def _switch(new: bool, old: str) -> str:
    for pair in _PAIRS:
        if old.lower() in pair:
            word = pair[0] if new else pair[1]
            if len(old) > 1 and old.isupper():
                return word.upper()
            return word.capitalize() if old[0].isupper() else word
    return "true" if new else "false"


def _whole(new: int, old: str, syntax: Syntax) -> str:
    sized = _SIZED.fullmatch(old)
    if sized:
        from decimal import Decimal

        size = _SIZES[sized.group(1).lower()]
        short = Decimal(new) / size
        return f"{short.normalize():f}{sized.group(1)}" if short * 1000 % 1 == 0 else str(new)
    if syntax == "yaml" and _TEXT.fullmatch(old) and abs(new) < _MAX_DIGITS:
        return str(new)
    if _SCIENTIFIC.fullmatch(old) or (old and not _INTEGER.fullmatch(old) and "." in old):
        return _real(new, old, syntax)
    if "_" in old:
        return f"{new:_}"
    return f"{new:,}" if "," in old else str(new)


def _real(new: float, old: str, syntax: Syntax) -> str:
    from decimal import Decimal

    exact = Decimal(repr(new)) if isinstance(new, float) else Decimal(new)
    whole = exact == exact.to_integral_value()
    if whole and _INTEGER.fullmatch(old):
        return _whole(int(exact), old, syntax)
    found = _SCIENTIFIC.fullmatch(old)
    tiny = exact != 0 and (abs(exact) < Decimal("1e-4") or abs(exact) >= Decimal("1e16"))
    if found or (tiny and "." not in old) or len(f"{exact:f}") > 16:
        return _scientific(exact, old, found, syntax)
    text = f"{exact:f}"
    return text if "." in text else f"{text}.0"


def _scientific(exact: Decimal, old: str, found: re.Match[str] | None, syntax: Syntax) -> str:
    if exact == 0:
        return "0.0"
    digits = "".join(map(str, exact.as_tuple().digits)).rstrip("0") or "0"
    exponent = exact.adjusted()
    dotted = syntax == "yaml" or found is None or "." in old
    mantissa = digits[0] + (f".{digits[1:] or '0'}" if dotted or digits[1:] else "")
    plus = syntax == "yaml" or (found is not None and found.group(1) == "+")
    width = len(found.group(2)) if found and found.group(2).startswith("0") else 1
    sign = "-" if exponent < 0 else "+" if plus else ""
    letter = "E" if found and "E" in old else "e"
    minus = "-" if exact < 0 else ""
    return f"{minus}{mantissa}{letter}{sign}{abs(exponent):0{width}d}"


def _quoted(text: str, syntax: Syntax) -> str:
    """Quotes only where the syntax needs them."""
    if syntax in ("json", "toml"):
        return '"' + _escaped(text, '"', syntax) + '"'
    if syntax == "yaml":
        plain = _PLAIN_YAML.fullmatch(text) and text.lower() not in _YAML_WORDS
        return text if plain else '"' + _escaped(text, '"', syntax) + '"'
    return text if _PLAIN_SHELL.fullmatch(text) else "'" + text.replace("'", "'\\''") + "'"


def _escaped(text: str, quote: str, syntax: Syntax) -> str:
    if quote == "'":
        return text.replace("'", "''") if syntax == "yaml" else text
    return text.replace("\\", "\\\\").replace('"', '\\"')
