"""The main way through the app: start, answer, why, patch, apply, undo, quit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from medic.tui.patch_screen import PatchScreen
from textual.color import Color

from medic.case import Case
from medic.i18n import Lang, use

Drive = Callable[..., None]
BEFORE = "model: small\nmicro_batch_size: 8\nseq_length: 4096\n"
AFTER = BEFORE.replace("8", "4")


def test_the_start_tells_what_is_believed_and_asks(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        talk = app.talk()
        assert "Found in run1: 1 log, 1 configuration file." in talk
        assert "Likely, not established: The micro batch does not fit (MEM-001)" in talk
        assert "run1/train.log:2 [rank 0]" in talk
        assert "needs 90 GiB on a 80 GiB GPU  run1/train.yaml:2" in talk
        assert "skipped: needs a log" in talk
        assert "failed: ValueError" in talk
        assert "1  no memory message" in talk
        assert "4  I don't know" in talk
        rows = app.screen()
        assert rows[0].startswith(" medic ")
        assert rows[0].endswith("local, nothing is sent")
        assert rows[1].startswith(" suspects  ████░ likely: The micro batch does not fit")
        assert rows[-1].startswith(" f1 Help")
        assert rows[-1].endswith("f10 Quit")

    drive(script, case)


def test_an_answer_establishes_and_says_how_to_go_on(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.press("2")
        talk = app.talk()
        assert "[you]    2  this process needs it" in talk
        assert "Established: The micro batch does not fit (MEM-001)" in talk
        assert "+ this process needs it  your answer" in talk
        assert "What to do (decided; f4 shows the change, f3 says why):" in talk
        assert "1  Halve the micro batch (safe)" in talk
        assert "× empty the cache every step" in talk
        assert app.app.talk.choices is None

    drive(script, case)


def test_an_answer_rules_out_visibly_and_undo_brings_back(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send("/undo")
        assert "There is nothing to take back." in app.talk()
        await app.press("2")
        await app.send("/graph")
        assert "● The micro batch does not fit (MEM-001)" in app.talk()
        await app.press("f8")
        talk = app.talk()
        assert "Taken back: Who holds the memory: this process needs it" in talk
        assert talk.rstrip().endswith("(about 1 min; ? how to look)")
        assert app.app.talk.choices is not None

    drive(script, case)


def test_why_says_what_each_answer_would_do(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.press("f3")
        talk = app.talk()
        assert "Why this question (about 1 min):" in talk
        assert "if “another process holds it”: Another process holds the GPU" in talk
        assert "Why “The micro batch does not fit” (MEM-001), likely:" in talk
        assert "CUDA out of memory: always shown by it" in talk
        assert "What would change my mind:" in talk
        assert "without “needs 90 GiB on a 80 GiB GPU”: Another process holds" in talk

    drive(script, case)


@pytest.mark.parametrize("key", ["escape", "q"])
def test_the_patch_screen_changes_nothing_by_default(
    drive: Drive, case: Case, run_folder: Path, key: str
) -> None:
    async def script(app: Any) -> None:
        await app.press("f4")
        assert isinstance(app.app.screen, PatchScreen)
        shown = "\n".join(app.screen())
        assert "Apply to 1 file?" in shown
        assert "-micro_batch_size: 8" in shown
        assert "+micro_batch_size: 4" in shown
        assert "a apply   w write .patch   y copy   esc back" in shown
        await app.press(key)
        assert "Nothing was changed." in app.talk()

    drive(script, case)
    assert (run_folder / "train.yaml").read_text() == BEFORE


def test_apply_look_again_and_undo(drive: Drive, case: Case, run_folder: Path) -> None:
    config = run_folder / "train.yaml"

    async def script(app: Any) -> None:
        await app.press("f4")
        await app.press("a")
        assert config.read_text() == AFTER
        talk = app.talk()
        assert "Applied c" in talk
        assert "medic undo c" in talk
        assert "1  yes, look again" in talk
        await app.send("y")
        assert "needs 90 GiB" not in app.talk().rpartition("yes, look again")[2]
        await app.press("f8")
        assert config.read_text() == BEFORE
        talk = app.talk()
        assert "Taken back: change c" in talk
        assert "looking again" in talk.rpartition("Taken back")[2]
        assert "needs 90 GiB" in talk.rpartition("Taken back")[2]

    drive(script, case)


def test_the_patch_is_written_beside_the_user_and_never_over_a_file(
    drive: Drive, case: Case, tmp_path: Path
) -> None:
    async def script(app: Any) -> None:
        await app.press("f4")
        await app.press("w")
        await app.press("w")
        assert "Written: " in "\n".join(app.screen())

    drive(script, case)
    first = tmp_path / "medic-fix-micro-batch-too-large.patch"
    second = tmp_path / "medic-fix-micro-batch-too-large-2.patch"
    assert "+micro_batch_size: 4" in first.read_text()
    assert first.read_text() == second.read_text()


@pytest.mark.parametrize("word", ["/quit", "f10", "ctrl+q"])
def test_quit(drive: Drive, case: Case, word: str) -> None:
    async def script(app: Any) -> None:
        if word.startswith("/"):
            app.prompt.text = word
            await app.pilot.press("enter")
        else:
            await app.pilot.press(word)
        await app.pilot.pause()
        assert app.app._exit

    drive(script, case)


@pytest.mark.parametrize(("lang", "leads"), [("en", "Likely, not established"), ("zh", "未确诊")])
def test_both_languages_fit_80_by_24(drive: Drive, case: Case, lang: Lang, leads: str) -> None:
    use(lang)

    async def script(app: Any) -> None:
        assert leads in app.talk()
        for keys in (("f3",), ("2",), ("f5",), ("f1",), ("escape",), ("f4",), ("escape",)):
            await app.press(*keys)
            rows = app.screen()
            assert len(rows) == 24
            for row in rows:
                assert columns_of(row) <= 80

    drive(script, case)


def columns_of(row: str) -> int:
    from medic.safetext import columns

    return columns(row)


def test_the_language_changes_what_was_said_before(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        assert "Likely, not established" in app.talk()
        await app.send("/lang zh")
        assert "很可能，但未确诊：单卡微批次放不进显存（MEM-001）" in app.talk()
        assert "Likely" not in app.talk()
        rows = app.screen()
        assert rows[0].endswith("仅在本机运行，不外传数据")
        assert rows[-1].startswith(" f1 帮助")
        assert "输入 1-4 作答" in rows[-2]
        assert "已切换为中文。" in app.talk()
        await app.send("/lang en")
        assert "Switched to Chinese." in app.talk()
        assert "Switched to English." in app.talk()
        await app.send("/lang zh")
        await app.send("/lang fr")
        assert "/lang 的参数是 en 或 zh。" in app.talk()

    drive(script, case)


def test_ctrl_c_says_how_to_leave(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.press("ctrl+c")
        assert "ctrl+q, f10 or /quit leaves." in app.talk()
        assert not app.app._exit

    drive(script, case)


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light"])
def test_muted_text_can_be_read(drive: Drive, case: Case, theme: str) -> None:
    async def script(app: Any) -> None:
        await app.send(f"/theme {theme}")
        await app.press("ctrl+home")
        y = next(n for n, row in enumerate(app.screen()) if "[probe]" in row)
        for x, row in ((2, y), (70, 0)):
            style = app.app.screen.get_style_at(x, row)
            ink = Color.from_rich_color(style.color)
            paper = Color.from_rich_color(style.bgcolor)
            assert abs(ink.brightness - paper.brightness) > 0.25

    drive(script, case)
