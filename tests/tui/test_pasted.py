"""What a person pastes is what he asks about, whatever logs lie beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.facts import LogHits
from medic.i18n import Lang, use
from medic.report.words import placed
from medic.session import saved

Talk = Callable[..., Any]
FAILED = """2026-11-27 17:00:01,120 [rank0] INFO train: model parameters: 2422.9M
2026-11-27 17:00:09,448 [rank0] INFO train: step 1 loss 10.912 lr 1.0e-05
2026-11-27 17:00:11,502 [rank0] ERROR train: failed
Traceback (most recent call last):
  File "/job/train.py", line 120, in main
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity of \
79.18 GiB of which 2.70 GiB is free. Process 12 has 76.48 GiB memory in use. Of the allocated memory \
72.66 GiB is allocated by PyTorch, and 2.10 GiB is reserved by PyTorch but unallocated.
2026-11-27 17:00:12,002 [rank0] INFO launcher: worker exited with code 1
"""
WELL = "2026-11-27 17:40:00,001 [rank0] INFO train: model parameters: 2422.9M\n" + "".join(
    f"2026-11-27 17:{41 + n // 60:02}:{n % 60:02},120 [rank0] INFO train: "
    f"step {n + 1}/100 loss {10.9 - 0.05 * n:.3f} lr 1.0e-05 grad_norm 1.2\n"
    for n in range(100)
)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "run"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    (folder / "train.log").write_text(f"{WELL}2026-11-27 17:43:00,000 [rank0] INFO train: done\n")
    return "run"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_log_of_an_earlier_hour_that_is_pasted_is_looked_at(
    talk: Talk, run: str, lang: Lang
) -> None:
    use(lang)
    one = talk(run)
    assert one.lead == ""
    told = one.say(FAILED)
    assert "cuda-out-of-memory" in one.talk.session.observed_symptoms()
    assert one.lead
    assert "diagnose <pasted" not in told
    shown = {
        "en": "What you pasted is of another run than run/train.log",
        "zh": "粘贴的日志与 run/train.log 不属于同一次运行",
    }
    assert shown[lang] in told
    lead = one.lead
    one.say("the GPU is an H100")  # a look later it is still what is asked about
    assert one.lead == lead
    kept = saved.load(one.talk.diary.id)
    assert [Path(p).name for p in kept.data["said"]["aside"]] == ["train.log"]


def test_what_was_pasted_is_taken_back_and_a_later_log_counts_again(
    talk: Talk, run: str, tmp_path: Path
) -> None:
    one = talk(run)
    one.say(FAILED)
    told = one.say("/undo")
    assert one.lead == ""
    assert "Fixed" not in told
    one.say(FAILED)
    later = f"{WELL}2026-11-27 18:43:00,000 [rank0] INFO train: done\n".replace(" 17:", " 18:")
    (tmp_path / run / "train.log").write_text(later)
    one.say("/look")
    assert one.talk.session.aside == {}
    assert one.talk.session.observed_symptoms() == set()


def test_lines_of_the_log_that_lies_here_change_nothing_of_what_is_read(
    talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run").mkdir()
    Path("run/train.log").write_text(FAILED)
    one = talk("run")
    lead = one.lead
    told = one.say(FAILED)
    assert "another run" not in told
    assert one.lead == lead
    assert one.talk.session.aside == {}


def test_lines_that_were_read_already_are_no_further_evidence(
    talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run").mkdir()
    steps = "".join(f"step {n} loss {9 - n / 100:.2f}\n" for n in range(40))
    Path("run/train.log").write_text(f"{steps}{FAILED}")
    one = talk("run")
    chances = [(c.name, c.chance) for c in one.talk.found.causes]
    for lines in (
        "torch.OutOfMemoryError: CUDA out of memory.",
        '  File "/job/train.py", line 120, in main\n    loss.backward()\ntorch.OutOfMemoryError: CUDA',
    ):
        told = one.say(lines)
        assert "These lines stand in run/train.log (near line 4" in told
        assert "CUDA out of memory" in told.rpartition("What was seen in them:")[2]
        assert [(c.name, c.chance) for c in one.talk.found.causes] == chances
        assert one.talk.session.case.pasted == ""
    told = one.say("[rank1]: RuntimeError: another one that no file has")
    assert "These lines stand" not in told
    assert one.talk.session.case.pasted


def test_pasted_lines_without_a_time_are_no_earlier_run(
    talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run").mkdir()
    Path("run/train.log").write_text(FAILED)
    one = talk("run")
    told = one.say("[rank1]: ValueError: could not decode sample 11: expected 129 tokens, found 0")
    assert "another run" not in told
    assert "of an earlier run" not in told
    assert one.talk.session.aside == {}


PASTED = "step 4998 loss 2.1\nstep 4999 loss 2.1\n[rank2]: RuntimeError: the reader fell over\n"


def places(one: Any) -> list[str]:
    return [h.finding.source.where() for h in one.talk.session.found if h.finding.source.line]


def test_lines_of_a_paste_count_from_its_first(
    talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one = talk()
    one.say("warmup_ratio: 0.1\nlogging_steps: 10", PASTED)
    assert "<pasted log>:3" in places(one)
    one.say(PASTED.replace("rank2", "rank3").replace("reader", "writer"))
    assert "<pasted log>:3" in places(one)
    assert "<pasted-2 log>" in [f.name for f in one.talk.session.case.files]
    use("zh")
    assert "<粘贴的日志-2>:3" in str(placed("<pasted-2 log>", 3, None))


def test_steps_of_a_paste_are_none_of_the_log_beside_it(
    talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run").mkdir()
    Path("run/train.log").write_text("step 1 loss 10.9\nstep 2 loss 10.2\n" + FAILED.split("\n")[6])
    one = talk("run")
    assert "after step 2 had passed" in one.say("why")
    told = one.say(PASTED)
    assert "after step 2 had passed" in told
    assert "4999 had passed" not in told
    assert one.talk.session.evidence.fact(LogHits).last_step == 2


def test_steps_of_a_paste_alone_are_its_own(
    talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one = talk()
    one.say(PASTED + FAILED.split("\n")[6])
    assert one.talk.session.evidence.fact(LogHits).last_step == 4999


def test_an_error_is_not_gone_because_earlier_steps_are_pasted_behind_it(
    talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one = talk()
    one.say(FAILED.split("\n")[6])
    one.say("step 1 loss 10.9\nstep 2 loss 10.2\nstep 3 loss 9.9\n")
    assert "cuda-out-of-memory" in one.talk.session.observed_symptoms()
