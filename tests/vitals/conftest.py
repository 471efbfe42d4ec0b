"""Small runs in flight: metrics, GPU samples and a log, all made here."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.vitals import Vitals, take


def rows(count: int = 100, **columns: Callable[[int], float]) -> str:
    """Metrics of ``count`` steps: a falling loss and a level norm unless told otherwise."""
    usual: dict[str, Callable[[int], float]] = {
        "loss": lambda n: 6.0 - 3.0 * n / (n + 20) + 0.02 * (n % 7),
        "grad_norm": lambda n: 1.0 + 0.1 * (n % 5),
    }
    made: Iterable[dict[str, Any]] = (
        {"step": n, **{k: f(n) for k, f in {**usual, **columns}.items()}} for n in range(count)
    )
    return "".join(json.dumps(row) + "\n" for row in made)


def samples(use: int = 95, used: Callable[[int], int] = lambda n: 60_000, count: int = 120) -> str:
    head = "timestamp, index, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n"
    return head + "".join(
        f"2026/11/28 09:{n // 60:02d}:{n % 60:02d}.000, 0, {use} %, {used(n)} MiB, 81559 MiB\n"
        for n in range(count)
    )


@pytest.fixture
def made() -> Any:
    """The makers of metrics and samples."""
    return type("Made", (), {"rows": staticmethod(rows), "samples": staticmethod(samples)})


@pytest.fixture
def vitals(tmp_path: Path, state: Path) -> Callable[..., Vitals]:
    """``vitals({"metrics.jsonl": …}, age=60)``: the rows of a folder whose files are so old."""

    def run(files: dict[str, str | bytes], age: float = 5.0, **more: Any) -> Vitals:
        folder = tmp_path / "run"
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            then = path.stat().st_mtime - age
            os.utime(path, (then, then))
        return take(collect([str(folder)], **more), load())

    return run
