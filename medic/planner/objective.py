"""Whether what a training minimises, or the reward that it raises, was read: without it no run is
known to be healthy."""

from __future__ import annotations

from medic.facts import Curve, LogHits
from medic.i18n import Text
from medic.runner.evidence import Evidence

OBJECTIVES = frozenset({"loss", "policy_loss", "reward"})
FEW = 3  # points
_PLACES = frozenset(
    {"epoch_at", "mean_step_time", "mean_data_time"}
)  # of a row, and told with others
_NONE = Text(
    "No loss and no reward was read from the log (read: {names}): that it learns is not known. A "
    "step line that names its loss would tell.",
    "没有从日志中读到 loss 或 reward（已读到：{names}），因此无法判断它是否在学习。"
    "带有 loss 名称的步数行能说明问题。",
)
_NOTHING = Text(
    "No step line with a loss was read from the log: that it learns is not known.",
    "没有从日志中读到带 loss 的步数行，因此无法判断它是否在学习。",
)


def is_read(curve: object) -> bool:
    """Whether a Curve fact holds a loss or a reward, and not only what a warning says of one."""
    told = [curve.series.get(name) for name in OBJECTIVES] if isinstance(curve, Curve) else []
    return any(series is not None and len(series.steps) >= FEW for series in told)


def unread(evidence: Evidence) -> Text | None:
    """That of a training whose log was read the loss was not, with what was; None if it was, or
    if there is no log."""
    curve, logs = evidence.fact(Curve), evidence.fact(LogHits)
    if is_read(curve) or not isinstance(logs, LogHits):
        return None
    names = sorted(set(curve.series) - _PLACES) if isinstance(curve, Curve) else []
    if names:
        return _NONE.fill(names=", ".join(names))
    return _NOTHING if isinstance(curve, Curve) or logs.steps else None
