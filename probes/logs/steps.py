"""Step lines of the usual training loops -> StepLine, whatever their layout."""

from __future__ import annotations

import re

from medic.facts import Source, StepLine

from .metric_names import canonical, in_unit

MAX_LINE = 2000  # characters; no framework's step line is longer

_NUMBER = r"[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|NaN|inf|Infinity|NAN|INF)\b"
_STEP = re.compile(
    r"(?<!skipped )(?<!nan )(?<!per )(?<![\w-])(?:(?:global|train|training|optimizer|trainer)[ _/])?"
    r"(step|iteration|iter|update)s?[\"']?\]?\s*[:=#]?\s*\[?\s*(\d[\d,]*)(?:\s*(?:/|of)\s*(\d[\d,]*))?(?![\w.])",
    re.IGNORECASE,
)
_METRIC = re.compile(
    r"(?<![\w/.])(?P<scope>(?:train(?:ing)?|val(?:id(?:ation)?)?|eval|test|dev|lm|reduced_train|avg|"
    r"optim|loss_metrics|perf|time_metrics)[ _/]+)?"
    r"(?P<name>loss[ _]scale|grad[ _]scale|(?:global_avg_)?loss(?: train)?|CrossEntropyLoss|lr|"
    r"learning[ _]rate|(?:total_|global_)?grad(?:ient)?[ _]?norm|gnorm|tok(?:en)?s?/s(?:ec)?|"
    r"tokens_per_s(?:ec(?:ond)?)?|tps|tgs|wps|step[ _]time|iter(?:ation)?[ _]time|"
    r"elapsed time per iteration|time(?:_per_step)?|dt|data[ _]time|(?:max_|peak_|gpu_)?mem(?:ory)?|"
    r"number of skipped iterations|skipped)"
    r"(?: ?\((?P<inner>ms|s|GiB|GB|MiB|MB)\)|_(?P<tail>ms|gib|gb))?[\"']?\s*[:=|]?\s*[\"'\[(]?"
    rf"(?P<number>{_NUMBER})[\"']?\s?(?P<unit>ms|us|s|GiB|GB|MiB|MB|G|k)?(?![\w/])",
    re.IGNORECASE,
)
_DICT = re.compile(r"\{\s*['\"][\w/ .-]+['\"]\s*:.*\}")
_PAIR = re.compile(rf"['\"]([\w/ .-]+)['\"]\s*:\s*['\"]?({_NUMBER})['\"]?(?=\s*[,}}])")
_BAR = re.compile(r"(?:^|\s|\r)(?:(?P<name>[^|\r\n%]{0,80}?):?\s*)?\d{1,3}%\|[^|]*\|\s*"
                  r"(?P<at>\d+)/(?P<all>\d+)\s*\[(?P<rest>[^\]]*)")
_TRAINING_BAR = re.compile(r"epoch|train|step|iter|^\W*$", re.IGNORECASE)
_EPOCH = re.compile(r"epoch\D{0,3}(\d+)", re.IGNORECASE)
_PLANNED = re.compile(r"(?:Total optimization steps|max_?(?:train_)?steps|total_?steps|train_iters)"
                      r"\"?'?\s*[:=.]{1,60}\s*(\d[\d,]*)")
_EPOCHS = re.compile(r"Num Epochs\s*=\s*(\d+)")
_VALIDATION = re.compile(rf"validation loss at (?:iteration\s+(\d+))?.*?loss value: ({_NUMBER})")
_BARE = re.compile(r"(?:rank \d+[ :]*)?(?:global )?(?:step|iter(?:ation)?)[ :=]+\d+\s*$", re.IGNORECASE)
_HINTS = ("loss", "step", "iter", "%|", "lr", "total_", "num epochs", "norm")


