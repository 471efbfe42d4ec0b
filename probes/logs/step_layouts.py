"""Layouts of step lines whose step has no name: turned into ``step N/TOTAL | the rest``."""

from __future__ import annotations

import re

from medic.text.patterns import regex

from .metric_names import canonical

# mmengine and mmcv (epochs from 1), timm and torchvision (from 0); of mmengine's iterations no epoch.
_PARTED = regex(
    r"(?:^|\s-\s|[|\]]\s+)(?P<word>Epoch|Train|Iter)(?:\(train\))?(?P<colon>:?)\s*"
    r"(?:(?P<epoch>\d{1,6}|\[\d{1,6}\])\s*)?"
    r"\[\s*(?P<at>\d{1,9})/\s*(?P<all>\d{1,9})(?:\s*\(\s*\d{1,3}%\))?\]\s*"
)
# Loops of one's own: both are counted, the iterations from the begin of each epoch or of the run.
_COUNTED = regex(
    r"(?i)\bepoch\W{0,3}(?P<epoch>\d{1,6})\s*/\s*\d{1,6}\W{1,5}(?:iter(?:ation)?|step|batch)\W{0,3}"
    r"(?P<at>\d{1,9})\s*/\s*(?P<all>\d{1,9})\]?"
)
# Keras, and Lightning's rich bar, which names its epoch.
_DRAWN = regex(r"^\s*(?P<at>\d{1,9})/(?P<all>\d{1,9})\s+(?:\[[=>.]+\]|[\u2501\u2578\u257a]{2,})")
_RICH = regex(
    r"^\s*Epoch (?P<epoch>\d{1,6})/-?\d{1,6}\s+[\u2500-\u257f ]+(?P<at>\d{1,9})/(?P<all>\d{1,9})\s"
)
_KERAS_EPOCH = regex(r"^\s*Epoch (\d{1,6})/\d{1,6}\s*$")
_LEVANTER = regex(
    r"progress:train (?P<at>[\d.]{1,9})(?P<k>[kM]?)it/(?P<all>[\d.]{1,9})(?P<K>[kM]?)it\b.{0,120}?postfix:"
)
_SLASHED = regex(r"['\"]global_step/max_steps['\"]: ['\"](\d{1,9})/(\d{1,9})['\"],?")
_COMPOSER = regex(r"^(?:\[epoch=\d{1,6}(?:/\d{1,6})?\])?\[batch=(\d{1,9})(?:/(\d{1,9}))?\]:?\s*$")
_BETWEEN_CELLS, _BARS = regex(r"\t| {2,}"), regex(r"\s*\|\s*")
_THOUSANDS = {"": 1, "k": 1000, "M": 1_000_000}
_SIGNS = ("[", "/", "\u2501", "batch=")


class Layouts:
    """Reads the lines of one writer in order; what an epoch's header says holds until the next."""

    def __init__(self) -> None:
        self._epoch = 0
        self._counted = _Counted()
        self._table: list[str] = []  # its columns, without that of the step

    def named(self, message: str) -> str:
        """The message with its step named, as it is if it has one of its own or none."""
        if found := _KERAS_EPOCH.match(message):
            self._epoch = int(found[1]) - 1
        if not any(map(message.__contains__, _SIGNS)):
            return message
        if found := _COUNTED.search(message):
            return self._counted.named(found, message)
        if found := _PARTED.search(message):
            return _parted(found, message)
        if found := _DRAWN.match(message) or _RICH.match(message):
            epoch = int(found.groupdict().get("epoch", self._epoch))
            step = epoch * int(found["all"]) + int(found["at"])
            return f"step {step} | {message[found.end() :]}"
        if found := _LEVANTER.search(message):
            at, total = (
                round(float(found[n]) * _THOUSANDS[found[k]])
                for n, k in (("at", "k"), ("all", "K"))
            )
            return f"step {at}/{total} | {message[found.end() :]}"
        if found := _SLASHED.search(message):
            rest = message[: found.start()] + message[found.end() :]
            return f"step {found[1]}/{found[2]} | {rest}"
        if found := _COMPOSER.match(message):
            return f"[step={found[1]}" + (f"/{found[2]}]" if found[2] else "]")
        return message

    def row(self, message: str) -> str:
        """The row of a table as a step line; "" of any other line."""
        if not self._table:
            return ""
        first, *values = _cells(message)
        if len(values) != len(self._table) or not first.isdigit():
            return ""
        pairs = zip(self._table, values, strict=True)
        return f"step {first} | " + " | ".join(f"{name}: {value}" for name, value in pairs)

    def header(self, message: str) -> None:
        """Reads the line above a table (fastai, notebooks, Markdown), which names its columns."""
        first, *names = _cells(message)
        if first.lower() in ("epoch", "step") and any(map(_is_loss, names)):
            self._table = names


class _Counted:
    """Steps of rows that name their epoch and an iteration, which begins again with each or goes on."""

    def __init__(self) -> None:
        self._first: int | None = None
        self._epoch, self._at = 0, 0
        self._again = False

    def named(self, found: re.Match[str], message: str) -> str:
        epoch, at, total = (int(found[name]) for name in ("epoch", "at", "all"))
        self._first = epoch if self._first is None else self._first
        self._again |= epoch > self._epoch and at < self._at
        self._epoch, self._at = epoch, at
        before = (epoch - self._first) * total if self._again else 0
        return f"step {before + at} | {message[found.end() :]}"


def _cells(message: str) -> list[str]:
    words = message.strip()
    if "|" in words and "\t" not in words:
        return _BARS.split(words.strip("| "))
    return [cell.strip() for cell in _BETWEEN_CELLS.split(words)]


def _is_loss(name: str) -> bool:
    known = canonical(name)
    return known is not None and known[0] in ("loss", "eval_loss")


def _parted(found: re.Match[str], message: str) -> str:
    at, total = int(found["at"]), int(found["all"])
    rest = message[found.end() :]
    if found["epoch"] is None:
        return f"step {at}/{total} | {rest}" if found["word"] == "Iter" else message
    epoch = int(found["epoch"].strip("[]")) - (not found["colon"])
    return f"step {max(epoch, 0) * total + at} | epoch_at {at} | {rest}"
