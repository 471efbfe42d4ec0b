"""A training loss near zero before any sample came twice, while held-out text is foretold badly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from medic.errors import Unreadable
from medic.facts import Curve, LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

from .first_pass import in_first_epoch
from .gap import NO_MISS
from .loss import UNTRAINED_LOSS
from .numbers import clean
from .plan import source_at
from .rewarded import is_rewarded
from .start import is_toy

CHECK = "batch-noise"
HELD = 0.5  # of the first training loss: the text is not easy
MAX_LINES, MAX_LOGS = 20_000, 4
# As Megatron-LM prints how often its sample index goes over the documents.
_EPOCHS = regex(r"(?i)\btotal number of epochs: (\d+)\b")


def run(look: Look) -> Iterator[Finding]:
    curve, config = look.fact(Curve), config_of(look)
    loss, held = curve.series.get("loss"), curve.series.get("eval_loss")
    if loss is None or held is None or is_toy(config) or is_rewarded(curve, config):
        return
    steps, values, _ = clean(loss)
    at = next((n for n, v in enumerate(values) if v < NO_MISS), None)
    tests = clean(held)[1]
    began = max(values[:3], default=0.0)
    if at is None or values[-1] >= NO_MISS or began < UNTRAINED_LOSS or not tests:
        return
    if tests[-1] < HELD * began:
        return
    once = _passes(curve, steps[at]) or _planned(look)
    if once is None:
        return
    text, more = once
    value = {"first": began, "last": values[at], "step": steps[at], "held": tests[-1], "once": text}
    source = source_at(look, loss, loss.steps.index(steps[at]))
    yield Finding(CHECK, "before-one-pass", value, source, more, exact=True)


def _passes(curve: Curve, step: int) -> tuple[str, tuple[Source, ...]] | None:
    return ("epoch 1", ()) if in_first_epoch(curve, step) else None


def _planned(look: Look) -> tuple[str, tuple[Source, ...]] | None:
    """The line that says that the whole run is one pass."""
    for log in look.files("log")[:MAX_LOGS]:
        with suppress(Unreadable):  # told by the probe that reads the log
            for number, text in islice(look.lines(log.path), MAX_LINES):
                found = _EPOCHS.search(text)
                if found is not None:
                    here = Source(log.name, number, text=text.strip()[:400])
                    return (found[0], (here,)) if found[1] == "1" else None
    return None


PROBE = Probe(
    name="curve-first-epoch",
    title=Text("the loss within the first epoch", "第一个 epoch 之内的 loss"),
    tells=(CHECK,),
    needs=(Curve,),
    wants=(RunConfig, LogHits),
    run=run,
    seconds=0.03,
    limit_seconds=5.0,
)
