"""The number of parameters that the log states wins over the one that follows from the shape."""

from __future__ import annotations

from pathlib import Path

import pytest
from medic.probes.config.model_count import printed_count

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.session.consultation import Session

INDEX = load()


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("number of parameters: 3.63M", 3_630_000),
        ("all params: 136,832", 136_832),
        ("Model has 1.2 billion parameters", 1_200_000_000),
        ("total params = 6.7B", 6_700_000_000),
        (" > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 345", None),
        ("num decayed parameter tensors: 26, with 3,611,136 parameters", None),
        ("trainable params: 640 || all params: 136832 || trainable%: 0.4677", None),
        ("step 100 loss 2.1", None),
    ],
)
def test_what_a_line_states(line: str, count: int | None) -> None:
    assert printed_count(line) == count


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("number of parameters: 3.63M\n", "3.63M parameters, as its log says"),
        ("", "a model of a size that is not stated"),
    ],
)
def test_the_log_wins(tmp_path: Path, log: str, said: str) -> None:
    (tmp_path / "config.yaml").write_text(
        "hidden_size: 256\nnum_hidden_layers: 4\nvocab_size: 1000\nlearning_rate: 0.03\n"
        "optimizer: adamw\nmax_steps: 100\nper_device_train_batch_size: 4\n"
    )
    (tmp_path / "train.log").write_text(log + "step 1 loss 6.9\nstep 2 loss 6.8\n")
    session = Session(INDEX, collect([str(tmp_path)], index=INDEX, this_host=False))
    session.look()
    texts = [str(v) for h in session.found for v in h.finding.value.values()]
    assert any(said in text for text in texts), texts
