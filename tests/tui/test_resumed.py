"""A talk that is taken up again stands where it stood: findings, suspects, their order, the lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from medic.tui import after, handover
from medic.tui.consultation import Consultation

from medic.case.collect import Case
from medic.index.knowledge import Index
from medic.session.saved import load

Talk = Callable[..., Any]
STEPS = "step 1 loss 10.9\nstep 2 loss 10.2\nstep 3 loss 9.8\nstep 4 loss 9.5\n"
OOM = (
    "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a "
    "total capacity of 79.18 GiB of which 2.70 GiB is free. Process 12 has 76.48 GiB memory in use. "
    "Of the allocated memory 72.66 GiB is allocated by PyTorch, and 2.10 GiB is reserved by PyTorch "
    "but unallocated.\n"
)
DATED = "".join(
    f"2026-11-27 17:{41 + n // 60:02}:{n % 60:02},120 [rank0] INFO train: step {n + 1}/100 "
    f"loss {10.9 - 0.05 * n:.3f} lr 1.0e-05 grad_norm 1.2\n"
    for n in range(60)
)
NOTE = "We saw this on node 3.\nRuntimeError: NCCL watchdog timeout\nthe loss was fine\n"
CONFIG = "per_device_train_batch_size: 16\ngradient_accumulation_steps: 1\nlearning_rate: 3.0e-4\n"
FOLDERS = {
    "out of memory": {"train.log": STEPS + OOM},
    "a note beside it": {"train.log": STEPS + OOM, "notes.txt": NOTE, "train.yaml": CONFIG},
    "trains well": {"train.log": f"{DATED}2026-11-27 17:43:00,000 [rank0] INFO train: done\n"},
    "two ranks": {"rank0.log": STEPS, "rank1.log": f"{STEPS}[rank1]: ValueError: bad sample\n"},
}
PASTE = (
    "step 4998 loss 2.1 lr 3e-4\nstep 4999 loss 2.1 lr 3e-4\n"
    "RuntimeError: NCCL watchdog timeout [rank2]\n"
    "[rank2]: RuntimeError: something odd happened in the loader\n"
)
FRAMES = (
    'Traceback (most recent call last):\n  File "/job/train.py", line 120, in main\n'
    "    loss.backward()\nValueError: could not decode sample 11: expected 129 tokens, found 0\n"
)
EARLIER = (
    "2026-11-27 16:00:01,120 [rank0] INFO train: step 1 loss 10.912 lr 1.0e-05\n"
    f"2026-11-27 16:00:11,502 [rank0] ERROR train: failed\n{FRAMES}"
)
CHINESE = (
    "前面 loss 正常，后面报错如下：\nstep 10 loss 2.1\nstep 11 loss nan\n"
    "[rank2]: RuntimeError: NCCL 通信超时\n"
)
SAYS = {
    "a paste": [PASTE],
    "two pastes": [PASTE, FRAMES],
    "of another run": [EARLIER],
    "of two others": [EARLIER, EARLIER.replace("16:0", "18:0")],
    "in Chinese": [CHINESE],
    "settings before": [CONFIG, PASTE],
    "a value behind": [PASTE, "world_size=64"],
    "an answer, changed": [PASTE, "1", "/change 1", "2"],
    "taken back between": [PASTE, "/undo", FRAMES],
    "told before": ["the loss becomes nan after step 200", PASTE, "/look"],
}


def picture(talk: Consultation) -> dict[str, Any]:
    """All that the user can see of what is believed, and what it rests on."""
    found = talk.found
    assert found is not None
    lines = ("symptoms", "unexplained", "consequences", "notes", "also_wrong", "ruled_out")
    return {
        "seen": [(h.seen, h.finding.source) for h in talk.session.found],
        "causes": [(c.name, c.chance, c.word, c.evidence) for c in found.causes],
        "verdict": found.verdict,
        "next": found.next and found.next.look.name,
        "files": [(f.name, f.kind) for f in talk.session.case.files],
        "not read": sorted(n.file for n in found.not_read),
        **{name: getattr(found, name) for name in lines},
    }


def taken_up(talk: Consultation, whole: Index) -> Consultation:
    """The same consultation as another process goes on with it."""
    talk.keep()
    talk.diary.close()
    again = Consultation(lambda: whole, Case(), lambda _: None, resume=talk.diary.id)
    again.begin()
    return again


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    def write(name: str) -> str:
        (tmp_path / "run").mkdir()
        for file, text in FOLDERS[name].items():
            (tmp_path / "run" / file).write_text(text)
        monkeypatch.chdir(tmp_path)
        return "run"

    return write


@pytest.mark.parametrize("says", SAYS)
@pytest.mark.parametrize("folder", FOLDERS)
def test_what_is_believed_is_the_same(
    talk: Talk, whole: Index, run: Callable[[str], str], folder: str, says: str
) -> None:
    one = talk(run(folder))
    one.say(*SAYS[says])
    assert picture(taken_up(one.talk, whole)) == picture(one.talk)


@pytest.mark.parametrize("says", SAYS)
def test_it_is_the_same_where_nothing_but_a_paste_is_there(
    talk: Talk, whole: Index, says: str
) -> None:
    one = talk()
    one.say(*SAYS[says])
    assert picture(taken_up(one.talk, whole)) == picture(one.talk)


@pytest.mark.parametrize("after_it", ["", "/look", "world_size=64"])
@pytest.mark.parametrize("paste", [OOM, PASTE, DATED])
def test_it_is_the_same_behind_a_change_whose_run_was_pasted(
    talk: Talk, whole: Index, run: Callable[[str], str], paste: str, after_it: str
) -> None:
    one = talk(run("a note beside it"))
    after.apply(one.talk, next(offer for offer in one.talk.offers() if offer.fix.diff))
    one.say(DATED.replace("17:", "18:") + paste, *filter(None, [after_it]))
    assert "run/train.log" not in [f.name for f in one.talk.session.case.files]
    assert picture(taken_up(one.talk, whole)) == picture(one.talk)


def test_from_another_folder_the_same_files_are_left_out(
    talk: Talk, whole: Index, run: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = talk(run("trains well"))
    one.say(EARLIER)
    assert one.talk.session.aside
    monkeypatch.chdir("/")
    again = taken_up(one.talk, whole)
    assert [f.name for f in again.session.case.files] == ["<pasted log>"]
    assert [c.name for c in again.found.causes] == [c.name for c in one.talk.found.causes]


def test_what_is_shown_of_it_later_is_what_was_told(
    talk: Talk, whole: Index, run: Callable[[str], str]
) -> None:
    one = talk(run("out of memory"))
    one.say(PASTE)
    told = handover.handover(one.talk.session, one.talk.found)
    again = taken_up(one.talk, whole)
    assert handover.handover(again.session, again.found) == told
    again.keep()
    kept = load(again.diary.id)
    shown = str(kept.data["stand"])
    assert "<pasted log>" in shown
    assert "CUDA out of memory" in shown
