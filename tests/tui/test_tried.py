"""Remedies that were tried: last in the list, marked, the next one promoted."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest

from medic.case.collect import Case
from medic.i18n import use
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


def test_a_change_that_no_run_had_counts_against_nothing(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        talk = app.app.talk.consultation
        await app.press("f4", "a")
        stood = [(c.name, c.word) for c in talk.found.causes]
        for words in ("/tried", "/tried 1"):
            await app.send(words)
            assert talk.session.tried == []
            last = app.said.rpartition("No run with c1 has been seen")[2]
            assert "it ran with the change and failed as before" in last
            assert "Noted" not in last
            assert [(c.name, c.word) for c in talk.found.causes] == stood
        await app.send("1")  # it ran elsewhere: that is a word for it
        assert talk.session.tried == ["fix-micro-batch-too-large"]

    drive(script, case)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_undo_says_whether_it_takes_back_a_word_or_a_file(
    drive: Drive, case: Case, run_folder: Path, lang: Literal["en", "zh"]
) -> None:
    """Who reads "taken back" must not believe that the file is as it was, where it is not."""
    use(lang)
    stands = {"en": "No file was touched: the change c1", "zh": "文件没有变动：对 run1/train.yaml"}

    async def script(app: Any) -> None:
        await app.press("f4", "a")
        changed = (run_folder / "train.yaml").read_text()
        await app.send("/tried")
        await app.send("1")
        await app.press("f8")
        assert (run_folder / "train.yaml").read_text() == changed
        assert stands[lang] in app.said
        await app.press("f8")
        await app.send("1")
        assert (run_folder / "train.yaml").read_text() != changed
        assert app.said.count(stands[lang]) == 1

    drive(script, case)


def test_a_word_taken_back_before_any_change_speaks_of_no_file(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send("/tried")
        await app.press("f8")
        assert "Taken back: that “" in app.said
        assert "No file was touched" not in app.said

    drive(script, case)
