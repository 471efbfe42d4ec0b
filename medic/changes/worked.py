"""What a run that worked had: where it is known, the value to go back to is no computation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from medic.changes.known import Computed, Known
from medic.entries import Compute
from medic.facts import Difference, SinceGood
from medic.i18n import Text
from medic.run_config import Scalar

# Which way the remedy goes: a value that worked on the other side is no repair of this fault.
_WAYS: Mapping[Compute, Callable[[float, float], bool]] = {
    "half-learning-rate": lambda good, now: good < now,
    "tenfold-learning-rate": lambda good, now: good > now,
    "warmup-share": lambda good, now: good > now,
}
MOST = 4
_AS_GOOD = Text("as in the run that worked", "与正常的那次运行相同")
_OTHERS = Text(
    "the run that worked differs in these settings, too: {what}",
    "正常的那次运行还有以下设置不同：{what}",
)


def of_good(known: Known, name: str, compute: Compute | None) -> Computed | None:
    """The field's value in the run that worked; None where none was given, or it leads elsewhere."""
    leads = _WAYS.get(compute) if compute else None
    if leads is None:
        return None
    for one in _settings(known.fact(SinceGood)):
        good, now = _number(one.good), known.config.number(name)
        if one.name == name and good is not None and leads(good, now or 0.0):
            whole = isinstance(known.config.get(name), int) and good == int(good)
            return Computed(int(good) if whole else good, _AS_GOOD)
    return None


def others(found: SinceGood | None, changed: Mapping[str, Scalar]) -> Text | None:
    """The other settings that differ, where a change takes one back to the run that worked."""
    settings = list(_settings(found))
    if not any(one.name in changed and _number(one.good) == changed[one.name] for one in settings):
        return None
    rest = [
        f"{d.name} {d.good or '-'} -> {d.now or '-'}" for d in settings if d.name not in changed
    ]
    return _OTHERS.fill(what="; ".join(rest[:MOST])) if rest else None


def _settings(found: SinceGood | None) -> list[Difference]:
    return [d for d in found.differences if d.kind == "config"] if found is not None else []


def _number(text: str) -> float | None:
    with suppress(ValueError):
        return float(text)
    return None
