"""Metrics files and step lines -> the Curve."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from medic.probes.curve import curve, rows

from medic.facts import Curve, LogHits, Source, StepLine
from medic.probe import Skip, Unread

Look = Callable[..., Any]
GIB = 2**30


def read(look: Any) -> Curve:
    found: Curve = next(f for f in curve.run(look) if isinstance(f, Curve))
    return found


def lines(records: list[dict[str, Any]]) -> str:
    return "\n".join(json.dumps(r) for r in records) + "\n"


def test_json_lines_with_nan_and_a_half_written_end(look: Look) -> None:
    text = '{"step": 1, "loss": 2.5}\n{"step": 2, "loss": NaN}\n{"step": 3, "loss": Infinity}\n{"st'
    series = read(look({"metrics.jsonl": text})).series["loss"]
    assert series.steps == (1, 2, 3)
    assert math.isnan(series.values[1])
    assert math.isinf(series.values[2])
    assert series.lines == (1, 2, 3)


def test_nested_names_units_and_texts(look: Look) -> None:
    record = {
        "trainer/global_step": 7,
        "train": {"loss": "2.5", "grad_norm": 0.5},
        "mem_gib": 2,
        "step_time_ms": 120,
        "val/loss": 2.75,
        "note": "words",
        "ok": True,
    }
    found = read(look({"metrics.jsonl": lines([record])})).series
    values = {name: s.values[0] for name, s in found.items()}
    assert values == {
        "loss": 2.5, "grad_norm": 0.5, "memory": 2 * GIB, "step_time": 0.12, "eval_loss": 2.75
    }  # fmt: skip
    assert found["loss"].steps == (7,)


def test_the_records_of_verl_are_below_data(look: Look) -> None:
    record = {"step": 3, "data": {"actor/pg_clipfrac": 0.5, "critic/score/mean": 0.25}}
    found = read(look({"grpo.jsonl": lines([record])})).series
    assert {n: (s.steps, s.values) for n, s in found.items()} == {
        "clip_share": ((3,), (0.5,)),
        "reward": ((3,), (0.25,)),
    }


@pytest.mark.parametrize(("value", "stored"), [(12.5, 12.5 * GIB), (2_000_000_000, 2e9)])
def test_memory_without_a_unit(look: Look, value: float, stored: float) -> None:
    found = read(look({"metrics.jsonl": lines([{"step": 1, "memory": value}])}))
    assert found.series["memory"].values == (stored,)


@pytest.mark.parametrize("sign", [",", "\t"])
def test_tables(look: Look, sign: str) -> None:
    table = [
        ["epoch", "step", "train_loss", "val_loss"],
        ["0", "10", "2.5", ""],
        ["0", "20", "2.25", "2.5"],
    ]
    text = "\n".join(sign.join(row) for row in table)
    found = read(look({"metrics.csv": text}, kinds={"metrics.csv": "metrics"})).series
    assert found["loss"].steps == (10, 20)
    assert found["eval_loss"].values == (2.5,)
    assert found["loss"].lines == (2, 3)


def test_a_list_and_a_trainer_state(look: Look) -> None:
    history = [{"step": 5, "loss": 2.5}, {"step": 10, "loss": 2.25}]
    for name, data in (
        ("metrics.json", history),
        ("trainer_state.json", {"log_history": history, "max_steps": 60}),
    ):
        files = {name: json.dumps(data)}
        found = read(look(files, kinds={name: "metrics"}))
        assert found.series["loss"].steps == (5, 10)
    assert found.planned_steps == 60


def test_records_without_a_step_are_counted(look: Look) -> None:
    found = read(look({"metrics.jsonl": lines([{"loss": 3.0}, {"loss": 2.0}])}))
    assert found.series["loss"].steps == (1, 2)


def test_a_resume_replaces_what_it_repeats(look: Look) -> None:
    records = [{"step": s, "loss": 10.0 - s} for s in (1, 2, 3, 4, 5)]
    records += [{"step": s, "loss": 20.0 - s} for s in (4, 5, 6)]
    found = read(look({"metrics.jsonl": lines(records)}))
    assert found.series["loss"].steps == (1, 2, 3, 4, 5, 6)
    assert found.series["loss"].values == (9.0, 8.0, 7.0, 16.0, 15.0, 14.0)
    assert found.resumed_at == (4,)


def test_a_run_that_starts_over_is_no_resume(look: Look) -> None:
    records = [{"step": s, "loss": 1.0} for s in (1, 2, 3, 1, 2)]
    found = read(look({"metrics.jsonl": lines(records)}))
    assert found.series["loss"].steps == (1, 2)
    assert found.resumed_at == ()


def test_ranks_by_file_and_by_column(look: Look) -> None:
    files = {f"metrics.rank{r}.jsonl": lines([{"step": 1, "loss": 2.0 + r}]) for r in (1, 3)}
    found = read(look(files))
    assert sorted(found.by_rank) == [1, 3]
    assert found.series["loss"].values == (3.0,)


def test_a_rank_column(look: Look) -> None:
    records = [{"step": 1, "rank": r, "loss": 2.0 + r} for r in (1, 0)]
    found = read(look({"metrics.jsonl": lines(records)}))
    assert found.by_rank[1]["loss"].values == (3.0,)
    assert found.series["loss"].values == (2.0,)


def logged(*steps: int, rank: int | None = None, **values: float) -> LogHits:
    made = tuple(StepLine(s, values, Source("train.log", s, rank)) for s in steps)
    return LogHits(steps=made)


def test_the_log_fills_what_the_files_lack(look: Look) -> None:
    files = {"metrics.jsonl": lines([{"step": s, "loss": 2.5} for s in (1, 2, 3)])}
    found = read(look(files, facts=[logged(1, 2, loss=9.0, data_time=0.2)]))
    assert found.series["loss"].file == "metrics.jsonl"
    assert found.series["data_time"].values == (0.2, 0.2)
    assert found.series["data_time"].file == "train.log"


def test_a_log_alone_is_a_curve(look: Look) -> None:
    found = read(look({}, facts=[logged(1, 2, rank=2, loss=3.0)]))
    assert found.by_rank[2]["loss"].steps == (1, 2)


def test_nothing_is_a_gap(look: Look) -> None:
    assert [type(f) for f in curve.run(look({}))] == [Skip]


@pytest.mark.parametrize(
    ("cut", "aside", "words"),
    [
        (-9, True, "its last line is cut off"),
        (40, False, "1 lines are cut off (the first is line 2)"),
    ],
)
def test_a_line_that_is_cut_off_is_told(look: Look, cut: int, aside: bool, words: str) -> None:
    """The last one may still be written; one between others was lost."""
    whole = lines([{"step": n, "loss": 2.0} for n in range(1, 9)])
    text = whole[:cut] if cut < 0 else whole[:cut] + "\n" + whole[cut + 20 :]
    (told,) = [f for f in curve.run(look({"metrics.jsonl": text})) if isinstance(f, Unread)]
    assert (told.partly, told.aside) == (True, aside)
    assert words in told.why.en


def test_a_broken_file_is_told(look: Look) -> None:
    seen = look({"trainer_state.json": "[1, 2"}, kinds={"trainer_state.json": "metrics"})
    found = list(curve.run(seen))
    assert isinstance(found[0], Unread)
    assert found[0].file == "trainer_state.json"


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    class Look:
        def open(self, path: str, limit: int) -> Any:
            import io

            return io.BytesIO(text.encode("utf-8", "replace"))

    from medic.errors import Unreadable
    from medic.facts import GivenFile

    for name in ("metrics.jsonl", "metrics.csv", "trainer_state.json"):
        try:
            rows.read(Look(), GivenFile(str(Path(name)), name, "metrics"))
        except Unreadable:
            continue
