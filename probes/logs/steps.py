"""Step lines of the usual training loops -> step and metrics, whatever their layout."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from medic.facts import Counted
from medic.text.patterns import regex

from . import bare_rows
from .announced import announced
from .chinese import HINTS, in_english
from .clocks import Clocks, is_share
from .digits import whole
from .evaluated import evaluated
from .metric_names import canonical, in_unit
from .step_layouts import Layouts
from .timers import Timers

MAX_LINE = 8000  # characters; those of verl, the longest, take about 4000

_NUMBER = regex(
    r"(?<![\w.@])([-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|"
    r"[-+]?(?:nan|inf|infinity)(?![A-Za-z0-9_])(?! iterations))",
    re.IGNORECASE,
)
_UNIT = regex(r"\s?(ms|us|s|GiB|GB|MiB|MB|G|M|K|k)(?![A-Za-z/])")
_NAME_END = regex(r"[\s:=|\"'\[(]+$")
_UNIT_END = regex(r"\s*[(\[](ms|s|GiB|GB|MiB|MB)[)\]]?$")
_PARTS = regex(r"[|,;{}\t\"'\[\]]|\s-\s|:\s")
_TOTAL = regex(r"\s*(?:/|of)\s*$")
# After these words "step" or "iteration" is no position.
_NOT_A_POSITION = frozenset(
    "per of skipped nan each every total max num warmup save log eval decay every_n".split()  # noqa: SIM905
)
# "params norm" is no norm of the gradient; before a bare "norm" these words alone may stand.
_OF_GRADIENTS = frozenset({"", "grad", "gradient", "gradients", "total", "global", "l2", "clip"})
_BAR = regex(
    r"(?:^|\r)(?P<name>(?:\d{1,9}\|\d{1,9}\|)?[^|\r\n%]{0,80}?):?\s*\d{1,3}%\|[^|]{0,300}\|\s*"
    r"(?P<at>\d+)/(?P<all>\d+)\s*\[(?P<rest>[^\]]*)"
)
_TRAINING_BAR = regex(r"epoch|train|step|iter|^\d+\|\d+\||^\W*$|\bepisode \[", re.IGNORECASE)
# OpenRLHF's bar over the rollouts; the bars within each one begin again every time.
_EPISODE = regex(r"\bEpisode \[(\d{1,6})/(\d{1,6})\]")
_RATE = regex(r"(\d+(?:\.\d+)?) ?(s/it|it/s)")
_EPOCH_STEP = regex(r"\d+\|(\d+)\|")  # torchtune: epoch|step|Loss: 1.57
_EPOCH = regex(r"epoch\D{0,3}(\d+)", re.IGNORECASE)
_PLANNED = regex(
    r"(?:Total optimization steps|max_?(?:train_)?steps|total_?steps|train_iters|max_iters)"
    r"\"?'?\s*(?:[:=]|\.{3,60})\s*(\d[\d,]*)"
)
_GOES_ON = regex(r"Continuing training from global step (\d{1,9})")
_EPOCHS = regex(r"Num Epochs\s*=\s*(\d+)")
# Megatron's timers, on lines of their own below the step's: (min, max) over the ranks, or one; ms.
_BATCHES = regex(r"\bbatch-generator\b[ .:]{1,80}\(?(?:[\d.]{1,12}, )?(\d{1,9}(?:\.\d{1,6})?)")
_BARE = regex(r"(?:rank \d+[ :]*)?(?:global )?(?:step|iter(?:ation)?)[ :=]+\d+\s*$", re.IGNORECASE)
# Layouts whose step has no name of its own; the last one is DeepSpeed's pipeline engine.
_UNNAMED = regex(r"\[\s*(\d+)\s*/\s*(\d+)\s*\]:?\s+(?=\S)|steps: (\d+)(?= loss: )")
# OLMo's, behind "time\thost:rank\tlogger:line\tlevel\t" where it is no console.
_HEADLINE = regex(r"(?:^|\s)\[step=\d")
_HINTS = regex(r"loss|step|iter|%\||lr|num epochs|norm|reward|batch=|epoch|\bit\W{1,3}\d")


class Step(NamedTuple):
    """A logged step; values by canonical metric name."""

    number: int
    values: dict[str, float]


class Steps:
    """Reads the step lines of one writer (file and rank) in order."""

    def __init__(self) -> None:
        self.planned: int | None = None
        self.epochs: int | None = None
        self.bar = 0  # where the training bar stands
        self._ordinal = 0
        self._named = False  # whether a line told its step
        self._after = 0  # the step that the run goes on from, where lines are counted
        self._headline = False
        self._episodes = False  # whether a bar over all episodes was drawn
        # Where the bar stood when a loss was told last, the step given to it, and the distance.
        self._told_at = self._last = 0
        self._gap = 1
        self._epoch: float | None = None  # what the last loss said of it
        self._layouts, self._timers = Layouts(), Timers()

    def read(self, message: str) -> Step | None:
        """The step that a line reports, or None. Bars and totals are remembered."""
        if not message.isascii() and any(hint in message for hint in HINTS):
            message = in_english(message[-MAX_LINE:])
        lowered = message.lower()
        if row := self._layouts.row(message):
            return self._line(row)
        if self._named and "batch-generator" in message and (took := _BATCHES.search(message)):
            return Step(self._ordinal, {"data_time": float(took[1]) / 1000})
        if timed := self._timers.read(message):
            return Step(self._ordinal, timed)
        if self._ordinal and (told := announced(message, lowered)):
            return Step(self._ordinal, told)
        if not _HINTS.search(lowered):
            return None
        if len(message) > MAX_LINE:
            message = message[-MAX_LINE:]
        self._totals(message, lowered)
        if "global step" in lowered and (found := _GOES_ON.search(message)):
            self._ordinal, self._after = 0, whole(found.group(1))
        if "%|" in message:
            return self._bars(message)
        self._layouts.header(message)
        return self._line(self._layouts.named(message))

    def _totals(self, message: str, lowered: str) -> None:
        if ("steps" in lowered or "iters" in lowered) and (found := _PLANNED.search(message)):
            self.planned = int(found.group(1).replace(",", ""))
        if "num epochs" in lowered and (found := _EPOCHS.search(message)):
            self.epochs = whole(found.group(1))

    def _line(self, message: str) -> Step | None:
        unnamed = _UNNAMED.match(message)
        if unnamed:
            at, total, steps = unnamed.groups()
            place = f"step {steps}" if steps else f"step {at}/{total}"
            message = f"{place} | {message[unnamed.end() :]}"
        read = values_of(message)
        read = read._replace(values=evaluated(message, read.values))
        if unnamed and not read.values:
            return None  # a build or a download counts like this, too
        if read.step is None:
            return self._without_step(message, read)
        if not read.values and read.total is None and not _BARE.match(message):
            return None
        self._headline = _HEADLINE.search(message) is not None and not read.values
        if read.total is not None and (read.values or self._headline):
            self.planned = read.total
        self._ordinal, self._named = read.step, True
        return Step(read.step, read.values)

    def _without_step(self, message: str, read: Values) -> Step | None:
        """Hugging Face prints a dict without its step; OLMo indents metrics below the step."""
        if not read.values:
            return None
        if self._headline and message.startswith((" ", "\t")):
            return Step(self._ordinal, read.values)
        losses = read.values.keys() & {"loss", "policy_loss", "eval_loss", "held_score"}
        if not losses or "train_runtime" in message:
            return None
        if not message.startswith("{") and not self._is_bare(message, read):
            return None
        trained = bool(losses & {"loss", "policy_loss"})
        if trained:
            self._ordinal += 1
        return Step(self._guess(read.epoch, trained), read.values)

    def _is_bare(self, message: str, read: Values) -> bool:
        """A row of a loop that prints no step at all; beside its steps it is a summary."""
        if self._named or self.bar:
            return False
        return bare_rows.is_row(_NUMBER.split(message)[::2], read.values.keys())

    def _guess(self, epoch: float | None, trained: bool) -> int:
        """The bar's step; of a bar that was not drawn again since the last loss, one that fits."""
        stands = trained and bool(self.bar) and self.bar == self._told_at
        number: int
        if self.bar and not stands:
            number = self.bar
        elif epoch is not None and self.planned and self.epochs:
            number = round(epoch / self.epochs * self.planned)
            if trained and epoch == self._epoch:  # of two digits, it does not tell
                number = self._last + 1
            self._epoch = epoch
            number = number if self.bar else Counted(self._ordinal, self._after, number)
        elif stands:
            number = self._last + self._gap
        else:
            number = Counted(self._ordinal, self._after)
        if trained:
            if self.bar and self.bar >= self._told_at:  # else the run began again
                number = max(number, self._last)
            self._gap = max(1, number - self._last)
            self._last, self._told_at = number, self.bar
        return number

    def _bars(self, message: str) -> Step | None:
        last = None
        for found in _BAR.finditer(message):
            if _TRAINING_BAR.search(found.group("name")):
                last = found
        if last is None:
            return None
        at, total = whole(last.group("at")), whole(last.group("all"))
        if (episode := _EPISODE.search(last["name"])) is not None:
            at, total = (whole(episode[1]) - 1) * total + at, whole(episode[2]) * total
        if self._episodes and episode is None:
            return None
        self._episodes = episode is not None
        epoch = _EPOCH.search(last.group("name"))
        step = whole(epoch.group(1)) * total + at if epoch else at
        if not epoch and (self.planned is None or total >= self.planned):
            self.planned = total
        if not epoch and total == self.planned:
            self.bar = at
        printed = message[last.end() :].find("{")
        if printed >= 0:
            return self._line(message[last.end() + printed :])
        name, values = last.group("name"), values_of(last.group("rest")).values
        if counted := _EPOCH_STEP.match(name):
            step = whole(counted[1])
            values = values_of(name[counted.end() :]).values | values
        elif total == self.planned and (rate := _RATE.search(last.group("rest"))):
            number = _float(rate[1])
            if number > 0:
                values.setdefault("bar_time", number if rate[2] == "s/it" else 1 / number)
        return Step(step, values) if values else None


