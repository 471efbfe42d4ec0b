"""Remedies that were tried: last in the list, marked, the next one promoted."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from medic.case.collect import Case
from medic.index.knowledge import Index

Drive = Callable[..., None]


def with_two_remedies(index: Index) -> Index:
    raw = copy.deepcopy(dict(index.raw))
    first = raw["remedies"]["fix-micro-batch-too-large"]
    second = {**first, "name": "recompute", "changes": {"activation_checkpointing": {"set": True}}}
    second |= {"title": {"en": "Recompute the activations", "zh": "激活重计算"}}
    raw["remedies"]["recompute"] = second
    raw["causes"]["micro-batch-too-large"]["remedies"].append("recompute")
    raw["causes"]["gpu-held-by-another-process"]["prior"] = {"single-node": "rare"}
    return Index(raw)


def test_a_tried_remedy_goes_to_the_end(drive: Drive, case: Case, index: Index) -> None:
    async def script(app: Any) -> None:
        talk = app.app.talk.consultation
        await app.send("2")
        assert [o.title.en for o in talk.offers()][:1] == ["Halve the micro batch"]
        await app.send("/tried")
        assert talk.found.causes[0].name == "micro-batch-too-large"
        assert [o.title.en for o in talk.offers() if o.against is None] == [
            "Recompute the activations",
            "Halve the micro batch",
        ]
        last = app.said.rpartition("did not help. It counts against its causes")[2]
        assert "1 Recompute the activations (safe)" in last
        assert (
            "Tried already, without success: 2 Halve the micro batch (safe, tried, did not" in last
        )
        await app.send("/tried 1")
        last = app.said.rpartition("did not help. It counts against its causes")[2]
        assert "All that medic knows against this has been tried." in last
        await app.send("/tried")
        assert "is marked already" in app.said
        await app.press("f8")
        assert [o.tried for o in talk.offers()] == [False, True]

    drive(script, case, load=lambda: with_two_remedies(index))
