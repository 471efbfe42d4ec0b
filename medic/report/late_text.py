"""That settings are newer than the log: the run need not have had them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.i18n import Text

if TYPE_CHECKING:
    from medic.session.consultation import Session

LATE_SETTINGS = Text(
    "{files} was changed {after} after the log was last written: the run may have had other "
    "settings.",
    "{files} 的修改晚于日志最后一次写入（{after}后）：当时的运行可能用的是别的设置。",
)
MINUTES = Text("{n} min", "{n} 分钟")
HOURS = Text("{n} h", "{n} 小时")
DAYS = Text("{n} days", "{n} 天")
HOUR = 3600.0
MOST_HOURS = 48


def late(session: Session) -> Text | None:
    """The warning, where there are settings that were written after the newest log."""
    from medic.session.recheck import newer_settings

    names, seconds = newer_settings(session)
    return LATE_SETTINGS.fill(files=", ".join(names), after=_span(seconds)) if names else None


def _span(seconds: float) -> Text:
    if seconds < HOUR:
        return MINUTES.fill(n=max(1, round(seconds / 60)))
    hours = seconds / HOUR
    if hours < MOST_HOURS:
        return HOURS.fill(n=f"{hours:.1f}" if hours < 10 else f"{hours:.0f}")
    return DAYS.fill(n=f"{hours / 24:.0f}")
