"""Joined evidence in the order of time, over the files of all ranks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.report import timeline
from medic.session.consultation import Session

LEFT = "RuntimeError: [/gloo/transport/tcp/pair.cc:553] Connection closed by peer [10.0.0.2]:47"
BAD = "json.decoder.JSONDecodeError: Unterminated string starting at: line 1 column 34 (char 33)"


def log(rank: int, last: str) -> str:
    steps = "".join(
        f"2026-11-27 11:00:{5 * n:02d},{100 + rank} INFO train: step {10 * n}/1000 | loss 3.{n}\n"
        for n in range(1, 5)
    )
    place = '  File "/code/data.py", line 44, in __getitem__\n    row = json.loads(line)\n'
    return f"{steps}Traceback (most recent call last):\n{place}{last}\n"


def told(folder: Path, logs: dict[str, str]) -> list[timeline.Moment]:
    for name, text in logs.items():
        (folder / name).write_text(text, "utf-8")
    index: Any = load()
    session = Session(index, collect([str(folder)], this_host=False, index=index))
    session.look()
    return timeline.moments(session, session.diagnosis())


def test_a_failure_stands_before_what_the_others_saw(tmp_path: Path) -> None:
    found = told(tmp_path, {f"rank{n}.log": log(n, BAD if n == 1 else LEFT) for n in range(3)})
    kinds = [(m.source.rank, str(m.words)[:12]) for m in found]
    assert [words for _, words in kinds].count("last logged ") == 3
    own = next(n for n, m in enumerate(found) if m.source.rank == 1 and "last" not in str(m.words))
    others = [n for n, m in enumerate(found) if "Connection" in str(m.words)]
    assert others
    assert own < min(others)
    rows = timeline.rows(found, 80)
    assert all(row.startswith("11:00:") and len(row) <= 80 for row in rows)


def test_one_rank_needs_no_order(tmp_path: Path) -> None:
    assert told(tmp_path, {"train.log": log(0, BAD)}) == []
