"""A run of one rank is not asked about several, nor suspected of a batch of several replicas."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.session.consultation import Session

OF_SEVERAL = {"gpu-memory-spread", "rank-device-map", "replica-gradients", "works-at-smaller-scale"}
LOG = """step 1 loss 2.1
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity of \
79.18 GiB of which 3.26 GiB is free. Including non-PyTorch memory, this process has 75.91 GiB memory in use. \
Of the allocated memory 72.66 GiB is allocated by PyTorch, and 2.00 GiB is reserved by PyTorch but unallocated.
"""


@pytest.mark.parametrize(("ranks", "asked"), [(1, False), (8, True)])
def test_what_is_asked_and_suspected_of_so_many_ranks(
    tmp_path: Path, state: Path, ranks: int, asked: bool
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "train.log").write_text(LOG)
    (run / "launch.sh").write_text(f"torchrun --nproc-per-node={ranks} train.py --config c.yaml\n")
    (run / "c.yaml").write_text("micro_batch_size: 16\ngradient_accumulation_steps: 4\n")
    session = Session(load(), collect([str(run)]))
    session.look()
    names = {look.name for look in session.open_looks()}
    assert bool(names & OF_SEVERAL) is asked
    found = session.diagnosis(asks=False)
    assert found.causes[0].name == "micro-batch-too-large"
    assert ("micro-batch-is-global" in session.model.causes) is asked
