"""When settings are said to be newer than the log."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from medic.facts import GivenFile
from medic.session.recheck import newer_settings

NOW = 1_790_000_000.0


@pytest.mark.parametrize(("written", "late"), [(NOW - 7200, ["launch.sh"]), (NOW, []), (0.0, [])])
def test_settings_are_late_only_where_it_is_known_when_the_log_was_written(
    written: float, late: list[str]
) -> None:
    """The log in a note has no time of its own: it is not of 1970."""
    files = (
        GivenFile("slurm-3.out<log>", "slurm-3.out<log>", "log", 9, written),
        GivenFile("launch.sh", "launch.sh", "script", 9, NOW),
    )
    session: Any = SimpleNamespace(case=SimpleNamespace(files=files))
    assert newer_settings(session)[0] == late
