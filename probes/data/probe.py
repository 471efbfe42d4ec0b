"""The probe of the data. What it reads them with is imported where there are any."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from medic.facts import DataSets, Places
from medic.i18n import Text
from medic.probe import Look, Probe, Skip
from medic.run_config import RunConfig

from .needs import NEEDS


def run(look: Look) -> Iterator[Any]:
    if not look.files("data") and not (look.has(Places) and look.fact(Places).inputs):
        yield Skip(NEEDS)
        return
    from .data import run as read

    yield from read(look)


PROBE = Probe(
    name="data",
    title=Text("the training data", "训练数据"),
    tells=(
        "data-file",
        "data-texts",
        "data-columns",
        "conversation-roles",
        "sample-lengths",
        "labels-in-data",
        "token-ids",
        "class-balance",
        "repeated-samples",
        "overlap-with-training",
        "validation-not-held-out",
        "preference-pairs",
        "rejected-is-right",
    ),
    wants=(RunConfig, Places),
    gives=(DataSets,),
    reliability="exact",
    seconds=2.0,
    limit_seconds=60.0,
    run=run,
)
