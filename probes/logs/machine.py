"""Logs of the machine, not of the run: dmesg, journalctl, syslog."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from medic.facts import GivenFile
from medic.text.patterns import regex

_NAMES = regex(
    r"^(?:dmesg|journal(?:ctl)?|kern(?:el)?|syslog|messages)(?:[._-][\w.-]*)?$", re.IGNORECASE
)
# dmesg with seconds since the boot or with dates (of a Chinese locale, too), syslog, and journalctl with ISO dates.
_LINES = regex(
    r"(?:<\d>)?\[(?:\s*\d{1,9}\.\d{6}|[A-Z][a-z]{2} [A-Z][a-z]{2} +\d{1,2} [\d:]{8} \d{4}|"
    r"[一二三四五六日] +\d{1,2}月 +\d{1,2} [\d:]{8} \d{4})\] |"
    r"(?:[A-Z][a-z]{2} +\d{1,2} [\d:]{8}|\d{4}-\d\d-\d\dT[\d:]{8}\S*) [\w.-]+ [\w./@-]+(?:\[\d+\])?: "
)
MOSTLY = 0.8
# The machine's clock may run behind; a fault is noticed by the run some minutes later.
BEFORE_SECONDS, AFTER_SECONDS = 600.0, 900.0
# Clocks of one run that stand in different zones differ by less.
ZONES_SECONDS = 26 * 3600.0
_START = regex(
    r"systemd-shutdown.*(?:[Rr]eboot|[Pp]ower)|reboot: Restarting system|"
    r"NVRM: loading NVIDIA UNIX|(?:kernel: |\] )Linux version \d"
)
_STARTS = ("systemd-shutdown", "reboot:", "NVIDIA UNIX", "Linux version")


def is_start(line: str) -> bool:
    """Whether the machine or the driver of its GPUs goes down or comes up."""
    return any(map(line.__contains__, _STARTS)) and _START.search(line) is not None


def is_line(line: str) -> bool:
    """Whether the kernel wrote a line, in the log of a run, too."""
    return _LINES.match(line) is not None


def over_before(time: float | None, began: float | None, boots: Sequence[float]) -> bool:
    """Whether the machine was started again between an event and the run, or days went by."""
    if time is None or began is None:
        return False
    again = any(time < boot < began for boot in boots)
    return again or time < began - ZONES_SECONDS


def days_after(time: float | None, ended: float | None) -> bool:
    """Whether days went by between the run's last words and an event."""
    return time is not None and ended is not None and time > ended + ZONES_SECONDS


def is_machines(given: GivenFile, head: Sequence[str]) -> bool:
    """Whether a file is the kernel's or the system's log, by its name or its first lines."""
    if _NAMES.match(PurePath(given.path).name):
        return True
    filled = [line for line in head if line.strip()]
    return len(filled) >= 3 and sum(bool(_LINES.match(line)) for line in filled) >= MOSTLY * len(
        filled
    )


def near(time: float | None, span: tuple[float, float] | None) -> bool:
    """Whether something happened in the time of the run; so it counts where a time is unknown."""
    if time is None or span is None:
        return True
    return span[0] - BEFORE_SECONDS <= time <= span[1] + AFTER_SECONDS
