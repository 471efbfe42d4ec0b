"""``medic vitals``: five rows, each ok, not ok or not seen, with its line."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from medic.commands import main
from medic.report.schemas import SCHEMAS
from medic.runner.registry import all_probes
from medic.vitals import Vitals
from medic.vitals.take import PROBES, ROOMS

Take = Callable[..., Vitals]


def states(vitals: Vitals) -> dict[str, str]:
    return {row.name: row.state for row in vitals.rows}


def row(vitals: Vitals, name: str) -> Any:
    return next(r for r in vitals.rows if r.name == name)


def test_every_probe_it_runs_is_there() -> None:
    assert {p.name for p in all_probes(ROOMS)} >= PROBES


# --- the rows -------------------------------------------------------------------------------


def test_a_healthy_run_is_ok_in_all_five(vitals: Take, made: Any) -> None:
    found = vitals({"metrics.jsonl": made.rows(), "nvidia-smi.csv": made.samples()})
    assert set(states(found).values()) == {"ok"}
    assert found.is_ok
    assert found.step == 99
    loss = row(found, "loss-falling").source
    assert Path(loss.file).name == "metrics.jsonl"
    assert loss.line == 100
    assert json.loads(loss.text)["step"] == 99
    assert "95 %" in row(found, "gpu-busy").source.text


@pytest.mark.parametrize(
    ("columns", "bad"),
    [
        ({"loss": lambda n: math.nan if n > 80 else 3.0}, {"loss-falling", "no-nan"}),
        ({"loss": lambda n: 3.0 - n * 0.02 if n < 50 else 2.0 + (n - 50) * 0.1}, {"loss-falling"}),
        ({"grad_norm": lambda n: 1.0 if n < 90 else 8.0}, {"grad-norm"}),
        ({"grad_norm": lambda n: math.inf if n == 99 else 1.0}, {"grad-norm", "no-nan"}),
        ({"grad_norm": lambda n: 1.0 if n < 90 else 0.0}, {"grad-norm"}),
        ({"grad_norm": lambda n: 0.8**n}, {"grad-norm"}),
        ({"grad_norm": lambda n: 0.5 * 1.05**n}, {"grad-norm"}),
        ({"grad_norm": lambda n: 7.0 * 0.98**n}, set()),
        ({"grad_norm": lambda n: 0.1 * 1.02**n}, set()),
        ({"loss": lambda n: 0.0 if n > 95 else 3.0 - n / 100}, {"loss-falling", "no-nan"}),
        ({"loss": lambda n: 0.0 if n == 50 else 3.0 - n / 100}, {"no-nan"}),
        ({"loss": lambda n: round(3.0 * 0.8**n, 4)}, set()),
    ],
)
def test_what_the_curve_shows(
    vitals: Take, made: Any, columns: dict[str, Callable[[int], float]], bad: set[str]
) -> None:
    found = vitals({"metrics.jsonl": made.rows(**columns)})
    assert {n for n, s in states(found).items() if s == "not-ok"} == bad
    assert found.is_ok is not bool(bad)


def test_a_skipped_step_of_a_loss_scaler_is_no_fault(vitals: Take, made: Any) -> None:
    text = made.rows(grad_norm=lambda n: math.inf if n == 40 else 1.0, loss_scale=lambda n: 65536.0)
    assert states(vitals({"metrics.jsonl": text}))["no-nan"] == "ok"


def test_a_level_loss_is_neither(vitals: Take, made: Any) -> None:
    found = vitals({"metrics.jsonl": made.rows(loss=lambda n: 1.9 + 0.01 * (n % 5))})
    assert states(found)["loss-falling"] == "not-seen"
    assert found.is_ok


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        ({"use": 5}, "not-ok"),
        ({"use": 5, "used": lambda n: 900}, "not-seen"),  # a small model leaves the GPU idle
        ({"use": 60}, "ok"),
    ],
)
def test_gpu_use(vitals: Take, made: Any, series: dict[str, Any], expected: str) -> None:
    found = vitals({"metrics.jsonl": made.rows(), "nvidia-smi.csv": made.samples(**series)})
    assert states(found)["gpu-busy"] == expected


@pytest.mark.parametrize(
    ("used", "expected"),
    [
        (lambda n: 40_000 + 150 * n, "not-ok"),
        (lambda n: 500 if n < 20 else 60_000, "ok"),  # the start is no growth
        (lambda n: 500 if n < 100 else 60_000, "not-seen"),
    ],
)
def test_gpu_memory(vitals: Take, made: Any, used: Callable[[int], int], expected: str) -> None:
    found = vitals({"metrics.jsonl": made.rows(), "nvidia-smi.csv": made.samples(used=used)})
    assert states(found)["memory-flat"] == expected


def test_memory_of_the_metrics_file(vitals: Take, made: Any) -> None:
    text = made.rows(200, memory=lambda n: 2**30 * (10 + n * 0.1))
    assert states(vitals({"metrics.jsonl": text}))["memory-flat"] == "not-ok"


def test_a_speed_that_fell_is_told(vitals: Take, made: Any) -> None:
    def speed(step: int) -> float:
        return 40_000.0 if step < 60 else 11_600.0

    found = vitals({"metrics.jsonl": made.rows(tokens_per_s=speed), "gpu.csv": made.samples()})
    busy = next(r for r in found.rows if r.name == "gpu-busy")
    assert (busy.state, found.is_ok) == ("not-ok", False)
    assert "71%" in busy.text.en


def test_what_is_not_logged_is_not_seen(vitals: Take) -> None:
    found = vitals({"train.log": "hello\nworld\n"})
    assert set(states(found).values()) == {"not-seen"}
    assert not found.is_seen


# --- a run that is over -----------------------------------------------------------------------


def test_a_run_that_writes_nothing_stands_still(vitals: Take, made: Any) -> None:
    files = {"metrics.jsonl": made.rows(), "nvidia-smi.csv": made.samples()}
    found = vitals(files, age=3600)
    assert found.stop is not None
    assert "60 minutes" in found.stop.why.en
    assert not found.is_ok
    assert vitals(files, age=3600, this_host=False).is_ok


def test_other_files_that_grow_are_no_steps(vitals: Take, made: Any, tmp_path: Path) -> None:
    """A sampler and a heartbeat write on while the training stands still."""
    vitals({"metrics.jsonl": made.rows()}, age=7200)
    found = vitals({"nvidia-smi.csv": made.samples(), "heartbeat.log": "alive\n"})
    assert found.stop is not None
    assert "not written for 120 minutes, though others were" in found.stop.why.en
    assert found.stop.source.file.endswith("metrics.jsonl")


@pytest.mark.parametrize(
    ("minutes", "stands"), [(200, True), (5, False), (20 * 60, True), (8 * 60 + 2, False)]
)
def test_a_copy_keeps_the_time_of_its_last_step(vitals: Take, minutes: int, stands: bool) -> None:
    """Unless the clock of another zone could have written it."""
    last = time.time() - 60 * minutes
    log = "".join(
        f"{time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(last - 20 * (30 - n)))} step {n} | loss {9 / (n + 1):.4f}\n"
        for n in range(31)
    )
    found = vitals({"train.log": log})
    assert (found.stop is not None) == stands
    if found.stop is not None:
        assert "hours ago by this machine's clock" in found.stop.why.en


def test_a_run_that_ended_well_does_not(vitals: Take, made: Any) -> None:
    files = {"metrics.jsonl": made.rows(), "train.log": "step 99 loss 2.0\nTraining completed.\n"}
    assert vitals(files, age=3600).stop is None


def test_a_failure_is_told_though_the_rows_are_fine(vitals: Take, made: Any) -> None:
    log = (
        'Traceback (most recent call last):\n  File "/x.py", line 1, in <module>\nValueError: no\n'
    )
    found = vitals({"metrics.jsonl": made.rows(), "train.log": log})
    assert not found.is_ok
    assert found.stop is not None
    assert "not-ok" not in states(found).values()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_summary_counts_a_run_that_ended_badly(
    made: Any, tmp_path: Path, state: Path, capsys: pytest.CaptureFixture[str], lang: str
) -> None:
    (tmp_path / "metrics.jsonl").write_text(made.rows())
    (tmp_path / "train.log").write_text(
        'Traceback (most recent call last):\n  File "/x.py", line 1, in <module>\nValueError: no\n'
    )
    assert main(["--lang", lang, "vitals", str(tmp_path)]) == 1
    told = capsys.readouterr()
    out = told.out + told.err
    assert out.startswith({"en": "not ok    run goes on", "zh": "异常      训练在进行"}[lang])
    assert {"en": "as it was until then:\nok        loss", "zh": "在此之前：\n正常      loss"}[
        lang
    ] in out
    assert {"en": "not ok 1, ok ", "zh": "异常 1，正常 "}[lang] in out
    assert {"en": "medians of the first and the last", "zh": "首末各"}[lang] in out


# --- the command --------------------------------------------------------------------------------


@pytest.mark.parametrize(("use", "code"), [(95, 0), (3, 1)])
def test_exit_codes(
    made: Any, tmp_path: Path, state: Path, capsys: pytest.CaptureFixture[str], use: int, code: int
) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "metrics.jsonl").write_text(made.rows())
    (tmp_path / "r" / "nvidia-smi.csv").write_text(made.samples(use))
    assert main(["--lang", "en", "vitals", str(tmp_path / "r")]) == code
    out = capsys.readouterr()
    assert out.out.splitlines()[0].startswith("ok        loss falling")
    assert "metrics.jsonl:100" in out.out
    assert f"not ok {code}, ok {5 - code}" in out.err


def test_json_and_chinese(
    made: Any, tmp_path: Path, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "metrics.jsonl").write_text(made.rows())
    assert main(["--lang", "zh", "vitals", str(tmp_path / "metrics.jsonl"), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    jsonschema.validate(data, SCHEMAS["vitals"])
    assert [r["name"] for r in data["rows"]] == [
        "loss-falling", "gpu-busy", "memory-flat", "grad-norm", "no-nan",
    ]  # fmt: skip
    assert data["rows"][0]["title"] == "loss 下降"
    assert main(["--lang", "zh", "vitals", str(tmp_path / "metrics.jsonl")]) == 0
    assert capsys.readouterr().out.startswith("正常")


def test_nothing_to_see_is_no_health(
    tmp_path: Path, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.log").write_text("hello\n")
    assert main(["vitals", str(tmp_path / "train.log")]) == 2
    assert main(["vitals", str(tmp_path / "gone")]) == 2


def test_control_bytes_reach_no_terminal(
    made: Any, tmp_path: Path, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = "".join(f"step {n} loss {3 - n * 0.1:.2f} \x1b]52;c;x\x07\x1b[2J\n" for n in range(20))
    (tmp_path / "train.log").write_text(log)
    main(["--lang", "en", "vitals", str(tmp_path / "train.log")])
    out = capsys.readouterr()
    assert "loss falling" in out.out
    assert "\x1b" not in out.out + out.err


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 5000, b'{"step": 1, "loss": ', b"[" * 50_000, b'{"loss": 1e999}\n' * 30],
)
def test_broken_metrics(vitals: Take, content: bytes) -> None:
    found = vitals({"metrics.jsonl": content, "train.log": "hello\n"})
    assert "ok" not in states(found).values() or b"1e999" in content


NUMBER = st.floats() | st.integers(-5, 5) | st.none() | st.text(max_size=3)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(NUMBER, NUMBER, NUMBER), max_size=60))
def test_any_metrics_are_judged(vitals: Take, table: list[tuple[Any, Any, Any]]) -> None:
    text = "".join(
        json.dumps({"step": n, "loss": a, "grad_norm": b, "memory": c}) + "\n"
        for n, (a, b, c) in enumerate(table)
    )
    found = vitals({"metrics.jsonl": text, "train.log": "hello\n"})
    assert len(found.rows) == 5


def test_samples_before_and_after_the_run_are_not_of_it(vitals: Take, made: Any) -> None:
    """The sampler went on when the process had left: that is no memory that fell to nothing."""
    usual = vitals({"metrics.jsonl": made.rows(), "nvidia-smi.csv": made.samples()})
    held = made.samples(used=lambda n: 60_000 if 20 <= n < 80 else 4)
    found = vitals({"metrics.jsonl": made.rows(), "nvidia-smi.csv": held})
    assert states(found)["memory-flat"] == states(usual)["memory-flat"] == "ok"
    told = next(r for r in found.rows if r.name == "memory-flat").text.en
    assert told == next(r for r in usual.rows if r.name == "memory-flat").text.en


def test_memory_that_a_run_held_too_shortly_tells_nothing(vitals: Take, made: Any) -> None:
    short = made.samples(used=lambda n: 60_000 + 9 * n if 90 <= n < 110 else 4)
    found = vitals({"metrics.jsonl": made.rows(), "nvidia-smi.csv": short})
    assert states(found)["memory-flat"] == "not-seen"


def test_few_samples_are_said_to_be_few(vitals: Take, made: Any) -> None:
    found = vitals({"metrics.jsonl": made.rows(), "nvidia-smi.csv": made.samples(count=8)})
    told = next(r for r in found.rows if r.name == "gpu-busy")
    assert told.state == "not-seen"
    assert "8 GPU samples" in told.text.en
    assert "no GPU samples" not in told.text.en


def test_memory_of_a_gpu_beside_the_run_or_of_two_processes_is_not_called_flat(
    vitals: Take, made: Any
) -> None:
    short = made.samples(used=lambda n: 60_000 if 90 <= n < 110 else 0)
    beside = "".join(
        row.replace(", 0, 95 %", ", 1, 0 %")
        for row in made.samples(used=lambda _: 4).splitlines(keepends=True)[1:]
    )
    found = vitals({"metrics.jsonl": made.rows(), "nvidia-smi.csv": short + beside})
    assert states(found)["memory-flat"] == "not-seen"
    again = made.samples(used=lambda n: 0 if 60 <= n < 90 else 60_000)
    found = vitals({"metrics.jsonl": made.rows(), "nvidia-smi.csv": again})
    assert states(found)["memory-flat"] == "not-seen"
