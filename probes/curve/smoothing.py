"""Label smoothing beside the loss: the least that smoothed targets can cost."""

from __future__ import annotations

import math
from collections.abc import Iterator

from medic.facts import Curve
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of, source_of
from medic.records import dataclass
from medic.run_config import RunConfig, Setting

from .numbers import clean, median, typical
from .plan import source_at

CHECK = "smoothed-targets"
MIN_LOSSES = 10
# Szegedy et al. (arXiv 1512.00567) take 0.1; from a half on the right class has less than half of
# the target.
LARGE = 0.5
ROUNDED = 0.01  # nats: no logged loss lies further below the floor
ABOVE_GUESS = 0.1  # nats that small random weights add to a guess
_SMOOTHING = ("label_smoothing", "label_smoothing_factor", "smoothing", "label_smooth")
_CLASSES = ("num_classes", "n_classes", "nb_classes", "num_labels", "n_labels", "classes")


@dataclass(frozen=True)
class Smoothing:
    """The setting, its share, over how many classes, and the entropy of its targets in nats."""

    setting: Setting
    share: float
    classes: int
    floor: float


def classes_of(config: RunConfig) -> int | None:
    """Of how many classes the loss is taken: those of a classifier, else the tokens."""
    for setting in config.settings:
        value = setting.value
        if setting.path and setting.path[-1] in _CLASSES and type(value) is int and value >= 2:
            return value
    size = config.integer("vocab_size")
    return size if size is not None and size >= 2 else None


def entropy(share: float, classes: int) -> float:
    """Nats of targets of which ``share`` is spread evenly over all classes, the right one included
    (torch.nn.CrossEntropyLoss): no prediction costs less."""
    other = share / classes
    right = 1 - share + other
    rest = -(classes - 1) * other * math.log(other) if share > 0 else 0.0
    return rest - right * math.log(right)


def smoothing_of(config: RunConfig) -> Smoothing | None:
    """None where no smoothing is set, or the number of classes is not known."""
    classes = classes_of(config)
    for setting in config.settings if classes else ():
        value = setting.value
        named = setting.path and setting.path[-1] in _SMOOTHING
        if named and type(value) in (int, float) and 0 < float(value) < 1:  # type: ignore[arg-type]
            share = float(value)  # type: ignore[arg-type]
            return Smoothing(setting, share, classes or 2, entropy(share, classes or 2))
    return None


def run(look: Look) -> Iterator[Finding]:
    found = smoothing_of(config_of(look))
    loss = look.fact(Curve).series.get("loss")
    steps, values, _ = clean(loss) if loss is not None else ([], [], None)
    if found is None or loss is None or found.share < LARGE or len(values) < MIN_LOSSES:
        return
    late = len(values) - max(3, len(values) // 20)
    guess, last = math.log(found.classes), median(values[late:])
    # A loss below the floor is of no such targets: the key means something else then.
    if min(values) < found.floor - ROUNDED or last > guess + ABOVE_GUESS:
        return
    end = late + typical(values[late:], late=True)
    at = source_at(look, loss, loss.steps.index(steps[end]))
    key = found.setting.path[-1]
    value = {"key": key, "value": found.share, "classes": found.classes, "floor": found.floor}
    value |= {"guess": guess, "first": values[0], "last": values[end]}
    place = source_of(found.setting.origin, key)
    yield Finding(CHECK, "most-of-the-target", value, place, (at,), exact=True)


PROBE = Probe(
    name="curve-smoothing",
    title=Text("label smoothing beside the loss", "标签平滑与 loss"),
    tells=(CHECK,),
    needs=(Curve,),
    wants=(RunConfig,),
    reliability="heuristic",
    seconds=0.02,
    run=run,
)
