"""Variables that a launch script sets: what only one of two runs has, and what every run has its own of."""

from __future__ import annotations

import pytest

from medic.baseline.settings import variables
from medic.facts import Launch, Launches
from medic.run_config import Span


def launches(**environment: str) -> Launches:
    span = Span("launch.sh", 0, 10, 3, 1, 3, 11)
    return Launches((Launch("torchrun", (), None, (), span, environment),))


@pytest.mark.parametrize(
    ("now", "good", "told"),
    [
        ({"CUDA_LAUNCH_BLOCKING": "1"}, {}, [("CUDA_LAUNCH_BLOCKING", "1", "")]),
        ({"NCCL_ALGO": "Tree"}, {"NCCL_ALGO": "Ring"}, [("NCCL_ALGO", "Tree", "Ring")]),
        ({"OMP_NUM_THREADS": "8"}, {"OMP_NUM_THREADS": "8"}, []),
        ({"MASTER_PORT": "29501", "WANDB_NAME": "b"}, {"MASTER_PORT": "29500"}, []),
        ({"HF_HOME": "/a", "PYTHONPATH": "/b"}, {"HF_HOME": "/c"}, []),
    ],
)
def test_variables_of_two_scripts(
    now: dict[str, str], good: dict[str, str], told: list[tuple[str, str, str]]
) -> None:
    found = list(variables(launches(**now), launches(**good)))
    assert [(d.name, d.now, d.good) for d in found] == told
    assert all(d.now_at.file == "launch.sh" for d in found)
    assert list(variables(launches(**now), None)) == []
