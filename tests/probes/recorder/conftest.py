"""Dumps made by hand and recorded ones, read by the probes through the whole runner."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.runner.evidence import Evidence
from medic.runner.registry import all_probes
from medic.runner.run import observe

START = 1_700_000_000
Observe = Callable[..., Evidence]


@pytest.fixture
def case(tmp_path: Path) -> Callable[..., Evidence]:
    """``case({0: dump, 1: dump}, waited=700)``: dumps written so many seconds after START."""

    def run(dumps: dict[int, Any], waited: float = 700, **files: str) -> Evidence:
        for rank, content in dumps.items():
            path = tmp_path / f"nccl_trace_rank_{rank}"
            data = content if isinstance(content, bytes) else pickle.dumps(content, protocol=2)
            path.write_bytes(data)
            os.utime(path, (START + waited, START + waited))
        for name, text in files.items():
            (tmp_path / f"{name}.log").write_text(text, "utf-8")
        return look_at(str(tmp_path))

    return run


def look_at(*paths: str) -> Evidence:
    rooms = ("recorder", "logs", "checkpoint")
    return observe(collect(paths), load(), list(all_probes(rooms)))


@pytest.fixture
def observed() -> Observe:
    return look_at
