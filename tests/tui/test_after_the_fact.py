"""What is shown of a talk later, and what a line says beside others: files by number, names on one
line, what is answered, what is copied."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from medic.tui import jobs, words
from medic.tui.keeping import told_before
from medic.tui.lines import plain_text
from medic.tui.lines import said as block_of_words

from medic.case.collect import Case, collect
from medic.commands import main
from medic.session.saved import listed

Drive = Callable[..., None]
Talk = Callable[..., Any]
TIMEOUT = (
    "[rank3]:[E ProcessGroupNCCL.cpp:616] [Rank 3] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=1207, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for "
    "600013 milliseconds before timing out.\n"
)


def kept() -> str:
    return str(plain_text([(block, 0) for block in told_before(listed()[0].id)]))


def test_a_kept_talk_has_its_files_by_number(
    drive: Drive, case: Case, capsys: pytest.CaptureFixture[str]
) -> None:
    async def script(app: Any) -> None:
        assert app.talk().count("Found in") == 1
        await app.send("it hangs")

    drive(script, case)
    told = kept()
    assert told.count("Found in") == 1
    assert "1  train.log" in told
    main(["show", "--lang", "en"])
    assert "- 1 train.log" in capsys.readouterr().out


def test_a_name_with_a_line_end_is_one_line(talk: Talk, tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text("step 1 loss 2.0\n")
    (tmp_path / "no\ntext.log").write_bytes(bytes(range(256)) * 4)
    one = talk(str(tmp_path))
    one.say("/probes")
    told = one.told()
    assert "no\u23cetext.log" in told
    assert "no\ntext" not in told


def test_where_the_log_says_it_no_line_says_that_nothing_was_found(talk: Talk) -> None:
    one = talk()
    assert "beside what the log says: 0 found something" in one.say(TIMEOUT)
    assert "beside what the log says" not in talk().say("step 1 loss 2.0\nstep 2 loss 1.9\n")


def test_each_of_several_messages_is_answered_by_name(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        desk = app.app.talk.desk
        for text in ("it hangs", "the node has 32 cores"):
            desk.put(jobs.say, text)
        await app.settle()
        first, second = (
            app.said.index(f"To “{t}”:") for t in ("it hangs", "the node has 32 cores")
        )
        assert (
            first
            < app.said.index("Training hangs")
            < second
            < app.said.index("CPU cores of a node")
        )
        await app.send("tp 8")
        assert "To “tp 8”" not in app.said

    drive(script, case)


def test_what_became_of_a_key_is_not_what_is_copied(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        shown = app.app.talk.transcript
        before = shown._last_said()
        shown.add(block_of_words(words.STOPPED.fill(n=3), "muted"))
        assert shown._last_said() == before
        shown.add(block_of_words(words.NOTHING_TAKEN, "warn"))
        assert shown._last_said() != before

    drive(script, case)


def test_no_file_of_an_empty_folder_is_kept_as_found(drive: Drive, tmp_path: Path) -> None:
    async def script(app: Any) -> None:
        await app.send("it hangs")

    drive(script, Case(root=str(tmp_path)))
    assert "Found in" not in kept()
    with pytest.raises(Exception, match="nothing to read"):
        collect([str(tmp_path / "none")])
