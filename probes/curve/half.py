"""Whether logged gradient norms have the few digits of bf16: then the gradients, and with them the
weights, are held in it."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Any

from medic.facts import Curve
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip

from .numbers import clean
from .plan import source_at

CHECK = "gradient-precision"
LAST = 10  # points: a resumed run may have another precision than before
MIN_DIFFERENT = 6  # values; of fp32 one in 65,536 has so few digits
MIN_DIGITS = 7
_NEEDS = Text("gradient norms with all their digits", "未经舍入的梯度范数")


def run(look: Look) -> Iterator[Any]:
    series = look.fact(Curve).series.get("grad_norm")
    steps, values, _ = clean(series) if series is not None else ([], [], [])
    last = {v for v in values[-LAST:] if v}
    if series is None or len(last) < MIN_DIFFERENT or not any(map(_is_long, last)):
        yield Skip(_NEEDS, check=CHECK)
        return
    half = all(map(_is_bf16, last))
    value = {"norm": repr(values[-1]), "count": len(values[-LAST:])}
    source = source_at(look, series, series.steps.index(steps[-1]))
    since = _since(values) if half else 0
    if since:
        value |= {"before": repr(values[since - 1]), "step": steps[since]}
        source = source_at(look, series, series.steps.index(steps[since]))
        yield Finding(CHECK, "bf16-since-a-resume", value=value, source=source)
        return
    yield Finding(CHECK, "bf16" if half else "wider", value=value, source=source)


def _since(values: Sequence[float]) -> int:
    """Where the norms became those of bf16, behind as many that were not; 0 where they always were."""
    at = next((n for n in range(len(values), 0, -1) if not _is_bf16(values[n - 1])), 0)
    before = {v for v in values[max(0, at - LAST) : at] if v and not _is_bf16(v)}
    return at if len(before) >= MIN_DIFFERENT and any(map(_is_long, before)) else 0


def _is_bf16(value: float) -> bool:
    """Whether a number is one of bf16: the upper half of a float32."""
    try:
        packed = struct.pack("<f", value)
    except OverflowError:
        return False
    return packed[:2] == b"\0\0" and struct.unpack("<f", packed)[0] == value


def _is_long(value: float) -> bool:
    """Whether so many digits were logged that no rounding made the number a short one."""
    return len(repr(value).replace(".", "").strip("0")) >= MIN_DIGITS


PROBE = Probe(
    name="curve-half",
    title=Text("precision of the gradients", "梯度精度"),
    tells=(CHECK,),
    needs=(Curve,),
    reliability="heuristic",
    seconds=0.01,
    run=run,
)
