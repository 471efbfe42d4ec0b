"""A fault of one setting as a finding, where it is written, and the setting written anew."""

from __future__ import annotations

from collections.abc import Mapping

from medic.facts import Repair, Rewritten
from medic.i18n import Text
from medic.probe import Finding, source_of
from medic.run_config import Scalar, Setting

from .published import NAME as BEYOND

IMPOSSIBLE = "impossible-value"


def fault(
    name: str,
    setting: Setting,
    shown: object,
    values: Mapping[str, object],
    repair: Repair | None = None,
) -> Finding:
    """``shown``: the value as the line of evidence has it."""
    source = source_of(setting.origin, f"{setting.origin.key}: {shown}")
    return Finding(name, "fires", values, source, span=setting.origin.span, repair=repair)


def rewritten(setting: Setting, value: Scalar, why: Text, *, safe: bool) -> Repair | None:
    """The same key with another value; None where it stands in no file."""
    origin = setting.origin
    if origin.span is None:
        return None
    step = Rewritten(origin.span, origin.syntax, setting.path[-1], value)
    return Repair((step,), safe=safe, why=why)


def impossible(setting: Setting, allowed: Text, repair: Repair | None = None) -> Finding:
    """A value that no value of its kind can be; ``allowed``: what it has to be."""
    value = setting.value
    part = isinstance(value, float) and not value.is_integer()
    shown = setting.written or (str(value) if part else value)  # no part of it is rounded off
    values = {"key": setting.origin.key, "value": shown, "allowed": allowed}
    return fault(IMPOSSIBLE, setting, setting.written or value, values, repair)


def beyond(setting: Setting, usual: Text) -> Finding:
    """A number that is far from all that is published."""
    values = {"key": setting.origin.key, "value": setting.value, "usual": usual}
    return fault(BEYOND, setting, setting.value, values)
