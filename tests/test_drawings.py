"""Curves and lengths drawn for a terminal; the options of ``medic probe`` for data."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medic.commands import main
from medic.report import plot
from medic.report.bars import bar
from medic.text.safetext import columns

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], state: Path) -> Run:
    def call(*words: str, lang: str = "en") -> tuple[int, str]:
        code = main([*words, "--lang", lang])
        return code, capsys.readouterr().out

    return call


def metrics(folder: Path, jump_at: int = 0) -> Path:
    rows = []
    for step in range(1, 201):
        loss = (
            2.5 + 6 * math.exp(-step / 30) + (5.0 if jump_at and 0 <= step - jump_at < 3 else 0.0)
        )
        rows.append({"step": step, "loss": loss, "grad_norm": 1.0})
    file = folder / "metrics.jsonl"
    file.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return file


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_curve_is_drawn_with_its_events(run: Run, tmp_path: Path, lang: str) -> None:
    code, out = run("probe", "curve", str(metrics(tmp_path, jump_at=120)), lang=lang)
    assert code == 1
    drawn = [line for line in out.splitlines() if "┤" in line]
    assert len(drawn) >= 14
    assert max(columns(line) for line in drawn) <= 80
    assert any(line.startswith("  1 120: ") for line in out.splitlines())
    assert "\x1b" not in out


def test_a_healthy_curve_has_no_marks(run: Run, tmp_path: Path) -> None:
    code, out = run("probe", "curve", str(metrics(tmp_path)))
    assert code == 0
    assert "looks found nothing wrong" in out
    assert "looks lack what they need" in out
    assert "not checked" not in out
    assert not any(line.startswith("  1 ") for line in out.splitlines())


@given(
    st.lists(st.one_of(st.floats(allow_nan=True, width=64), st.just(1.0)), min_size=2, max_size=60),
    st.integers(20, 100),
    st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_any_values_make_a_drawing_of_that_width(
    values: list[float], width: int, log: bool
) -> None:
    rows = plot.plot(list(range(len(values))), values, width, 4, log=log)
    assert len(rows) in (0, 4)
    assert all(columns(row) <= width for row in rows)


def test_bars() -> None:
    assert bar(0.0, 8) == ""
    assert bar(1e-9, 8) == "▏"
    assert bar(1.0, 8) == "█" * 8
    assert bar(0.5, 8) == "█" * 4


def test_lengths_are_drawn_against_the_sequence_length(run: Run, tmp_path: Path) -> None:
    rows = [{"prompt": "a b c d", "completion": "word " * (50 * (n % 9 + 1))} for n in range(60)]
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    code, out = run("probe", "data", str(tmp_path), "--set", "sequence_length=256")
    assert code == 1
    assert "█" in out
    assert "longer than 256" in out
    assert "many-longer" not in out


def test_items_of_a_benchmark_are_looked_for(run: Run, tmp_path: Path) -> None:
    words = [f"word{n}" for n in range(60)]
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "train.jsonl").write_text(json.dumps({"text": " ".join(words)}) + "\n")
    (tmp_path / "test.txt").write_text(" ".join(words[20:45]) + "\n")
    benchmark = str(tmp_path / "test.txt")
    code, out = run("probe", "data", str(tmp_path / "d"), "--benchmark", benchmark, "--json")
    found = {f["name"]: f["outcome"] for f in json.loads(out)["findings"]}
    assert code == 1
    assert found["overlap-with-training"] == "benchmark-items"
