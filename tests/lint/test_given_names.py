"""Variables that a scheduler or a cluster sets are none that a script forgets."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
SCRIPT = (
    "#!/bin/bash\nOUT=/job/out\nLR=1e-4\nNNODES=${}\n"
    "mpirun -np $((NNODES*4)) python train.py --nodes $NNODES --lr $LR --output_dir $OUT\n"
)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("NHOSTS", False),  # Grid Engine
        ("NSLOTS", False),
        ("NCPUS", False),  # PBS
        ("LSB_MAX_NUM_PROCESSORS", False),
        ("LS_NODES", False),
        ("COBALT_JOBSIZE", False),
        ("AZ_BATCH_NODES", False),
        ("SM_NUM_GPUS", False),
        ("VC_WORKER_NUM", False),
        ("SKYPILOT_NUM_NODES", False),
        ("RAY_NODES", False),
        ("MYHOSTS", True),
    ],
)
def test_who_sets_a_name(lint_text: Lint, name: str, told: bool) -> None:
    found = [f.message.en for f in lint_text(SCRIPT.format(name), "run.sh")]
    assert any(f"{name} is set nowhere" in text for text in found) is told