class Steps:
    """Reads the step lines of one writer (file and rank) in order."""

    def __init__(self) -> None:
        self.planned: int | None = None
        self.epochs: int | None = None
        self._bar = 0  # where the training bar stands
        self._ordinal = 0
        self._headline = False

    def read(self, message: str, source: Source) -> StepLine | None:
        """The step that a line reports, or None. Bars and totals are remembered."""
        if len(message) > MAX_LINE:
            message = message[-MAX_LINE:]
        lowered = message.lower()
        if not any(hint in lowered for hint in _HINTS):
            return None
        self._totals(message, lowered)
        if "%|" in message:
            return self._bars(message, source)
        if "{" in message and (found := _DICT.search(message)):
            return self._dict(found.group(0), source)
        return self._plain(message, lowered, source)

    def _totals(self, message: str, lowered: str) -> None:
        if "steps" in lowered or "iters" in lowered:
            found = _PLANNED.search(message)
            if found:
                self.planned = _int(found.group(1))
        if "num epochs" in lowered and (found := _EPOCHS.search(message)):
            self.epochs = int(found.group(1))

    def _plain(self, message: str, lowered: str, source: Source) -> StepLine | None:
        if "validation loss" in lowered and (found := _VALIDATION.search(message)):
            step = _int(found.group(1)) if found.group(1) else self._ordinal
            return StepLine(step, {"eval_loss": _float(found.group(2))}, source)
        steps = list(_STEP.finditer(message))
        if not steps:
            return self._below(message, source)
        chosen = next((s for s in steps if s.group(1).lower() == "step"), steps[0])
        values = metrics(message)
        total = _int(chosen.group(3)) if chosen.group(3) else None
        if not values and total is None and not _BARE.match(message):
            return None
        self._headline = message.startswith("[step=") and not values
        if total is not None and (values or self._headline):
            self.planned = total
        self._ordinal = _int(chosen.group(2))
        return StepLine(self._ordinal, values, source)

    def _below(self, message: str, source: Source) -> StepLine | None:
        """OLMo prints a step's metrics one a line, indented below the step."""
        if not self._headline or not message.startswith(" "):
            return None
        values = metrics(message)
        return StepLine(self._ordinal, values, source) if values else None

    def _dict(self, text: str, source: Source) -> StepLine | None:
        """A printed dict: Hugging Face's has no step, so the bar or the epoch must tell it."""
        values: dict[str, float] = {}
        step = epoch = None
        for name, number in _PAIR.findall(text):
            if name == "epoch":
                epoch = _float(number)
            known = canonical(name)
            if known is None or name in ("train_loss", "train_runtime"):
                continue
            if known[0] == "step":
                step = int(_float(number))
            else:
                values[known[0]] = _float(number) * known[1]
        if not values or ("train_runtime" in text and "'loss'" not in text):
            return None
        if "loss" in values:
            self._ordinal += 1
        if step is None:
            step = self._guess(epoch)
        return StepLine(step, values, source)

    def _guess(self, epoch: float | None) -> int:
        if self._bar:
            return self._bar
        if epoch is not None and self.planned and self.epochs:
            return round(epoch / self.epochs * self.planned)
        return self._ordinal

    def _bars(self, message: str, source: Source) -> StepLine | None:
        last = None
        for found in _BAR.finditer(message):
            if _TRAINING_BAR.search(found.group("name") or ""):
                last = found
        if last is None:
            return None
        at, total = int(last.group("at")), int(last.group("all"))
        epoch = _EPOCH.search(last.group("name") or "")
        step = int(epoch.group(1)) * total + at if epoch else at
        values = metrics(last.group("rest"))
        if not epoch and (self.planned is None or total >= self.planned):
            self.planned = total
        if not epoch and total == self.planned:
            self._bar = at
        behind = message[last.end() :]
        if "{" in behind and (printed := _DICT.search(behind)):
            return self._dict(printed.group(0), source)
        return StepLine(step, values, source) if values else None


def metrics(text: str) -> dict[str, float]:
    """Canonical metrics of a step line; of a metric that is named twice the first counts."""
    values: dict[str, float] = {}
    for found in _METRIC.finditer(text):
        scope = (found.group("scope") or "").strip(" _/").lower()
        name = found.group("name").lower()
        known = ("step_time", 1.0) if name == "time" else canonical(name)
        if known is None:
            continue
        metric = known[0]
        if metric == "loss" and scope in ("val", "valid", "validation", "eval", "test", "dev"):
            metric = "eval_loss"
        unit = found.group("unit") or found.group("inner") or found.group("tail") or ""
        if metric == "step_time" and name == "time" and not unit:
            continue
        values.setdefault(metric, in_unit(metric, _float(found.group("number")), unit))
    return values


def _float(text: str) -> float:
    return float(text.replace(",", ""))


def _int(text: str) -> int:
    return int(text.replace(",", ""))
