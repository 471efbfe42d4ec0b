"""Descriptions, pasted lines, words, copies, the palette and remembered looks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from medic.tui.keys_told import as_bound
from medic.tui.words import WHY_ASKED
from textual.events import Paste

from medic.case.collect import Case
from medic.i18n import Text, plain
from medic.index.knowledge import Index

Drive = Callable[..., None]


def test_what_was_understood_is_told_and_can_be_taken_out(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        await app.send("my training hangs, why?")
        talk = app.talk()
        assert "[you]    my training hangs, why?" in talk
        assert "I understood:  Not so? /change N takes it out." in talk
        assert "1  Training hangs  “my training hangs, why?”" in talk
        assert session.complaints == ["training-hangs"]
        await app.send("/change 1")
        assert session.complaints == []
        assert "Taken out: Training hangs" in app.talk()
        await app.press("f8")
        assert session.complaints == ["training-hangs"]
        await app.press("f8")
        assert session.complaints == []
        assert session.words == ""

    drive(script, case)


def test_words_that_report_nothing_offer_what_they_may_mean(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        session = app.app.talk.consultation.session
        session.suggest = lambda words: [("training-hangs", 0.54)]
        await app.send("it is odd")
        assert "Did you mean:" not in app.talk()  # it is nearer to nothing than to that
        session.suggest = lambda words: [("training-hangs", 0.6)]
        await app.send("it is odd")
        talk = app.talk()
        assert "Did you mean:" in talk
        assert "2  none of these" in talk
        await app.send("2")
        assert session.complaints == []
        assert session.words == "it is odd"
        assert app.app.talk.choices.kind == "answer"
        await app.send("it is odd")
        await app.send("1")
        assert session.complaints == ["training-hangs"]
        assert "Noted: “Training hangs”. The causes are ranked anew with it." in app.talk()
        session.suggest = lambda words: []
        await app.send("blah blah")
        assert "No symptom that medic knows is near this." in app.talk()

    drive(script, case)


def test_pasted_lines_are_read_and_said_what_they_were_taken_for(drive: Drive) -> None:
    pasted = "[rank0]: RuntimeError: bad\n[rank0]: torch: CUDA out of memory. Tried\n"

    async def script(app: Any) -> None:
        assert "Nothing to read here yet. What goes wrong?" in app.talk()
        app.prompt.post_message(Paste(pasted))
        await app.pilot.pause()
        assert app.prompt.text.count("\n") == 1
        assert app.prompt.size.height == 2
        await app.press("enter")
        assert "Took this as log lines (2). Looking again." in app.talk()
        assert app.prompt.size.height == 1
        await app.send("/lang zh")
        await app.send("/files")
        assert "<粘贴的日志>" in app.said
        assert "<pasted log>" not in app.said.rpartition("/files")[2]
        await app.send("/lang en")
        await app.send("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB")
        assert "Took this as log lines (1)." in app.talk()
        app.prompt.post_message(Paste("ERROR: something\n" * 10_000))
        await app.settle()
        assert "… 10,000 lines in all" in app.talk()
        assert app.prompt.text == ""

    drive(script, Case())


def test_a_question_of_usage_is_pointed_to_what_explains_it(
    drive: Drive, case: Case, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    title = {"en": "Activations recomputed", "zh": "激活重计算"}
    term = {"title": title, "says": ["activation_checkpointing"]}
    monkeypatch.setitem(index.raw["terms"], "field-activation-checkpointing", term)

    async def script(app: Any) -> None:
        await app.send("how do I enable activation checkpointing in axolotl?")
        assert "This asks how something is done" in app.said
        assert "-> medic explain activation_checkpointing: Activations recomputed" in app.said
        assert "No symptom that medic knows" not in app.said
        await app.send("how do I make tea?")
        assert app.said.count("This asks how something is done") == 2
        assert app.said.count("medic explain activation_checkpointing") == 1

    drive(script, case)


def test_a_number_answers_with_enter_only(drive: Drive, case: Case) -> None:
    from medic.tui.events import Choices

    async def script(app: Any) -> None:
        await app.press("8", "space", "g", "p", "u", "s")
        assert app.prompt.text == "8 gpus"
        app.prompt.text = ""
        await app.press("1", "slash")
        assert app.prompt.text == "1/"
        app.prompt.text = ""
        await app.press("2")
        assert app.prompt.text == "2"
        assert app.app.talk.consultation.session.answers == []
        await app.press("backspace", "9", "enter")
        assert "Answer with one number from 1 to 4." in app.talk()
        await app.press("n", "enter")
        assert "This is no yes-or-no question" in app.talk()
        many = tuple((str(i), plain(f"option {i}")) for i in range(12))
        app.app.talk.wait_for(Choices("complaint", "", many))
        await app.press("1", "2")
        assert app.prompt.text == "12"
        await app.press("enter")
        assert "12  option 11" in app.talk()

    drive(script, case)


def test_files_copies_and_code(drive: Drive, case: Case, tmp_path: Path) -> None:
    copied = tmp_path / "state" / "copied.txt"
    more = tmp_path / "other.log"
    more.write_text("[rank1]: CUDA out of memory\n")

    async def wait(app: Any) -> None:
        await app.app.workers.wait_for_complete()
        await app.settle()

    async def script(app: Any) -> None:
        await app.send("3")
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
        await app.send(str(more))
        assert "Added:" in app.talk()
        files = [f.path for f in app.app.talk.consultation.session.case.files]
        assert str(more) in files
        await app.send("/add")
        assert "/add needs a path." in app.talk()

    drive(script, case)
    assert copied.stat().st_mode & 0o077 == 0


def test_palette_themes_keys_and_recall(
    drive: Drive, case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.medic.keys]\ncurve = 'f9'\nwhy = ['f12']\ngrap = 'f9'\nundo = 'ctrl+s'\nlook = 'f4'\n"
    )

    async def script(app: Any) -> None:
        talk = app.talk()
        assert "no action “grap”" in talk.replace('"', "“", 1) or 'no action "grap"' in talk
        assert "undo: ctrl+s belongs to the terminal or tmux" in talk
        assert "look: f4 is patch" in talk
        assert as_bound(WHY_ASKED).en == "f12 the reason"
        await app.press("f9")
        assert "No curve was read" in app.talk()
        await app.press("f12")
        assert "Why this question" in app.talk()
        assert "f12 Why" in app.screen()[-1]
        await app.pilot.press("f2")
        await app.until(lambda: any("Search the commands" in row for row in app.screen()))
        assert not any("/run" in row or "/stop" in row for row in app.screen())
        await app.pilot.press(*"report")
        await app.until(lambda: sum("/report" in row for row in app.screen()) == 1)
        await app.pilot.press("enter")
        await app.until(lambda: "Hand-over report" in app.talk())
        for name in ("ansi-light", "ansi-dark", "textual-light", "textual-dark"):
            await app.send(f"/theme {name}")
            assert app.app.theme == name
        await app.press("up", "up")
        assert app.prompt.text == "/theme textual-light"
        await app.press("down", "down")
        await app.send("/theme")
        await app.app.workers.wait_for_complete()

    async def again(app: Any) -> None:
        assert app.app.theme == "textual-light"
        await app.press("f1")
        shown = "\n".join(app.screen())
        assert "Just now:" in shown
        assert "A number and Enter answers the question" in shown

    drive(script, case)
    drive(again, case)


@pytest.mark.parametrize(
    ("lack", "reason"),
    [
        (Text("no NVIDIA driver answers here", "本机没有 NVIDIA 驱动"), True),
        (Text("the file is not JSON", "文件不是 JSON"), True),
        (Text("a checkpoint that is not being written just now", "未在写入的检查点"), False),
        (Text("the GPUs that the refused rank could see", "可见的 GPU"), False),
        (plain("world_size"), False),
    ],
)
def test_a_reason_is_told_from_a_need(lack: Text, reason: bool) -> None:
    from medic.tui.needs import is_reason, need

    assert is_reason(lack) is reason
    assert need(plain("world_size, a.key")) == Text(
        "world size (world_size), a.key", "进程总数（world_size）、a.key"
    )
