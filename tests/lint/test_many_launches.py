"""A script of very many launches: the first ones are judged, the rest are told."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintReport

_LINE = "torchrun --nproc_per_node 8 train_{n}.py --lr $LR --out $OUT_{n}\n"


def _report(folder: Path, launches: int) -> LintReport:
    file = folder / "run.sh"
    lines = "".join(_LINE.format(n=n) for n in range(launches))
    file.write_text(f"{lines}LR=1e-4\n", "utf-8")
    return lint(collect([str(file)]), load())


@pytest.mark.parametrize(("launches", "told"), [(200, 0), (201, 1)])
def test_those_behind_the_limit_are_told(tmp_path: Path, launches: int, told: int) -> None:
    report = _report(tmp_path, launches)
    assert [n.en for n in report.not_read] == told * [
        "more than 200 launches: only the first 200 were checked"
    ]
    assert not report.failed
    late = [f.line for f in report.findings if f.name == "shell-reads-otherwise"]
    assert late == list(range(1, 41)), "$LR is set behind them; at most 40 are told"


def test_thousands_end_soon(tmp_path: Path) -> None:
    start = time.process_time()
    report = _report(tmp_path, 1200)
    assert not report.failed
    assert time.process_time() - start < 10
