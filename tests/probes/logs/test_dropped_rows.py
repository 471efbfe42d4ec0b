"""The share of rows that the preparation drops, as each framework counts them."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.logs import dropped_rows

ROW = "[WARNING:swift] Current length of row({n}) is larger than the max_length(512), deleted.\n"
ROWS = "".join(ROW.format(n=600 + n) for n in range(3))
LEFT = (
    "[INFO:swift] train_dataset: Dataset({{\n    features: ['input_ids'],\n    num_rows: {n}\n}})\n"
)
FILTERED = "[INFO:swift] Dataset filtered, origin length: {all}, filtered dataset length: {left}\n"
DROPPED = "[WARNING] [axolotl.utils.data.utils] [PID:7] [RANK:0] Dropped {n} samples from dataset (longer than sequence_len 4096)\n"


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (ROWS + LEFT.format(n=18_211), "few"),
        (ROWS + LEFT.format(n=0), "most"),
        (ROWS + LEFT.format(n=2), "most"),
        (ROWS + "[WARNING:swift] The number of dropped rows: 400\n" + LEFT.format(n=800), "many"),
        (ROWS, "few"),  # of how many is not told
        (FILTERED.format(all=50_000, left=3_120), "most"),
        (FILTERED.format(all=50_000, left=49_120), "few"),
        (DROPPED.format(n=214) + "  Num examples = 9,984\n", "few"),
        (DROPPED.format(n=9_000) + "  Num examples = 9,984\n", "many"),
    ],
)
def test_the_share_of_dropped_rows(read: Any, text: str, outcome: str) -> None:
    assert read(text).ask(dropped_rows.PROBE)["rows-dropped-share"].outcome == outcome


def test_no_row_is_said_to_be_dropped(read: Any) -> None:
    text = "Dropped 3 samples with no trainable tokens from dataset\n" + LEFT.format(n=1)
    assert not read(text).ask(dropped_rows.PROBE)
