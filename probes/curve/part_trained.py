"""Random weights of which the most are frozen: a training from scratch that trains a part alone."""

from __future__ import annotations

import math
from collections.abc import Iterator

from medic.facts import Curve, LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.run_config import RunConfig
from medic.text.patterns import regex

from .numbers import clean, median
from .start import FIRST, MIN_VOCABULARY, NEAR, is_trained

CHECK = "trainable-share"
MARK, LOADS = "trained-count", "resume"
LARGEST = 0.5  # share of the parameters: a part that is kept on purpose is seldom the larger one
STAYS = 0.5  # of the first loss: a new head over trained layers learns its tokens sooner
_NUMBER = r"(\d[\d,]*(?:\.\d+)?) ?([KMBT]?)\b"
_OF = regex(
    r"(?i)(?<!non-)(?<!non)\btrainable\b[^\d\n]{0,32}" + _NUMBER
    + r"[^\d\n]{0,4}(?:/|\bof\b|\bout of\b|\|\|? ?(?:all|total)[^\d\n]{0,16})\s*" + _NUMBER
)  # fmt: skip
_TOTAL_FIRST = regex(
    r"(?i)\bparam\w*[^\d\n]{0,16}" + _NUMBER + r"[^\d\n]{0,24}(?<!non-)\btrainable\b[^\d\n]{0,16}" + _NUMBER
)  # fmt: skip
_UNITS = {"": 1.0, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
# What keeps weights still on purpose, or brings trained ones.
_MEANT = regex(
    r"(?i)lora|adapter|peft|projector|distil|teacher|pretrain(?:ed)?_(?:model|path|weights)|init_from|"
    r"warm_?start"
)


def run(look: Look) -> Iterator[Finding]:
    counted = _counted(look.fact(LogHits))
    if counted is None or any(m.signature == LOADS for m in look.fact(LogHits).marks):
        return
    trained, whole, source = counted
    if not 0 < trained < LARGEST * whole or not _is_random(look):
        return
    share = trained / whole
    value = {"share": f"{share:.0%}" if share >= 0.01 else "<1%"}
    yield Finding(CHECK, "few-of-random-weights", value=value, source=source, exact=True)


def _counted(logs: LogHits) -> tuple[float, float, Source] | None:
    """(trained parameters, all of them, the line that counts them) as first told."""
    for mark in logs.marks:
        if mark.signature != MARK:
            continue
        text = mark.source.text[:400]
        if (found := _OF.search(text)) is not None:
            return _size(found[1], found[2]), _size(found[3], found[4]), mark.source
        if (found := _TOTAL_FIRST.search(text)) is not None:
            return _size(found[3], found[4]), _size(found[1], found[2]), mark.source
    return None


def _size(number: str, unit: str) -> float:
    return float(number.replace(",", "")) * _UNITS[unit.upper()]


def _is_random(look: Look) -> bool:
    """Whether the loss begins where weights that know nothing begin, and no setting tells of others."""
    config, loss = look.fact(RunConfig), look.fact(Curve).series.get("loss")
    vocabulary = config.integer("vocab_size")
    if loss is None or vocabulary is None or vocabulary < MIN_VOCABULARY:
        return False
    said = " ".join(".".join(s.path) for s in config.settings)
    if is_trained(config) or config.get("resume_from") or config.get("lora_rank"):
        return False
    steps, values, _ = clean(loss)
    if not steps or steps[0] > FIRST or _MEANT.search(said):
        return False
    end = median(values[-max(FIRST, len(values) // 5) :])
    return abs(values[0] - math.log(vocabulary)) <= NEAR and end >= STAYS * values[0]


PROBE = Probe(
    name="part-trained",
    title=Text("the share of the weights that is trained", "参与训练的权重比例"),
    tells=(CHECK,),
    needs=(Curve, LogHits, RunConfig),
    run=run,
    seconds=0.01,
    limit_seconds=5.0,
)
