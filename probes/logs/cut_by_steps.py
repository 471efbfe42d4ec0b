"""A run that its number of steps ended long before the epochs that were asked for."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

from ..config.checks.models import HF_TRAINERS, counted, label, reads

CHECK, SYMPTOM = "ended-by", "fewer-samples-than-expected"
SHARE = 0.5  # of the epochs: less is no rounding, and no last epoch that was cut a little
_EPOCH = regex(r"['\"]epoch['\"]: ?['\"]?(\d{1,6}(?:\.\d+)?)\b")
_BOTH = Text(
    "epochs and a number of steps, and how the run ended", "轮数与总步数，以及训练如何结束"
)
_EARLY = Text(
    "the run ended at epoch {epoch} of {epochs}, after {key} {steps}",
    "训练在第 {epoch} 轮结束（计划 {epochs} 轮），由 {key} {steps} 截止",
)


def run(look: Look) -> Iterator[Finding | Skip]:
    """transformers' Trainer prints the epoch in each row, and again behind the last step."""
    config, logs = config_of(look), look.fact(LogHits)
    epochs = config.number("epochs") if config.stated("epochs") else None
    steps = counted(config, "total_steps") if config.stated("total_steps") else None
    trained = reads(config, HF_TRAINERS) and logs.ended == "well"
    if not trained or not epochs or steps is None or epochs <= 0:
        yield Skip(_BOTH, check=CHECK)
        return
    told = next(
        ((s.source, f) for s in reversed(logs.steps) if (f := _EPOCH.search(s.source.text))), None
    )
    if told is None or (logs.last_step is not None and logs.last_step > steps):
        return
    source, epoch = told[0], float(told[1][1])
    if epoch >= SHARE * epochs:
        yield Finding(CHECK, "epochs", source=source)
        return
    yield from _early(config, source, epoch, epochs, steps)


def _early(
    config: RunConfig, source: Source, epoch: float, epochs: float, steps: int
) -> Iterator[Finding]:
    key = label(config, "total_steps")
    what = _EARLY.fill(epoch=f"{epoch:g}", epochs=f"{epochs:g}", key=key, steps=steps)
    yield Finding(SYMPTOM, source=source)
    yield Finding(CHECK, "steps", {"what": what}, source)


PROBE = Probe(
    name="cut-by-steps",
    title=Text("what ended the run: steps or epochs", "训练由步数还是轮数结束"),
    tells=(CHECK, SYMPTOM),
    needs=(LogHits,),
    wants=(RunConfig,),
    seconds=0.01,
    limit_seconds=5.0,
    run=run,
)
