"""Bare "time" and "data" of a step line, and the share of a step that its loader took."""

from __future__ import annotations

from collections.abc import Mapping

from medic.text.patterns import regex

# torchvision, DETR and DINO write "time: 2.61  data: 2.08", timm and PyTorch's ImageNet example the
# same with an average behind: seconds of an iteration, and of them those of the loader.
_CLOCK = regex(r"(?i)s?[\s,|)\]]+(time|data)\s{0,3}[:=]?\s{0,3}$")
# PyTorch's ImageNet example and timm: "Time 0.012 (0.017)", the average since the begin of the epoch.
_AVERAGE = regex(r"\s{0,3}\(\s{0,3}$")
_SHARE = regex(r"\s?%(?![\w|])")
_SECONDS = regex(r"\s?(ms|s|sec|seconds)(?![\w/])")
_MILLI = 1e-3
# "data 79%" may be how far an epoch is.
_WAITS = regex(r"(?i)\bdata[ _-]?(?:wait|load)|\bdata[ _-]?time")
_WORD = regex(
    r"(?i)(?:^|[\s,|;(\[])data[ _-]?(?:wait|load(?:ing|er)?)?[ _-]?(?:time)?\s{0,3}[:=]?\s{0,3}$"
)


def is_share(behind: str) -> bool:
    """Whether what stands behind a number makes it a percentage."""
    return _SHARE.match(behind) is not None


class Clocks:
    """What the numbers of one line say of its step's time and of the wait for data."""

    def __init__(self) -> None:
        self._bare: dict[str, float] = {}
        self._data: float | None = None  # seconds of a "data" with its unit
        self._share: float | None = None
        self._means: dict[str, float] = {}
        self._clock = ""  # of the number before

    def read(self, before: str, behind: str, metric: str | None, value: float) -> None:
        """One number between the texts; ``metric`` is the canonical name that the first one ends with."""
        if self._clock and _AVERAGE.match(before) and behind.lstrip()[:1] == ")":
            self._means.setdefault(self._clock, value)
        self._clock = ""
        if metric in (None, "time") and (clock := _CLOCK.match(before)):
            self._clock = clock[1].lower()
            self._bare.setdefault(self._clock, value)
        if metric not in (None, "data_time") or not _WORD.search(before):
            return
        if is_share(behind) and _WAITS.search(before) and 0 <= value <= 100:
            self._share = value / 100
        elif metric is None and self._data is None and (unit := _SECONDS.match(behind)):
            self._data = value * (_MILLI if unit[1] == "ms" else 1.0)

    def waits(self, found: Mapping[str, float]) -> dict[str, float]:
        """Times of a step: a bare "data" (mmengine: "data_time") beside a "time" where it can be the
        part of it that the loader took; a "data" that has its unit, and a share as they are; and the
        averages of both since the begin of the epoch (``mean_step_time``, ``mean_data_time``)."""
        told = {} if self._share is None else {"data_share": self._share}
        if self._data is not None:
            return told | {"data_time": self._data}
        total, data = self._bare.get("time"), self._bare.get("data", found.get("data_time"))
        if total is None or data is None or not 0 <= data <= total:
            return told
        mean, mean_data = self._means.get("time"), self._means.get("data")
        if mean is not None and mean_data is not None and 0 <= mean_data <= mean:
            told |= {"mean_step_time": mean, "mean_data_time": mean_data}
        return told | {"step_time": total, "data_time": data}