class Values(NamedTuple):
    """What a line says: canonical metrics, and its step, the planned steps and epoch if told."""

    values: dict[str, float]
    step: int | None
    total: int | None
    epoch: float | None


def values_of(text: str) -> Values:
    """Numbers of a line by the names before them; of a name that comes twice the first counts."""
    parts = _NUMBER.split(text)
    found: dict[str, float] = {}
    step = total = epoch = None
    clocks = Clocks()
    exact = False  # "step" tells more than "iter" where a line has both
    for n in range(0, len(parts) - 1, 2):
        metric, factor, inner, _ = _between(parts[n])
        clocks.read(parts[n], parts[n + 2], metric, _float(parts[n + 1]))
        if metric is None:
            if n and step is not None and total is None and _TOTAL.match(parts[n]):
                value = _float(parts[n + 1])
                total = int(value) if 0 < value < 1e12 else None
            continue
        value = _float(parts[n + 1])
        unit = _between(parts[n + 2])[3] or inner
        if metric == "step":
            is_whole = abs(value) < 1e12 and value == int(value)  # nan is not below
            if is_whole and not (exact and step is not None):
                exact = "step" in parts[n].lower()
                step = int(value) if step is None or exact else step
        elif metric == "epoch":
            epoch = value
        elif (metric != "time" or unit) and not (metric == "data_time" and is_share(parts[n + 2])):
            name = "step_time" if metric == "time" else metric
            found.setdefault(name, in_unit(name, value * factor, unit))
    return Values(clocks.waits(found) | found, step, total, epoch)


