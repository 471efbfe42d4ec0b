"""Amounts of ``#SBATCH`` lines that lack their unit: 64 megabytes of memory, 24 minutes."""

from __future__ import annotations

from medic.i18n import Text
from medic.text.patterns import regex

# sbatch manual: --mem counts megabytes, --time minutes, or minutes:seconds. A process with a
# GPU takes some hundred megabytes of the machine's memory before it does anything.
_LEAST = {"mem": 1024, "mem-per-gpu": 1024, "mem-per-cpu": 64}
# Hours of whole days, as limits are given; hardly anybody gives one of so many minutes.
_HOURS = frozenset(("24", "36", "48", "72", "96", "168"))
# Starting and loading alone take minutes; a step of a language model hardly less than half a second.
MANY_STEPS = 2_000
_MINUTES_SECONDS = regex(r"0?([1-9]):([0-5]\d)")
_SHORT = Text(
    "--time={value} is {minutes} minutes and {seconds} seconds; hours and minutes are {meant}",
    "--time={value} 是 {minutes} 分 {seconds} 秒；时:分 应写成 {meant}",
)
_MEGABYTES = Text(
    "--{name}={value} is {value} megabytes; gigabytes are {value}G",
    "--{name}={value} 是 {value} MB；GB 应写成 {value}G",
)
_MINUTES = Text(
    "--time={value} is {hours} minutes; {hours} hours are {hours}:00:00",
    "--time={value} 是 {hours} 分钟；{hours} 小时应写成 {hours}:00:00",
)


def without_unit(name: str, value: str, steps: float = 0) -> tuple[Text, str] | None:
    """(what is wrong, the value with its unit) of an amount that is far too small for training, as
    minutes are for so many ``steps``."""
    if name == "time" and steps >= MANY_STEPS and (short := _MINUTES_SECONDS.fullmatch(value)):
        long = f"{short[1]}:{short[2]}:00"
        return _SHORT.fill(value=value, minutes=short[1], seconds=short[2], meant=long), long
    if name == "time":
        hours = value.removesuffix(":00")  # with one colon these are minutes and seconds
        meant = _MINUTES.fill(value=value, hours=hours), f"{hours}:00:00"
        return meant if hours in _HOURS else None
    if value.isdecimal() and 0 < int(value[:9]) < _LEAST.get(name, 0):
        return _MEGABYTES.fill(name=name, value=value), f"{value}G"
    return None
