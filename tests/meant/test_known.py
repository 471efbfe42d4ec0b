"""What is known, and what is not: exceptions without a cause, a remedy that begins with a finding,
a walk that ends against the files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.case.collect import collect
from medic.i18n import Lang, use
from medic.index.knowledge import load
from medic.session.consultation import Session

INDEX = load()
RAISED = """\
Traceback (most recent call last):
  File "/job/train.py", line 88, in main
    step(batch)
  File "/job/train.py", line 41, in step
    check(batch)
ValueError: bad thing happened
"""
BAD_SAMPLE = """\
[rank1]: Traceback (most recent call last):
[rank1]:   File "/opt/venv/lib/python3.12/site-packages/torch/utils/data/dataloader.py", line 733, in __next__
[rank1]:     data = self._next_data()
[rank1]: ValueError: Caught ValueError in DataLoader worker process 0.
[rank1]: Original Traceback (most recent call last):
[rank1]:   File "/opt/venv/lib/python3.12/site-packages/torch/utils/data/_utils/worker.py", line 351, in _worker_loop
[rank1]:     data = fetcher.fetch(index)
[rank1]:   File "/job/train.py", line 66, in __getitem__
[rank1]:     raise ValueError(f"could not decode sample {i}: expected 129 tokens, found 0")
[rank1]: ValueError: could not decode sample 11: expected 129 tokens, found 0
"""
NAN = "".join(f"step {n} | loss {9.0 - n / 10:.3f} | grad_norm 1.2\n" for n in range(1, 20))
NAN += "".join(f"step {n} | loss nan | grad_norm nan\n" for n in range(20, 30))


@pytest.mark.parametrize("text", ["ValueError: bad thing happened\n", RAISED])
def test_an_exception_of_which_nothing_is_known_names_no_cause(text: str) -> None:
    session = Session(INDEX, collect([], text=text))
    session.look()
    found = session.diagnosis()
    assert (found.verdict, found.causes) == ("none-of-these", ())
    places = [str(line.text) for line in found.symptoms if line.name == "exception-place"]
    assert places == (
        ["raised in the script's own code, in step (/job/train.py:41)"] if text == RAISED else []
    )


def test_a_known_exception_names_its_cause() -> None:
    session = Session(
        INDEX, collect([], text=RAISED.replace("ValueError: bad thing happened", "KeyError: 'foo'"))
    )
    session.look()
    assert [c.code for c in session.diagnosis().causes[:1]] == ["COD-001"]


def test_what_is_known_stands_above_the_remedy_that_begins_with_it(
    talk_of: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "train.log").write_text(BAD_SAMPLE)
    front = talk_of(tmp_path / "train.log")
    assert front.leader == "unreadable-sample"
    shown = front.told()
    assert "+ a sample cannot be decoded: could not decode sample 11" in shown
    assert "(/job/train.py:66)" in shown
    assert "could not decode sample 11" not in front.say("what now?")


@pytest.mark.parametrize(
    ("language", "against"),
    [("en", "But what was read speaks strongly against it"), ("zh", "但已读内容强烈反对它")],
)
@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_the_end_of_a_walk_is_held_against_the_files(
    talk_of: Callable[..., Any], tmp_path: Path, language: Lang, against: str, precision: str
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "train.log").write_text(NAN)
    setting = f"bf16: {precision == 'bf16'}\nfp16: {precision == 'fp16'}\n".lower()
    (folder / "config.yaml").write_text(setting + "learning_rate: 1.0e-4\n")
    front = talk_of(folder)
    use(language)
    front.say("/walk nan-ladder")
    front.say("1")
    told = front.say("1")
    assert "NUM-" in told
    assert (against in told) == (precision == "bf16")


@pytest.mark.parametrize(
    "words",
    [
        "我在用 8 卡 H100 微调 Qwen2-7B，跑着跑着 OOM 了，尤其是 eval 的时候",
        "Fine-tuning Qwen2-7B on 8 H100, it OOMs, mostly during eval",
    ],
)
def test_what_it_runs_on_makes_no_cause_alike(talk_of: Any, words: str) -> None:
    front = talk_of()
    front.say(words)
    assert front.leader == "eval-or-save-peak"


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("the loss spikes and grad norm explodes", False),
        ("the reward fell, and before it grad norm explodes", True),
        ("loss 跳到 9，grad_norm 爆炸", False),
        ("GRPO 训练奖励崩了，grad_norm 爆炸", True),
    ],
)
def test_what_moved_before_the_reward_is_told_where_there_is_one(
    talk_of: Any, words: str, read: bool
) -> None:
    front = talk_of()
    front.say(words)
    assert ("before-the-collapse" in front.talk.session.told.answered) is read
