"""A run that its number of steps ended long before its epochs."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.facts import LogHits
from medic.index.knowledge import load
from medic.runner.registry import all_probes
from medic.session.consultation import Session
from medic.session.diagnosis import Diagnosis

CAUSE = "epochs-and-steps-both-set"
CONFIG = """\
output_dir: out
model_name_or_path: base
per_device_train_batch_size: 8
learning_rate: 2.0e-5
num_train_epochs: {epochs}
max_steps: {steps}
logging_steps: 10
"""
ROW = "{{'loss': '{loss:.3f}', 'grad_norm': '1.1', 'learning_rate': '1e-05', 'epoch': '{epoch:.3f}'}}\n"
END = "{{'train_runtime': '50.1', 'train_samples_per_second': '10', 'train_loss': '2.3', 'epoch': '{epoch:.3f}'}}\n"
EVALUATED = "{{'eval_loss': 2.2, 'eval_runtime': 0.13, 'epoch': {epoch:.3f}}}\n"


def look(root: Path, epochs: float, steps: int, *, an_epoch: float, end: str) -> Session:
    rows = [ROW.format(loss=3 - n / 100, epoch=n / an_epoch) for n in range(10, 101, 10)]
    log = "".join(rows) + end.format(epoch=100 / an_epoch)
    (root / "train.log").write_text(log)
    (root / "args.yaml").write_text(CONFIG.format(epochs=epochs, steps=steps))
    index = load()
    probes = [p for p in all_probes() if p.reads == "artefacts"]
    session = Session(index, collect([str(root)], this_host=False, index=index), probes)
    session.look()
    return session


def seen(root: Path, epochs: float, steps: int, *, an_epoch: float, end: str) -> Diagnosis:
    return look(root, epochs, steps, an_epoch=an_epoch, end=end).diagnosis()


def test_the_steps_of_a_trial_were_left_in(tmp_path: Path) -> None:
    found = seen(tmp_path, 3, 100, an_epoch=2500, end=END + EVALUATED)
    assert found.causes[0].name == CAUSE
    assert any("epoch 0.04 of 3" in str(e.text) for e in found.causes[0].evidence)


@pytest.mark.parametrize(
    ("epochs", "steps", "an_epoch", "end"),
    [
        (3, 100, 40, END),  # nearly all of them
        (1, 100, 100, END),
        (3, 100, 2500, ""),  # it stopped, or is under way
        (3, -1, 2500, END),
    ],
)
def test_no_conflict(tmp_path: Path, epochs: int, steps: int, an_epoch: float, end: str) -> None:
    found = seen(tmp_path, epochs, steps, an_epoch=an_epoch, end=end)
    assert CAUSE not in [c.name for c in found.causes[:1]]


def test_evaluating_behind_the_end_is_no_training(tmp_path: Path) -> None:
    session = look(tmp_path, 1, 100, an_epoch=100, end=END + EVALUATED)
    hits = session.evidence.fact(LogHits)
    assert hits is not None
    assert hits.ended == "well"
