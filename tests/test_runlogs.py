"""The logs of a run: how often each is read to know it again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.session import runlogs
from medic.session.consultation import Session
from medic.session.recheck import standing

LOG = "2026-01-01 10:00:{n:02d} step {n} loss 2.0\n"


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("".join(LOG.format(n=n).replace("10:00", "11:30") for n in range(5)), True),
        ("".join(LOG.format(n=n).replace("2.0", "3.0") for n in range(5)), False),
        (
            "".join(LOG.format(n=n) for n in range(5)),
            False,
        ),  # byte for byte: not only but for times
    ],
)
def test_a_log_that_differs_in_times_alone_is_known_and_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, same: bool
) -> None:
    log = tmp_path / "train.log"
    log.write_text("".join(LOG.format(n=n) for n in range(5)))
    session = Session(load(), collect([str(tmp_path)]))
    before = standing(session)
    log.write_text(text)
    os.utime(log, (2e9, 2e9))
    session.collect_again()
    read: list[str] = []
    beginning = runlogs._head

    def counted(session: Session, file: Any) -> bytes:
        read.append(file.path)
        return beginning(session, file)

    monkeypatch.setattr(runlogs, "_head", counted)
    assert runlogs.same_but_for_times(session, before) is same
    assert read == [str(log)]
