"""Lines that log no step: their number is no step, unless the interval is stated."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.facts import Counted, LogHits
from medic.index.knowledge import load
from medic.runner.registry import all_probes
from medic.session.consultation import Session
from medic.session.sentences import finding_text

HEAD = "***** Running training *****\n"


def lines(count: int, *, nan_at: int = 0) -> str:
    return "".join(
        f"{{'loss': {'nan' if n == nan_at else round(2.4 - n / 500, 4)}, 'grad_norm': 0.8, "
        f"'learning_rate': 2e-05}}\n"
        for n in range(1, count + 1)
    )


def steps_of(folder: Path, log: str, script: str = "") -> list[int]:
    return [s.step for s in session_of(folder, log, script).evidence.fact(LogHits).steps]


def session_of(folder: Path, log: str, script: str = "") -> Session:
    (folder / "train.log").write_text(log)
    if script:
        (folder / "run.sh").write_text(script)
    index = load()
    probes = [p for p in all_probes() if p.reads == "artefacts"]
    session = Session(index, collect([str(folder)], this_host=False, index=index), probes)
    session.look()
    return session


RUN = "torchrun --nproc_per_node=8 sft.py --logging_steps {n} --output_dir out\n"


@pytest.mark.parametrize(
    ("script", "first", "last"),
    [
        ("", 1, 40),
        (RUN.format(n=10), 10, 400),
        (RUN.format(n=5) + "# --logging_steps 10 was too rare\n", 1, 40),  # two are stated
        (RUN.format(n="10 --logging_first_step True"), 1, 390),
    ],
)
def test_the_interval_gives_the_steps(tmp_path: Path, script: str, first: int, last: int) -> None:
    found = steps_of(tmp_path, HEAD + lines(40), script)
    assert (found[0], found[-1]) == (first, last)


def test_a_run_that_goes_on_counts_from_there(tmp_path: Path) -> None:
    resumed = HEAD + "  Continuing training from global step 1000\n" + lines(40)
    found = steps_of(tmp_path, resumed, RUN.format(n=10))
    assert (found[0], found[-1]) == (1010, 1400)


def test_a_count_is_not_told_as_a_step(tmp_path: Path) -> None:
    session = session_of(tmp_path, HEAD + lines(40, nan_at=33))
    told = [
        finding_text(session.index, o.finding)
        for o in session.evidence.observed
        if o.name == "loss-nan" and o.outcome == "present"
    ]
    assert "step 33 (by the count of logged lines)" in told[0].en
    assert "第 33（按日志行数计）步" in told[0].zh


def test_a_step_that_a_line_names_is_one(tmp_path: Path) -> None:
    log = HEAD + lines(40).replace("{'loss'", "{'step': 7, 'loss'", 1)
    assert not isinstance(steps_of(tmp_path, log)[0], Counted)


def with_rates(decay_rows: int, flat: int = 0) -> str:
    """Rows of an epoch and no step; the rate falls to zero over ``decay_rows``, and stays there."""
    count = decay_rows + flat
    rates = [2e-5 * max(0.0, 1 - n / decay_rows) for n in range(1, count + 1)]
    rows = "".join(
        f"{{'loss': {2.1 - n / count:.4f}, 'grad_norm': 1.1, 'learning_rate': {rate:.6g}, "
        f"'epoch': {3 * n / count:.2f}}}\n"
        for n, rate in enumerate(rates, 1)
    )
    return rows + "{'train_runtime': 9211.2, 'train_loss': 1.21, 'epoch': 3.0}\n"


@pytest.mark.parametrize(
    ("log", "every", "early"),
    [
        (with_rates(200), "", False),  # one row in ten steps, and nothing says so
        (with_rates(200), "logging_steps: 10\n", False),
        (with_rates(60, 140), "logging_steps: 10\n", True),
        (with_rates(60, 140), "", True),  # by the rows alone
    ],
)
def test_counted_rows_are_not_compared_with_a_number_of_steps(
    tmp_path: Path, log: str, every: str, early: bool
) -> None:
    (tmp_path / "args.yaml").write_text(f"learning_rate: 2.0e-5\nmax_steps: 2000\n{every}")
    observed = session_of(tmp_path, log).evidence.observed
    shapes = {o.outcome for o in observed if o.name == "learning-rate-shape"}
    assert shapes == {"reaches-floor-early" if early else "as-usual"}
