"""Workers that are started for each of many short epochs."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.runner.registry import all_probes
from medic.session.consultation import Session

CAUSE = "loader-restarts-each-epoch"
FIT = """\
from torch.utils.data import DataLoader
train = DataLoader(rows, hp["batch_size"], shuffle=True, num_workers=hp["num_workers"]{more})
trainer.fit(model, train)
"""
CONFIG = "batch_size: 64\nblock_size: 128\nlr: 0.001\nmax_steps: {steps}\nnum_workers: {workers}\nn_layer: 4\n"
SAID = "/env/lightning/pytorch/loops/fit_loop.py:321: The number of training batches ({n}) is smaller than the logging interval Trainer(log_every_n_steps=10).\n"  # fmt: skip


def fires(root: Path, *, workers: int = 12, n: int = 8, steps: int = 120, more: str = "") -> bool:
    (root / "fit.py").write_text(FIT.format(more=more))
    (root / "hparams.yaml").write_text(CONFIG.format(steps=steps, workers=workers))
    (root / "fit.log").write_text(SAID.format(n=n) + "train_loss 2.1 at step 8\n")
    index = load()
    probes = [p for p in all_probes() if p.reads == "artefacts"]
    session = Session(index, collect([str(root)], this_host=False, index=index), probes)
    session.look()
    return any(h.seen.name == CAUSE and h.seen.outcome == "fires" for h in session.found)


def test_more_workers_than_batches(tmp_path: Path) -> None:
    assert fires(tmp_path)


@pytest.mark.parametrize(
    "changed",
    [
        {"workers": 4},
        {"workers": 0},
        {"steps": 16},
        {"more": ", persistent_workers=True"},
        {"n": 500},
    ],
)
def test_starts_that_pay(tmp_path: Path, changed: dict[str, object]) -> None:
    assert not fires(tmp_path, **changed)  # type: ignore[arg-type]
