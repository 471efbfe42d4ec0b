"""/walk: steps as choices, back, later, and the cause at the end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.case.collect import Case, collect
from medic.index.knowledge import Index

Drive = Callable[..., None]


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return collect([], text="")


def test_a_procedure_is_walked_to_its_cause(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send("/walk two-steps")
        assert "Try it alone." in app.talk()
        await app.send("1")
        assert "Read the message." in app.talk()
        await app.send("1")
        assert "It is: The micro batch does not fit" in app.talk()

    drive(script, case)


def test_one_step_back_and_later(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send("/walk two-steps")
        await app.send("1")
        await app.send("3")
        assert app.talk().count("Try it alone.") == 2
        await app.send("1")
        await app.send("4")
        assert "/walk two-steps goes on" in app.talk()
        await app.send("/walk two-steps")
        assert app.talk().count("Read the message.") == 3

    drive(script, case)


def test_an_unknown_procedure_is_told_with_the_nearest(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send("/walk two-step")
        assert "two-steps" in app.talk()

    drive(script, case)


@pytest.mark.parametrize("words", ["I don't know", "不知道"])
def test_a_step_is_not_over_by_not_knowing(drive: Drive, case: Case, words: str) -> None:
    async def script(app: Any) -> None:
        await app.send("/walk two-steps")
        await app.send(words)
        assert "What comes next depends on what comes out" in app.said
        assert "No symptom that medic knows" not in app.said
        await app.send("1")
        assert "Read the message." in app.talk()

    drive(script, case)


@pytest.mark.parametrize("words", ["what a nice day today", "it ran out of gpu memory"])
def test_what_is_said_meanwhile_ends_no_walk(drive: Drive, case: Case, words: str) -> None:
    async def script(app: Any) -> None:
        await app.send("/walk two-steps")
        await app.send(words)
        assert "The procedure goes on here. What came out?" in app.said
        await app.send("1")
        assert "Read the message." in app.talk()
        await app.send("1")
        assert "It is: The micro batch does not fit" in app.talk()

    drive(script, case)


def test_digits_after_the_last_step_spoil_no_command(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send("/walk two-steps")
        await app.send("1")
        await app.send("2")
        assert "The procedure is done." in app.talk()
        await app.send("1")
        await app.send("1")
        await app.send("1")
        await app.press("slash", "n", "o", "n", "e", "enter")
        assert app.app.talk.consultation.session.refused

    drive(script, case)


@pytest.mark.parametrize("word", ["继续", "Continue."])
@pytest.mark.parametrize("resumed", [False, True])
def test_a_walk_that_was_cut_off_is_named_and_goes_on(
    drive: Drive, run_folder: Path, word: str, resumed: bool
) -> None:
    async def cut(app: Any) -> None:
        await app.send("/walk two-steps")
        await app.send("1")

    async def back(app: Any) -> None:
        if resumed:
            await app.send("/resume")
        assert "“Two steps” was left at step 2" in app.said
        await app.send(word)
        assert "Read the message." in app.said.rpartition(word)[2]
        await app.send("1")
        assert "It is: The micro batch does not fit" in app.talk()

    async def over(app: Any) -> None:
        assert "was left at step" not in app.said
        await app.send(word)
        assert "Try it alone." not in app.said

    drive(cut, collect(["run1"]))
    drive(back, collect(["run1"]))
    if resumed:
        drive(over, collect(["run1"]))


def test_without_a_name_those_that_fit_the_suspects_come_first(
    drive: Drive, run_folder: Path, index: Index
) -> None:
    steps = [{"name": "a", "do": {"en": "Do.", "zh": "做。"}, "outcomes": {"x": "done"}}]
    other = {"name": "others", "title": {"en": "Others", "zh": "其他"}, "steps": steps}
    more = Index({**index.raw, "procedures": {**index.raw["procedures"], "others": other}})

    async def script(app: Any) -> None:
        await app.send("/walk")
        said = app.said.rpartition("/walk NAME begins one:")[2]
        assert "two-steps: Two steps" in said
        assert "others: Others" not in said
        assert "1 more: /walk all lists them." in said
        await app.send("/walk all")
        assert "others: Others" in app.said

    drive(script, collect(["run1"]), load=lambda: more)


def test_a_walk_that_was_left_can_be_begun_anew(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send("/walk two-steps")
        assert "begin again with the first step" not in app.talk()
        await app.send("1")
        await app.send("4")
        await app.send("/walk two-steps")
        assert "4  begin again with the first step" in app.talk()
        await app.send("4")
        assert app.talk().count("Try it alone.") == 2

    drive(script, case)
