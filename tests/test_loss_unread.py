"""A run of which no loss was read is not called healthy, and the answer says so."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.report.console import Console
from medic.report.text import diagnosis as render
from medic.runner.registry import all_probes
from medic.session.consultation import Session

CONFIG = "learning_rate: 3.0e-4\nmax_steps: 200\nper_device_train_batch_size: 8\n"


def told(folder: Path, row: str) -> tuple[str, str]:
    lines = [row.format(n=n, v=4 - n / 100) for n in range(10, 210, 10)]
    (folder / "train.log").write_text("\n".join([*lines, "training finished"]) + "\n")
    (folder / "config.yaml").write_text(CONFIG)
    index = load()
    probes = [p for p in all_probes() if p.reads == "artefacts"]
    session = Session(index, collect([str(folder)], this_host=False, index=index), probes)
    session.look()
    found, out = session.diagnosis(), io.StringIO()
    with redirect_stdout(out):
        render(Console(), session, found, numbers=False)
    return found.verdict, out.getvalue()


def test_a_rate_alone_is_no_health(tmp_path: Path) -> None:
    verdict, text = told(tmp_path, "step {n}/200 lr 3.0e-04")
    assert verdict == "no-fault-seen"
    assert "(read: learning_rate)" in " ".join(text.split())


@pytest.mark.parametrize("name", ["loss", "reward"])
def test_with_what_it_minimises_or_raises(tmp_path: Path, name: str) -> None:
    verdict, text = told(tmp_path, "step {n}/200 " + name + " {v:.4f} lr 3.0e-04")
    assert "was read" not in text
    assert name == "reward" or verdict == "healthy"
