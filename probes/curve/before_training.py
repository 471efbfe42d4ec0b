"""An evaluation of trained weights before their first step, which says how well they know the text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from medic.errors import Unreadable
from medic.facts import GivenFile, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

from .start import HIGH, LEVEL, MIN_VOCABULARY, is_trained

FACTOR = "accumulation-factor"
ABOVE = 2.0  # nats above ln(vocabulary): the threshold of the check
_FILES, _BYTES = 8, 65_536
_BEFORE = regex(
    r"(?i)\b(?:before (?:training|fine-?tuning|any update|the first step)|initial (?:eval\w*|validation)|"
    r"(?:eval\w*|validation) (?:at|before) (?:step 0|start|training))\b.{0,60}?"
    r"\b(?:(?:eval|val|valid|validation|test)[_ ]?loss|loss)\b\W{0,4}(\d{1,4}\.\d+)"
)
_VOCABULARY = regex(
    r"(?i)\b(?:tokeni[sz]er\b.{0,40}?\b(\d[\d,]{1,9}) (?:entries|tokens|ids)|"
    r"vocab(?:ulary)?(?:[ _]size)?\b\W{0,3}(\d[\d,]{1,9}))\b"
)


class Read(NamedTuple):
    """The loss in nats, its line, and the size of the vocabulary that the log states."""

    loss: float
    source: Source
    vocabulary: int | None


def run(look: Look) -> Iterator[Finding]:
    config = config_of(look)
    if not is_trained(config) or config.get("resume_from"):
        return
    for given in look.files("log")[:_FILES]:
        read = _read(look, given)
        size = config.integer("vocab_size") or (read.vocabulary if read is not None else None)
        if read is None or size is None or size < MIN_VOCABULARY:
            continue
        guess = math.log(size)
        if read.loss > guess + ABOVE:
            value = {"step": 0, "loss": read.loss, "random": guess, "vocabulary": size}
            yield Finding(LEVEL, "above-random", value=value, source=read.source, exact=True)
            yield Finding(HIGH, value=value, source=read.source)
            yield Finding(FACTOR, "same", source=read.source)  # an evaluation accumulates nothing
        return


def _read(look: Look, given: GivenFile) -> Read | None:
    """The first such line of a log; None where there is none."""
    try:
        with look.open(given.path, _BYTES) as file:
            text = file.read(_BYTES).decode("utf-8", "replace")
    except Unreadable:
        return None
    loss, source, size = None, Source(), None
    for number, line in enumerate(text.split("\n"), 1):
        found, named = _BEFORE.search(line[:400]), _VOCABULARY.search(line[:400])
        if named is not None and size is None:
            size = int((named[1] or named[2]).replace(",", ""))
        if found is not None and loss is None:
            loss, source = float(found[1]), Source(given.name, number, text=line.strip()[:200])
    return Read(loss, source, size) if loss is not None else None


PROBE = Probe(
    name="before-training",
    title=Text("an evaluation before training", "训练前的评估"),
    tells=(LEVEL, HIGH, FACTOR),
    wants=(RunConfig,),
    files=("log",),
    run=run,
    seconds=0.02,
    limit_seconds=5.0,
)
