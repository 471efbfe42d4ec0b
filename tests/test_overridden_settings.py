"""A line of a configuration that the command overrides says nothing of the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.runner.registry import all_probes
from medic.session.consultation import Session

LOG = "".join(f"step {n}/200 loss {6.238 - n / 20000:.4f} lr 3.0e-06\n" for n in range(1, 201))
CONFIG = """\
model: {vocab_size: 512, hidden_size: 64, num_layers: 2, num_heads: 4}
optim:
  lr: 0.003
  optimizer: adamw
train: {steps: 200, micro_batch: 8, seq_len: 64}
"""


def heard(root: Path, config: str, words: str) -> dict[str, str]:
    (root / "config.yaml").write_text(config)
    (root / "run.sh").write_text(f"python -u ./pretrain.py --cfg config.yaml {words}\n")
    (root / "train.log").write_text(LOG)
    index = load()
    probes = [p for p in all_probes() if p.reads == "artefacts"]
    session = Session(index, collect([str(root)], this_host=False, index=index), probes)
    session.look()
    return {o.name: o.outcome for o in session.evidence.observed}


@pytest.mark.parametrize(
    ("config", "words", "told"),
    [
        (CONFIG, "", "very-high"),
        (CONFIG, "optim.lr=3.0e-6", None),
        (CONFIG.replace("adamw", "sgd"), "", None),  # the rates that are told are those of Adam
    ],
)
def test_the_rate_that_is_stated(tmp_path: Path, config: str, words: str, told: str | None) -> None:
    assert heard(tmp_path, config, words).get("learning-rate-stated") == told