@lru_cache(maxsize=8192)
def _between(text: str) -> tuple[str | None, float, str, str]:
    """(metric, factor, unit in its name, unit of the number before) of the text before a number."""
    unit = _UNIT.match(text)
    behind = unit.group(1) if unit else ""
    name = text[unit.end() :] if unit else text
    name = _NAME_END.sub("", name[-80:])
    inner = _UNIT_END.search(name)
    if inner:
        name = name[: inner.start()]
    known = _metric(_PARTS.split(name)[-1].strip())
    factor = known[1] if known else 1.0
    return known[0] if known else None, factor, inner.group(1) if inner else "", behind


def _metric(name: str) -> tuple[str, float] | None:
    """The metric that a phrase ends with; its longest ending that is a known name counts."""
    words = name.split()
    for length in range(min(len(words), 5), 0, -1):
        ending = " ".join(words[-length:])
        known = (ending.lower(), 1.0) if ending.lower() in ("time", "epoch") else canonical(ending)
        if known is not None:
            before = words[-length - 1].lower() if len(words) > length else ""
            if ending.lower() == "norm" and before not in _OF_GRADIENTS:
                return None
            return None if known[0] == "step" and before in _NOT_A_POSITION else known
    return None


def _float(text: str) -> float:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return float("nan")
