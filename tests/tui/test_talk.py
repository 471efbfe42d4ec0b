"""Descriptions, pasted lines, words and copies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.events import Paste

from medic.case import Case

Drive = Callable[..., None]


def test_a_description_offers_symptoms_and_none_of_these(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send("training hangs")
        talk = app.talk()
        assert "[you]    training hangs" in talk
        assert "Did you mean:" in talk
        assert "1  Training hangs" in talk
        assert "none of these" in talk
        await app.press("1")
        session = app.app.talk.consultation.session
        assert session.complaints == ["training-hangs"]
        await app.press("f8")
        assert session.complaints == []
        assert "Taken back: Training hangs" in app.talk()

    drive(script, case)


def test_none_of_these_changes_no_belief_and_asks_again(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send("training hangs")
        last = len(app.app.talk.choices.options)
        await app.press(str(last))
        session = app.app.talk.consultation.session
        assert session.complaints == []
        assert session.words == "training hangs"
        assert app.app.talk.choices.kind == "answer"

    drive(script, case)


def test_a_pasted_log_is_read_and_said_what_it_was_taken_for(drive: Drive) -> None:
    pasted = "[rank0]: RuntimeError: bad\n[rank0]: torch: CUDA out of memory. Tried\n"

    async def script(app: Any) -> None:
        app.prompt.post_message(Paste(pasted))
        await app.pilot.pause()
        assert app.prompt.text.count("\n") == 1
        assert app.prompt.size.height == 2
        await app.press("enter")
        talk = app.talk()
        assert "Took this as log lines (2). Looking again." in talk
        assert app.prompt.size.height == 1

    drive(script, Case())


def test_one_line_that_a_signature_knows_is_a_log_line(drive: Drive) -> None:
    async def script(app: Any) -> None:
        await app.send("it said CUDA out of memory, what now, and why does it always say so?")
        assert "Took this as log lines (1)." in app.talk()

    drive(script, Case())


def test_a_huge_paste_is_sent_at_once_and_shown_by_its_first_lines(drive: Drive) -> None:
    async def script(app: Any) -> None:
        app.prompt.post_message(Paste("ERROR: something\n" * 5000))
        await app.settle()
        assert "… 5000 lines in all" in app.talk()
        assert app.prompt.text == ""

    drive(script, Case())


def test_numbers_act_at_once_only_on_an_empty_line(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.pilot.press("a", "2")
        assert app.prompt.text == "a2"
        app.prompt.text = ""
        await app.press("9")
        assert app.prompt.text == "9"
        await app.press("enter")
        assert "Answer with a number from 1 to 4." in app.talk()
        await app.press("n")
        assert app.prompt.text == "n"
        await app.press("enter")
        assert "This is no yes-or-no question" in app.talk()
        await app.press("question_mark")
        assert "How to look: how: What do the numbers of the message say?" in app.talk()

    drive(script, case)


def test_i_dont_know_is_kept_as_a_gap(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.press("4")
        session = app.app.talk.consultation.session
        assert session.unknown == ["oom-shortfall"]
        await app.press("f5")
        assert "Who holds the memory: needs an answer" in app.talk()
        await app.press("f8")
        assert session.unknown == []

    drive(script, case)


def test_none_tried_and_unknown_words(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        await app.send("/none")
        assert "None of the causes that medic knows." in app.talk()
        assert session.refused
        await app.press("f8")
        assert not session.refused
        await app.send("/tried")
        assert "“Halve the micro batch” did not help" in app.talk()
        assert session.tried == ["fix-micro-batch-too-large"]
        await app.send("/tried 9")
        assert "There are remedies 1 to" in app.talk()
        await app.send("/wy")
        assert "no command “/wy”; did you mean “/why”?" in app.talk()
        await app.send("5")
        assert app.talk().count("[you]    5") == 0

    drive(script, case)


def test_add_a_file_by_word_and_by_its_path(drive: Drive, case: Case, tmp_path: Path) -> None:
    more = tmp_path / "other.log"
    more.write_text("[rank1]: CUDA out of memory\n")
    (tmp_path / "gone").mkdir()

    async def script(app: Any) -> None:
        await app.send(str(more))
        assert "Added:" in app.talk()
        files = [f.path for f in app.app.talk.consultation.session.case.files]
        assert str(more) in files
        await app.send("/add /no/such/file")
        assert "/no/such/file: No such file or" in app.talk()
        await app.send("/add")
        assert "/add needs a path." in app.talk()

    drive(script, case)


def test_copy_numbers_code_and_says_the_way(drive: Drive, case: Case, tmp_path: Path) -> None:
    copied = tmp_path / "state" / "copied.txt"

    async def wait(app: Any) -> None:
        await app.app.workers.wait_for_complete()
        await app.settle()

    async def script(app: Any) -> None:
        await app.press("3")
        assert "[1]      nvidia-smi" in app.talk()
        await app.send("/copy")
        await wait(app)
        assert copied.read_text().startswith("nvidia-smi --query-compute-apps")
        assert f"also in {copied}"[:40] in app.talk().replace("\n         ", " ")
        await app.send("/copy 7")
        assert "There is no block 7." in app.talk()
        await app.send("/copy all")
        await wait(app)
        assert "[medic]  Likely, not established" in copied.read_text()

    drive(script, case)
    assert copied.stat().st_mode & 0o077 == 0


def test_the_patch_is_copied_as_it_is(drive: Drive, case: Case, tmp_path: Path) -> None:
    async def script(app: Any) -> None:
        await app.press("f4")
        await app.press("y")
        await app.app.workers.wait_for_complete()
        await app.settle()
        assert "also in" in "\n".join(app.screen())

    drive(script, case)
    assert "+micro_batch_size: 4" in (tmp_path / "state" / "copied.txt").read_text()


def test_themes_and_recall(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        first = app.app.theme
        await app.send("/theme")
        assert app.app.theme != first
        for name in ("ansi-light", "ansi-dark", "textual-light", "textual-dark"):
            await app.send(f"/theme {name}")
            assert app.app.theme == name
            assert app.screen()[0].startswith(" medic ")
        await app.press("up", "up")
        assert app.prompt.text == "/theme textual-light"
        await app.press("down")
        assert app.prompt.text == "/theme textual-dark"

    drive(script, case)


def test_the_palette_does_what_the_word_does(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.pilot.press("f2")
        await app.until(lambda: any("Search the commands" in row for row in app.screen()))
        await app.pilot.press(*"graph")
        await app.until(lambda: sum("/graph" in row for row in app.screen()) == 1)
        await app.pilot.press("enter")
        await app.until(lambda: "○ possible" in app.talk())

    drive(script, case)
