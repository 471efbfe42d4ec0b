"""A long paste is known again by its telling line; the language is the one that is written, asked
for, or chosen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from medic.tui.settings import remember, remembered
from medic.tui.typed import language_asked, telling

from medic import i18n
from medic.case.collect import Case
from medic.i18n import Lang, current, use

Drive = Callable[..., None]
ERROR = "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB"
TAIL = "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n============\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"step 1 loss 2\nstep 2 loss 2\n{ERROR}\n  Root Cause\n{TAIL}", ERROR),
        ("a\nb\nc\nRuntimeError: first\nd\nValueError: last", "ValueError: last"),
        ("one\ntwo\nthree\nthe end\n-----", "the end"),
        ("RuntimeError: x\n" + "step 1 loss 2.0\n" * 5000, "RuntimeError: x"),
        ("\n" * 9, ""),
    ],
)
def test_the_telling_line_of_a_paste(text: str, told: str) -> None:
    rows = text.split("\n")
    assert rows[telling(rows)] == told


def test_a_long_paste_is_shown_by_its_first_and_its_telling_line(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send(
            f"first line of it\nassert 1\nassert 1\nassert 1\n{ERROR}\n{TAIL}more\nwords"
        )
        mine = app.talk().rpartition("[you]")[2].partition("[medic]")[0]
        assert "first line of it" in mine
        assert "torch.OutOfMemoryError: CUDA out of memory" in mine
        assert "assert 1" not in mine
        assert "9 lines in all" in mine

    drive(script, case, size=(120, 40))


@pytest.mark.parametrize(
    ("words", "lang"),
    [
        ("in Chinese please", "zh"),
        ("can you answer in English?", "en"),
        ("请用中文", "zh"),
        ("用英文回答", "en"),
        ("切换成中文", "zh"),
        ("the English data is bad", None),
        ("中文数据有问题", None),
        ("I train on Chinese", None),
    ],
)
def test_which_language_a_sentence_asks_for(words: str, lang: Lang | None) -> None:
    assert language_asked(words) == lang


def test_who_writes_chinese_is_answered_in_chinese(
    drive: Drive, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def script(app: Any) -> None:
        await app.send("训练卡住了")
        assert current() == "zh"
        assert "已切换为中文；/lang en 可切回英文。" in app.talk()

    async def asked(app: Any) -> None:
        use("en")
        await app.send("训练卡住了")
        assert current() == "en"
        await app.send("请用中文")
        assert current() == "zh"

    monkeypatch.setattr(i18n, "_asked", [])
    monkeypatch.setattr(i18n, "_language", ["en"])
    drive(script, case)
    drive(asked, case)


@pytest.mark.parametrize("system", ["C.UTF-8", "zh_CN.UTF-8"])
def test_the_language_is_that_of_the_last_whole_sentence(
    drive: Drive, case: Case, monkeypatch: pytest.MonkeyPatch, system: str, tmp_path: Path
) -> None:
    (tmp_path / "训练.log").write_text("step 1 loss 2.0\n")
    at_home: Lang = "zh" if system.startswith("zh") else "en"
    monkeypatch.setenv("LC_ALL", system)
    monkeypatch.setattr(i18n, "_asked", [])
    monkeypatch.setattr(i18n, "_language", ["en"])

    async def script(app: Any) -> None:
        for words, lang in (
            ("/add 训练.log", "en"),
            ("训练卡住了", "zh"),
            ("RuntimeError: the size of the tensor must match", "zh"),
            ("OOM", "zh"),
            ("/why", "zh"),
            ("it hangs after the first evaluation", at_home),
            ("loss 也不降", "zh"),
        ):
            await app.send(words)
            assert current() == lang, words

    drive(script, case)


def test_a_chosen_language_holds_until_the_system_is_followed_again(
    drive: Drive, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")

    async def script(app: Any) -> None:
        await app.send("/lang zh")
        await app.until(lambda: remembered().get("lang") == "zh")
        assert "下次启动也用中文；/lang auto 跟随系统" in app.talk()
        await app.send("/lang auto")
        await app.until(lambda: not remembered().get("lang"))
        assert current() == "en"
        await app.send("/lang fr")
        assert "/lang takes en or zh; auto follows the system." in app.talk()

    drive(script, case)


def test_a_start_in_a_language_that_is_not_the_systems_says_why(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    from medic.tui import app as app_module

    seen: list[tuple[str, bool]] = []
    monkeypatch.setattr(i18n, "_language", ["en"])
    monkeypatch.setattr("sys.argv", ["medic"])

    def run(self: app_module.MedicApp) -> None:
        seen.append((current(), self.chosen_language))

    monkeypatch.setattr(app_module.MedicApp, "run", run)
    monkeypatch.setattr(app_module, "tell_kept", lambda *_: None)
    monkeypatch.setattr(app_module.TalkScreen, "desk", None, raising=False)
    remember(lang="zh")
    for argv in (["medic"], ["medic", "--lang", "en"]):
        monkeypatch.setattr("sys.argv", argv)
        use("en")
        app_module.run(lambda: pytest.fail("not loaded"), case)
    assert seen == [("zh", True), ("en", False)]


@pytest.mark.parametrize(("words", "lang"), [("训练卡住了", "zh"), ("it hangs", "en")])
def test_a_talk_goes_on_in_the_language_in_which_it_was_left(
    drive: Drive, case: Case, monkeypatch: pytest.MonkeyPatch, words: str, lang: Lang
) -> None:
    from medic.commands import main, resume
    from medic.session.saved import listed

    async def script(app: Any) -> None:
        await app.send(words)

    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setattr(i18n, "_asked", [])
    monkeypatch.setattr(i18n, "_language", ["en"])
    drive(script, case)
    seen: list[Lang] = []

    def start(*_: object, **__: object) -> int:
        seen.append(current())
        return 0

    monkeypatch.setattr(resume, "start", start)
    for asked in ([], ["--lang", "en"]):
        i18n._language[:] = []
        main(["resume", listed()[0].id, *asked])
    assert seen == [lang, "en"]
