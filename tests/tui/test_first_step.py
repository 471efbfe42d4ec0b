"""The first remedy is advised where its cause is likely at least."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from medic.tui.offers import first_step

from medic.i18n import use


def talk(verdict: str, word: str) -> Any:
    found = SimpleNamespace(
        verdict=verdict, causes=(SimpleNamespace(word=word),), symptoms=(object(),)
    )
    return SimpleNamespace(found=found, offers=lambda: [SimpleNamespace(title="Lower the rate")])


@pytest.mark.parametrize(
    ("verdict", "word", "said"),
    [
        ("established", "possible", "So do this first: Lower the rate."),
        ("likely", "likely", "So do this first: Lower the rate."),
        ("unclear", "possible", "If it is this, do this first: Lower the rate."),
        ("unclear", "unlikely", "If it is this, do this first: Lower the rate."),
    ],
)
def test_what_is_only_possible_is_not_advised(verdict: str, word: str, said: str) -> None:
    use("en")
    assert str(first_step(talk(verdict, word))) == said
