"""That the log of a run and its settings name two learning rates, where the answer rests on one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from medic.facts import Curve
from medic.i18n import Text
from medic.run_config import RunConfig

if TYPE_CHECKING:
    from medic.session.consultation import Session
    from medic.session.diagnosis import Diagnosis

RATE, TOLD = "learning_rate", "learning-rate-not-as-set"
ABOVE = 1.1  # of the rate that is set: no rounding of a log gives more
_TWO = Text(
    "The log trains at up to {logged} [{log}], the settings say {configured} [{file}]: these are not "
    "the settings of that run, or something scales or overrides the rate. Clear that up before you "
    "change it.",
    "日志里学习率最高到 {logged} [{log}]，配置写的是 {configured} [{file}]：要么这不是那次运行的配置，"
    "要么学习率被缩放或覆盖了。先弄清这一点再改。",
)


def rate_set_otherwise(session: Session, found: Diagnosis) -> Text | None:
    """A sentence with both places, where the first cause is one of the rate and the run logs a
    higher one than its settings have. A lower one is that of a warmup or a decay."""
    if not _about_rate(found):
        return None
    curve, config = session.evidence.fact(Curve), session.evidence.fact(RunConfig)
    series = curve.series.get(RATE) if isinstance(curve, Curve) else None
    if series is None or not isinstance(config, RunConfig):
        return None
    peak, origin = config.number(RATE), config.origin(RATE)
    if not peak or origin is None or origin.source != "file" or origin.span is None:
        return None
    rows = [r for r in zip(series.values, series.lines, strict=False) if math.isfinite(r[0])]
    top, line = max(rows, key=lambda row: row[0], default=(0.0, 0))
    if top <= ABOVE * peak or origin.span.file == series.file:
        return None
    return _TWO.fill(
        logged=f"{top:.4g}",
        log=f"{series.file}:{line}",
        configured=f"{peak:.4g}",
        file=f"{origin.span.file}:{origin.span.line}",
    )


def _about_rate(found: Diagnosis) -> bool:
    """Whether the first cause is told by the rate, and the difference is not told already."""
    if not found.causes:
        return False
    names = {e.name for e in (*found.causes[0].evidence, *found.symptoms, *found.unexplained)}
    return TOLD not in names and any(name.startswith("learning-rate") for name in names)
