"""A word that means something elsewhere is no slip of one that is accepted here."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
ZERO = (
    "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_processes: 8\n"
    "deepspeed_config:\n  zero_stage: 3\n  offload_optimizer_device: {}\n"
)


@pytest.mark.parametrize(
    ("word", "meant"),
    [("gpu", ""), ("cuda", ""), ("nvmee", "nvme"), ("nonee", "none")],
)
def test_a_device_is_no_slip_of_another(lint_text: Lint, word: str, meant: str) -> None:
    found = [
        f for f in lint_text(ZERO.format(word), "acc.yaml") if f.name == "flag-value-not-accepted"
    ]
    assert [f.fix is not None for f in found] == [bool(meant)]
    assert (f"{meant} is meant" in found[0].message.en) is bool(meant)
