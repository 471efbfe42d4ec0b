"""The way through a consultation: start, ask, why, answer, graph, compare, change, take back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from medic.tui.graph_screen import GraphScreen
from textual.color import Color

from medic.case.collect import Case
from medic.i18n import Lang, use
from medic.text.safetext import columns

Drive = Callable[..., None]


def test_a_consultation_from_the_start_to_the_verdict(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        talk = app.talk()
        assert "Found in run1 (2):  /drop N leaves one out, /add PATH adds" in talk
        assert "1  train.log  log, " in talk
        assert "2  train.yaml  configuration, 50 B" in talk
        assert "4 probes: 1 found something, 1 nothing wrong (f5)" in talk
        assert "the other 1 had nothing to read" in talk
        assert "broken: failed: ValueError" in talk
        assert "Likely, not established: The micro batch does not fit (MEM-001)" in talk
        assert "run1/train.log:2 [rank 0]" in talk
        assert "needs 90 GiB on a 80 GiB GPU  run1/train.yaml:2" in talk
        assert "3  another process holds it  -> Another process holds the GPU" in talk
        assert "4  I don't know" in talk
        rows = app.screen()
        assert rows[0].endswith("local, nothing is sent")
        assert rows[1].startswith(" suspects  ████░ likely: The micro batch does not fit")
        assert rows[-1].startswith(" f1 Help")
        assert rows[-1].endswith("f10 Quit")

        await app.press("question_mark")
        assert "How to look: how: What do the numbers of the message say?" in app.talk()
        await app.press("f3")
        talk = app.talk()
        assert "Why this question (about 1 min):" in talk
        assert "if “another process holds it”: Another process holds the GPU" in talk
        assert "Why “The micro batch does not fit” (MEM-001), likely:" in talk
        assert "CUDA out of memory: always shown by it" in talk
        assert "without “needs 90 GiB on a 80 GiB GPU”: Another process holds" in talk
        against = app.said.rpartition("Do not, against “The micro batch does not fit”:")[2]
        assert "× empty the cache every step" in against

        await app.send("2")
        talk = app.talk()
        assert "[you]    2  this process needs it" in talk
        assert "Established: The micro batch does not fit (MEM-001)" in talk
        assert "+ Who holds the memory: this process needs it  your answer" in talk
        verdict = talk.rpartition("Established:")[2]
        parts = ["What to do (decided", "1  Halve the micro batch (safe)", "× empty the cache"]
        assert sorted(parts, key=verdict.index) == parts
        assert app.app.talk.choices is None
        assert "↑" in app.screen()[1]

    drive(script, case)


def test_answers_are_changed_and_taken_back(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        await app.send("/undo")
        assert "There is nothing to take back." in app.talk()
        await app.send("/change")
        assert "You have answered nothing yet." in app.talk()
        await app.send("2")
        await app.send("/change")
        assert "1  Who holds the memory: this process needs it" in app.talk()
        await app.send("/change 7")
        assert "There are: 1." in app.talk()
        await app.send("/change 1")
        assert "(your answer was: this process needs it)" in app.talk()
        await app.send("3")
        assert session.answers == [("oom-shortfall", "other-process")]
        assert app.said.count("[you] 3 another process holds it") == 1
        await app.press("f8")
        assert session.answers == [("oom-shortfall", "genuine-need")]
        await app.press("f8")
        assert session.answers == []
        assert "Taken back: Who holds the memory: this process needs it" in app.talk()
        assert app.app.talk.choices is not None
        await app.send("/change 1")
        await app.send("4")
        assert session.unknown == ["oom-shortfall"]
        await app.press("f5")
        assert "an answer: Who holds the memory" in app.talk()
        await app.press("f8")
        assert session.unknown == []

    drive(script, case)


@pytest.mark.usefixtures("exact")
def test_the_graph_is_walked_searched_and_compared(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        # The finding that rules it out stands above: only its place is told again.
        assert "× ruled out: The micro batch does not fit train.log:9 [rank 3]" in app.said
        await app.press("f7")
        assert isinstance(app.app.screen, GraphScreen)
        shown = "\n".join(app.screen())
        assert "▾ ! CUDA out of memory" in shown
        assert "● █████ Another process holds the GPU (MEM-003)  almost certain" in shown
        assert "→ End the other process  safe" in shown
        assert "1 more, 1 ruled out" in shown
        await app.press("down", "c")
        assert "move to one first" in app.screen()[-1]
        await app.press("down")
        assert "move to one first" not in app.screen()[-1]
        await app.press("down", "right", "down")
        shown = "\n".join(app.screen())
        assert "× The micro batch does not fit (MEM-001)  by Who holds the memory: an" in shown
        assert "× by Who holds the memory: another process holds it" in shown.rpartition("───")[2]
        await app.press("left", "left", "left", "pagedown", "end", "home", "enter", "enter")
        await app.press("slash", "s", "t", "e", "p", "x", "backspace")
        assert "search: step▏   1 found" in app.screen()[0]
        await app.press("enter")
        assert any("total_steps does not match" in row for row in app.screen())
        await app.press("f1")
        assert any("compare with the first suspect" in row for row in app.screen())
        await app.press("escape", "c")
        talk = app.talk()
        assert "A  Another process holds the GPU (MEM-003)  almost certain" in talk
        assert "B  total_steps does not match (SCH-001)" in talk
        assert "!    Who holds the memory: another process holds it" in talk
        assert "B  Set total_steps" in talk
        await app.send("/compare")
        await app.send("/compare MEM-001 mem-003")
        assert "+ -" not in app.talk()
        assert "-  !" not in app.talk()
        assert "- !  Who holds the memory: another process holds it" in app.talk()
        await app.send("/compare MEM-001")
        assert "/compare takes two causes" in app.talk()
        await app.send("/compare MEM-001 MEM-03")
        assert "No cause “MEM-03”" in app.talk()
        await app.press("f7", "slash", "z", "z", "z")
        assert "nothing by that name" in "\n".join(app.screen())
        await app.press("escape", "escape")

    drive(script, case)


def test_the_hand_over_says_what_is_known_and_open(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send("4")
        await app.send("/report")
        talk = app.talk().rpartition("Hand-over report")[2]
        for part in ("Seen:", "Suspected:", "Asked and told:", "Not checked; it would need:"):
            assert part in talk
        assert "Who holds the memory: I don't know" in talk
        assert "medic show s1" in talk
        await app.send("/curve")
        assert "No curve was read" in app.talk()
        await app.send("/sessions")
        listed = app.talk().partition("Sessions, the newest first:")[2]
        assert " s1   Likely, not established: The micro batch does not fit" in listed
        assert "/run1" in listed
        await app.send("/files")
        assert "All that was given (2):" in app.talk()
        await app.send("/drop 9")
        assert "/drop takes a number or a name" in app.talk()
        await app.send("/drop train.yaml")
        assert "Left out: run1/train.yaml" in app.talk()
        files = [f.name for f in app.app.talk.consultation.session.case.files]
        assert files == ["run1/train.log"]
        await app.send("/look")
        assert [f.name for f in app.app.talk.consultation.session.case.files] == files

    drive(script, case)


def test_none_tried_and_unknown_words(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        await app.send("/none")
        assert session.refused
        assert app.screen()[1] == " suspects  none of these"
        await app.press("f8")
        assert not session.refused
        await app.send("/tried")
        assert "“Halve the micro batch” did not help" in app.talk()
        assert session.tried == ["fix-micro-batch-too-large"]
        number = next(
            o.number
            for o in app.app.talk.consultation.offers()
            if o.fix.remedy.name == session.tried[0]
        )
        await app.send(f"/tried {number}")
        assert "is marked already" in app.talk()
        await app.press("f8")
        assert session.tried == []
        assert app.app.talk.consultation.before_remedy is None
        await app.send("/tried 9")
        assert "There are remedies 1 to" in app.talk()
        await app.send("/wy")
        assert "No command “/wy”; did you mean “/why”?" in app.talk()
        await app.send("5")
        assert app.talk().count("[you]    5") == 0
        await app.press("ctrl+c")
        assert "ctrl+q, f10 or /quit leaves." in app.talk()
        assert not app.app._exit
        await app.send("/quit")
        assert app.app._exit

    drive(script, case)


@pytest.mark.parametrize(("lang", "leads"), [("en", "Likely, not established"), ("zh", "未确诊")])
def test_both_languages_fit_80_by_24(drive: Drive, case: Case, lang: Lang, leads: str) -> None:
    use(lang)

    async def script(app: Any) -> None:
        assert leads in app.talk()
        for keys in (("f3",), ("2",), ("f5",), ("f1",), ("escape",), ("f4",), ("escape",), ("f7",)):
            await app.press(*keys)
            rows = app.screen()
            assert len(rows) == 24
            for row in rows:
                assert columns(row) <= 80

    drive(script, case)


def test_the_language_changes_what_was_said_before(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        assert "Likely, not established" in app.talk()
        await app.send("/lang zh")
        assert "很可能，但未确诊：单卡微批次放不进显存（MEM-001）" in app.talk()
        assert "Likely" not in app.talk()
        rows = app.screen()
        assert rows[0].endswith("仅在本机运行，不外传数据")
        assert rows[-1].startswith(" f1 帮助")
        assert "输入 1-4 回车作答" in rows[-2]
        await app.send("/lang en")
        assert "Switched to Chinese, for later starts as well" in app.talk()
        await app.send("/lang zh")
        await app.send("/lang fr")
        assert "/lang 的参数是 en 或 zh；auto 跟随系统。" in app.talk()
        for theme in ("textual-light", "textual-dark"):
            await app.send(f"/theme {theme}")
            await app.press("ctrl+home")
            muted_text_can_be_read(app)

    drive(script, case)


def muted_text_can_be_read(app: Any) -> None:
    y = next(n for n, row in enumerate(app.screen()) if "[探针]" in row)
    for x, row in ((2, y), (70, 0)):
        style = app.app.screen.get_style_at(x, row)
        ink = Color.from_rich_color(style.color)
        paper = Color.from_rich_color(style.bgcolor)
        assert abs(ink.brightness - paper.brightness) > 0.25


def test_small_and_wide_screens(drive: Drive, case: Case) -> None:
    async def small(app: Any) -> None:
        assert len(app.screen()) == 5
        for key in ("f4", "escape", "f1", "escape", "f7", "down", "escape", "2", "enter"):
            await app.press(key)
        await app.resize(120, 30)
        await app.until(lambda: any("│ █████ almost certain ↑" in row for row in app.screen()))
        assert not app.screen()[1].startswith(" suspects")
        await app.press("f7")
        await app.until(lambda: any("│ CUDA out of memory" in row for row in app.screen()))
        await app.press("escape")
        await app.resize(40, 12)
        await app.until(lambda: any("Established:" in row for row in app.screen()))
        await app.resize(80, 14)
        await app.press("f8")
        assert any("4  I don't know" in row for row in app.screen())
        await app.press("pageup")
        assert not any("4  I don't know" in row for row in app.screen())
        await app.press("pagedown", "pagedown")
        assert any("4  I don't know" in row for row in app.screen())

    drive(small, case, size=(20, 5))


@pytest.mark.parametrize("word", ["graph", "patch"])
def test_a_view_asked_for_twice_opens_once(drive: Drive, case: Case, word: str) -> None:
    """Its key is pressed again while the machine is too busy to show it."""

    async def script(app: Any) -> None:
        await app.send("2")
        app.app.talk.action_do(word)
        app.app.talk.action_do(word)
        await app.settle()
        assert app.app.screen is not app.app.talk
        await app.press("escape")
        assert app.app.screen is app.app.talk

    drive(script, case)


def test_the_folder_of_the_header_is_not_said_again(
    drive: Drive, run_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from medic.case.collect import collect

    monkeypatch.chdir("/usr")

    async def script(app: Any) -> None:
        assert "CUDA out of memory  train.log:2 [rank 0]" in app.talk()

    drive(script, collect([str(run_folder)]))


def test_a_cause_is_ruled_out_in_the_graph(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        talk = app.app.talk.consultation
        leader = talk.found.causes[0].name
        await app.press("f7", "x")
        assert "x rules out a cause: move to one first" in "\n".join(app.screen())
        await app.press("down", "x")
        assert list(talk.session.told.ruled) == [leader]
        assert talk.found.causes[0].name != leader
        assert "Ruled out by you" in app.said
        await app.press("f8")
        assert talk.found.causes[0].name == leader

    drive(script, case)
