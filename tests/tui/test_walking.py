"""/walk: steps as choices, back, later, and the cause at the end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.case.collect import Case, collect

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
        await app.press("1")
        assert "Read the message." in app.talk()

    drive(script, case)


@pytest.mark.parametrize("words", ["what a nice day today", "it ran out of gpu memory"])
def test_what_is_said_meanwhile_ends_no_walk(drive: Drive, case: Case, words: str) -> None:
    async def script(app: Any) -> None:
        await app.send("/walk two-steps")
        await app.send(words)
        assert "The procedure goes on here. What came out?" in app.said
        await app.press("1")
        assert "Read the message." in app.talk()
        await app.press("1")
        assert "It is: The micro batch does not fit" in app.talk()

    drive(script, case)


def test_digits_after_the_last_step_spoil_no_command(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send("/walk two-steps")
        await app.press("1", "2")
        assert "The procedure is done." in app.talk()
        await app.press("1", "1", "1")
        await app.press("slash", "n", "o", "n", "e", "enter")
        assert app.app.talk.consultation.session.refused

    drive(script, case)
