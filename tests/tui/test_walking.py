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
