"""The labels of the first sample, printed whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, judge
from medic.index.knowledge import load

ZERO = "".join(
    f"{{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 1e-05, 'epoch': {n / 20}}}\n"
    for n in range(1, 30)
)


@pytest.mark.parametrize(
    ("labels", "first"),
    [
        ("[-100, -100, -100, -100, -100, -100]", True),
        ("[-100, -100, -100, 108386, 3837, 151645]", False),
        ("tensor([-100, -100, -100,  ..., -100, -100, -100])", False),  # cut in its middle
    ],
)
def test_all_masked(tmp_path: Path, labels: str, first: bool) -> None:
    log = f"training example:\ninput_ids:\n[151644, 8948, 198]\nlabel_ids:\n{labels}\n" + ZERO
    (tmp_path / "train.log").write_text(log)
    (tmp_path / "sft.yaml").write_text("model_name_or_path: /m/Qwen2.5-7B-Instruct\nbf16: true\n")
    named = judge(Labelled("run", folder=str(tmp_path)), load()).named
    assert (named[0] == "fully-masked-batch") is first
