"""A loss that goes up and down in stretches beside a setting that leaves the data unshuffled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Curve
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, source_of
from medic.run_config import RunConfig, Setting
from medic.text.patterns import regex

from .numbers import clean, median
from .plan import source_at

CHECK, SYMPTOM = "data-order", "loss-oscillates"
SIDE = 5  # points of a stretch, at the least, on each side of a rise
RISE = 1.3  # times the level before: no batch of one mixture is so much harder for so long
RISES = 3  # one is a divergence or a spike, two may be bad luck
_OFF = regex(r"^(?:data_?)?(?:train_?)?shuffle(?:_?(?:data|dataset|train|training|documents))?$")
_ON = regex(r"^(?:no_shuffle|disable_shuffl\w+|skip_shuffl\w+)$")
_OTHERS = regex(r"(?i)val|eval|test|dev")


def run(look: Look) -> Iterator[Finding]:
    loss = look.fact(Curve).series.get("loss")
    setting = next((s for s in look.fact(RunConfig).settings if unshuffled(s)), None)
    if loss is None or setting is None:
        return
    steps, values, _ = clean(loss)
    rises = _rises(values)
    if len(rises) < RISES:
        return
    key = f"{'.'.join(setting.path)}: {str(setting.value).lower()}"
    shown = ", ".join(str(steps[at]) for at in rises[:RISES])
    source = source_of(setting.origin, key)
    at_curve = source_at(look, loss, loss.steps.index(steps[rises[0]]))
    value = {"key": key, "steps": shown}
    yield Finding(CHECK, "follows-the-sources", value, source, more=(at_curve,), exact=True)
    low, high = (median([values[at + n] for at in rises]) for n in (-1, 1))
    yield Finding(SYMPTOM, value={"low": f"{low:.4g}", "high": f"{high:.4g}"}, source=at_curve)


def unshuffled(setting: Setting) -> bool:
    """Whether a setting says that the training data keep their order."""
    names = [part.lower().replace("-", "_") for part in setting.path]
    if not names or _OTHERS.search(".".join(names)):
        return False
    off = str(setting.value).lower() in ("false", "no", "off", "0")
    on = str(setting.value).lower() in ("true", "yes", "on", "1")
    return bool((off and _OFF.search(names[-1])) or (on and _ON.search(names[-1])))


def _rises(values: Sequence[float]) -> list[int]:
    """Where the level rises and stays for a while, between stretches that come back to the low one."""
    found: list[int] = []
    low = 0.0
    at = SIDE
    while at <= len(values) - SIDE:
        before, after = median(values[at - SIDE : at]), median(values[at : at + SIDE])
        fell = not found or before * RISE <= low
        if fell and before > 0 and after >= RISE * before:
            # The edge of two levels lies where one point is already half of the way up.
            edge = next(n for n in range(at, at + SIDE) if values[n] > (before + after) / 2)
            found.append(edge)
            low, at = after, edge + SIDE
        else:
            at += 1
    return found


PROBE = Probe(
    name="unshuffled",
    title=Text("the loss by the order of the data", "loss 与数据顺序"),
    tells=(CHECK, SYMPTOM),
    needs=(Curve, RunConfig),
    reliability="heuristic",
    run=run,
    seconds=0.02,
    limit_seconds=5.0,
)
