"""What a look tells: pruned causes, a second look, changed symptoms, where reading begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from medic.tui.needs import is_reason, need

import medic.runner
from medic.case import Case, collect
from medic.entries import Check
from medic.facts import Source
from medic.i18n import Text, plain
from medic.looks import choices
from medic.probe import Finding, Probe, Skip
from medic.runner import all_probes

Drive = Callable[..., None]


def _other_process(look: Any) -> Iterator[Any]:
    yield Finding("oom-shortfall", "other-process", {}, Source("train.log", 9, 3))


@pytest.fixture
def exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """A probe that is sure of another process."""
    probes = (*medic.runner.all_probes(), Probe("numbers", ("oom-shortfall",), _other_process))
    monkeypatch.setattr(medic.runner, "all_probes", lambda: probes)


@pytest.mark.usefixtures("exact")
def test_a_ruled_out_cause_is_named_with_its_finding(
    drive: Drive, case: Case, run_folder: Path
) -> None:
    (run_folder / "train.yaml").write_text("micro_batch_size: 4\n")

    async def script(app: Any) -> None:
        talk = " ".join(app.talk().split())
        line = "ruled out: The micro batch does not fit (because: another process holds it)"
        assert f"× {line} train.log:9 [rank 3]" in talk
        await app.send("/graph")
        graph = app.talk().rpartition("/graph")[2]
        assert "× The micro batch does not fit (MEM-001), by another process holds" in graph
        assert "train.log:9 [rank 3]" in graph
        assert "● Another process holds the GPU (MEM-003)" in graph

    drive(script, case)


def test_a_second_look_tells_only_what_is_different(
    drive: Drive, case: Case, run_folder: Path
) -> None:
    async def script(app: Any) -> None:
        (run_folder / "train.yaml").write_text("model: small\nmicro_batch_size: 4\n")
        await app.send("/look")
        again = app.talk().rpartition("/look")[2]
        assert "config               read" in again
        assert "3 more as before" in again
        assert "broken" not in again

    drive(script, case)


def test_changed_symptoms_after_a_remedy_start_anew(
    drive: Drive, case: Case, run_folder: Path
) -> None:
    async def script(app: Any) -> None:
        await app.press("2")
        await app.send("/tried")
        (run_folder / "train.log").write_text("step 1 loss 2.0\n")
        await app.send("/look")
        assert "The symptoms have changed" in app.talk()
        session = app.app.talk.consultation.session
        assert session.answers == []

    drive(script, case)


def test_a_long_answer_is_read_from_its_beginning(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.press("2")
        rows = app.screen()
        assert rows[2].startswith(" [medic]  Established: The micro batch")
        await app.press("ctrl+end")
        assert app.screen()[2] != rows[2]
        await app.send("?")
        assert "Nothing waits for a number." in "\n".join(app.screen())

    drive(script, case, size=(80, 14))


def test_the_question_is_in_sight_however_long_the_evidence(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        assert any("4  I don't know" in row for row in app.screen())
        await app.press("pageup")
        assert not any("4  I don't know" in row for row in app.screen())
        await app.press("pagedown", "pagedown")
        assert any("4  I don't know" in row for row in app.screen())

    drive(script, case, size=(80, 14))


def test_the_folder_of_the_header_is_not_said_again(
    drive: Drive, run_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/usr")

    async def script(app: Any) -> None:
        assert "CUDA out of memory  train.log:2 [rank 0]" in app.talk()

    drive(script, collect([str(run_folder)]))


def test_what_is_lacking_is_said_in_words() -> None:
    assert need(plain("LogHits")) == Text("a log", "日志")
    assert need(plain("LogHits, world_size")) == Text("a log, world_size", "日志、world_size")
    assert need(Text("a, b", "甲, 乙")) == Text("a, b", "甲, 乙")


@pytest.mark.parametrize(
    ("lack", "reason"),
    [
        (Text("no NVIDIA driver answers here", "本机没有 NVIDIA 驱动"), True),
        (Text("the file is not JSON", "文件不是 JSON"), True),
        (Text("a checkpoint that is not being written just now", "未在写入的检查点"), False),
        (Text("the GPUs that the refused rank could see", "可见的 GPU"), False),
        (plain("LogHits"), False),
    ],
)
def test_a_reason_is_told_from_a_need(lack: Text, reason: bool) -> None:
    assert is_reason(lack) is reason


def test_probes_without_anything_to_read_are_one_line(
    drive: Drive, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(look: Any) -> Iterator[Any]:
        yield Skip(Text("no driver answers here", "本机没有驱动"))

    probes = (*medic.runner.all_probes(), Probe("card", (), nothing))
    monkeypatch.setattr(medic.runner, "all_probes", lambda: probes)

    async def script(app: Any) -> None:
        talk = app.talk()
        assert "2 probes had nothing to read: /probes" in talk
        assert "card " not in talk
        await app.press("f5")
        assert "card                 skipped: no driver answers here" in app.talk()

    drive(script, case)


def test_a_question_does_not_offer_what_was_seen_not_to_be() -> None:
    check = Check.__new__(Check)
    titles = {"not-oom": "none", "not-nan": "fine", "genuine-need": "need"}
    outcomes = {
        name: SimpleNamespace(normal=name.startswith("not-"), title=plain(title))
        for name, title in titles.items()
    }
    object.__setattr__(check, "outcomes", outcomes)
    offered = [name for name, _ in choices(check, {"cuda-out-of-memory"})]
    assert offered == ["not-nan", "genuine-need"]
    assert [name for name, _ in choices(check, set())] == list(titles)


def test_the_small_probes_are_in_use() -> None:
    assert all_probes is not medic.runner.all_probes
