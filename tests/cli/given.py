"""What the commands are given, and how an answer is held against its contract."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import jsonschema

from medic.report.schemas import SCHEMAS

Run = Callable[..., tuple[int, str, str]]
CASES = Path(__file__).parents[1] / "cases"
PRETRAIN = """# pre-training
total_tokens: 1.0e+12   # one epoch
micro_batch_size: 8
gradient_accumulation_steps: 4
data_parallel_size: 64
sequence_length: 2048
total_steps: 100000     # planned
"""


def data(out: str, schema: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(out)
    jsonschema.validate(found, SCHEMAS[schema])
    return found


def broken(tmp_path: Path) -> Path:
    target = tmp_path / "run"
    shutil.copytree(CASES / "micro-batch-too-large" / "fires-1", target)
    return target
