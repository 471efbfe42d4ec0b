"""Ranks that stop without a word, and ranks of which there is no log: the answer names them."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.i18n import Text
from medic.index.knowledge import load
from medic.report.text import ranks_seen
from medic.session.consultation import Session

INDEX = load()
TIMEOUT = (
    "[rank{rank}]:[E502 10:16:40.482657635 ProcessGroupNCCL.cpp:689] [Rank {rank}] Watchdog caught "
    "collective operation timeout: WorkNCCL(SeqNum=412, OpType=ALLREDUCE, NumelIn=393728, "
    "NumelOut=393728, Timeout(ms)=600000) ran for 600095 milliseconds before timing out.\n"
)


def steps(rank: int, count: int) -> str:
    return "".join(
        f"2026-05-02 10:{n // 15:02d}:{n * 4 % 60:02d},000 [rank{rank}] INFO train: "
        f"step {n}/5000 | loss {2 + 4 / (n + 1):.4f}\n"
        for n in range(count)
    )


def ranks(folder: Path, logs: dict[str, str]) -> tuple[str, Text | None, str]:
    """Outcome of the check, its sentence, and the file of its first line."""
    for name, text in logs.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    session = Session(INDEX, collect([str(folder)]))
    session.look()
    (line,) = ranks_seen(session)
    return line.outcome, line.text, line.source.file


@pytest.mark.parametrize("reached", [87, 100])
def test_a_rank_that_ends_without_a_word_is_named(tmp_path: Path, reached: int) -> None:
    logs = {f"rank{n}.log": steps(n, 100) + TIMEOUT.format(rank=n) for n in (0, 1, 3)}
    outcome, said, file = ranks(tmp_path, {**logs, "rank2.log": steps(2, reached)})
    assert outcome == "one-rank-silent"
    assert said is not None
    assert f"rank 2 wrote last “step {reached - 1}/5000" in said.en
    assert file.endswith("rank2.log")


def test_a_node_whose_folder_is_not_there_is_named(tmp_path: Path) -> None:
    logs = {
        f"node{n // 2}/rank{n}.log": steps(n, 100) + TIMEOUT.format(rank=n)
        for n in (0, 1, 2, 3, 6, 7)
    }
    outcome, said, _ = ranks(tmp_path, logs)
    assert outcome == "ranks-without-logs"
    assert said is not None
    assert "of ranks 4, 5 there is no log" in said.en


def test_where_every_rank_is_there_none_is_missing(tmp_path: Path) -> None:
    logs = {f"rank{n}.log": steps(n, 100) + TIMEOUT.format(rank=n) for n in range(4)}
    assert ranks(tmp_path, logs)[0] == "same-on-all"
