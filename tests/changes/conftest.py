"""Run configs and remedies for tests of computed changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from medic.entries import Compute, Costs, Remedy, Set, WorkedIf
from medic.i18n import Text
from medic.run_config import Origin, RunConfig, Value


def _config(**values: Any) -> RunConfig:
    """A run that states these fields; ``derived`` names those that follow from others."""
    derived = values.pop("derived", ())
    return RunConfig(
        {
            name: Value(value, Origin("derived" if name in derived else "file"))
            for name, value in values.items()
        }
    )


def _remedy(**changes: Any) -> Remedy:
    """A remedy that computes (a name with a dash or without) or sets (anything else) fields."""
    sets = {
        field: Set(compute=cast("Compute", value))
        if isinstance(value, str) and "-" in value
        else Set(set=value)
        for field, value in changes.items()
    }
    nothing = Text("", "")
    return Remedy(
        name="a",
        title=nothing,
        kind="config",
        safe=True,
        costs=Costs(1.0, nothing),
        success="usually",
        do=nothing,
        worked_if=WorkedIf(after_steps=1),
        changes=sets,
    )


@pytest.fixture(scope="session")
def config() -> Callable[..., RunConfig]:
    return _config


@pytest.fixture(scope="session")
def remedy() -> Callable[..., Remedy]:
    return _remedy
