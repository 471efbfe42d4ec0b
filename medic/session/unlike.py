"""That the log of a run and its settings name two learning rates, where the answer rests on one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.i18n import Text

if TYPE_CHECKING:
    from medic.session.consultation import Session
    from medic.session.diagnosis import Diagnosis

TOLD = "learning-rate-not-as-set"
_TWO = Text(
    "The log trains at up to {logged} [{log}], the settings say {configured} [{file}]: these are not "
    "the settings of that run, or something scales or overrides the rate. Clear that up before you "
    "change it.",
    "日志里学习率最高到 {logged} [{log}]，配置写的是 {configured} [{file}]：要么这不是那次运行的配置，"
    "要么学习率被缩放或覆盖了。先弄清这一点再改。",
)


def rate_set_otherwise(session: Session, found: Diagnosis) -> Text | None:
    """A sentence with both places, where the first cause is one of the rate and a probe saw that the
    run logs a higher one than its settings have: it stands before any change of the rate."""
    if not _about_rate(found):
        return None
    for one in session.evidence.observed:
        seen = one.finding
        if one.name == TOLD and seen.value.get("above") and seen.more:
            log, place = (f"{source.file}:{source.line}" for source in (seen.source, seen.more[0]))
            return _TWO.fill(**seen.value, log=log, file=place)
    return None


def _about_rate(found: Diagnosis) -> bool:
    """Whether the first cause is told by the rate."""
    if not found.causes:
        return False
    names = {e.name for e in (*found.causes[0].evidence, *found.symptoms)} - {TOLD}
    return any(name.startswith("learning-rate") for name in names)
