"""What people say back: that it still fails, that they do not follow, how sure it is."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from medic.tui import after

from medic.i18n import Lang, use

Talk = Callable[..., Any]
CONFIG = (
    "model:\n  hidden_size: 2048\n  num_layers: 24\n  num_heads: 16\n  vocab_size: 32000\n"
    "training:\n  micro_batch_size: 64\n  gradient_accumulation_steps: 1\n  seq_len: 4096\n"
    "  total_steps: 2000\n  lr: 0.0003\n  warmup_steps: 100\n"
)
FAILED = """step 1/2000 loss 10.91 lr 3.0e-06 grad_norm 4.2
Traceback (most recent call last):
  File "/job/train.py", line 120, in main
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity of \
79.18 GiB of which 2.70 GiB is free. Process 12 has 76.48 GiB memory in use. Of the allocated memory \
72.66 GiB is allocated by PyTorch, and 2.10 GiB is reserved by PyTorch but unallocated.
"""
WELL = "".join(
    f"step {n}/2000 loss {10.9 - n * 0.002:.3f} lr {min(n, 100) * 3e-6:.2e} grad_norm 1.2\n"
    for n in range(1, 2001)
)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    (folder / "config.yaml").write_text(CONFIG)
    (folder / "train.log").write_text(FAILED)
    return folder


def applied(one: Any) -> str:
    """The first change on offer, applied; its remedy."""
    offer = next(o for o in one.talk.offers() if o.fix.patch is not None)
    after.apply(one.talk, offer)
    return str(offer.fix.remedy.name)


@pytest.mark.parametrize(
    ("lang", "words", "noted"),
    [
        ("en", "it still fails", "c1 did not help, as you say; its remedy counts as tried"),
        ("en", "I tried it, no luck", "c1 did not help, as you say; its remedy counts as tried"),
        ("zh", "还是不行", "c1 没有效果，该处置计为已试"),
        ("zh", "改完还是报错", "c1 没有效果，该处置计为已试"),
    ],
)
def test_a_change_that_did_not_help_counts_as_tried_and_its_log_is_asked_for(
    talk: Talk, run: Path, lang: Lang, words: str, noted: str
) -> None:
    use(lang)
    one = talk("run")
    remedy = applied(one)
    told = one.say(words)
    assert noted in told
    assert one.talk.session.tried == [remedy]
    assert one.open.kind == "after"
    later = time.time() + 60
    (run / "train.log").write_text(WELL)
    os.utime(run / "train.log", (later, later))
    one.say("1")
    assert one.talk.session.tried == []  # the log shows that it did help
    assert [a.shown for a in one.talk.session.applied] == ["gone"]


def test_that_it_still_fails_is_read_in_the_new_log_where_there_is_one(
    talk: Talk, run: Path
) -> None:
    one = talk("run")
    applied(one)
    later = time.time() + 60
    (run / "train.log").write_text(FAILED.replace("4.00 GiB", "3.00 GiB"))
    os.utime(run / "train.log", (later, later))
    told = one.say("same error")
    assert "The same again" in told


def test_before_any_change_it_is_said_what_to_do(talk: Talk, run: Path) -> None:
    one = talk("run")
    for words in ("it still fails", "no change", "还是不行", "问题还在"):
        told = one.say(words)
        assert "Paste its last lines" in told, words
        assert "/tried N counts it as no help" in told, words
    assert one.talk.session.tried == []
    assert one.open.kind == "answer"
    nothing = talk()
    assert "What tells most: the log of the run that fails" in nothing.say("same error")


def test_what_is_not_understood_is_said_in_plain_words(talk: Talk, run: Path) -> None:
    one = talk("run")
    for words in ("I don't understand", "explain it simply", "huh?", "看不懂", "说人话"):
        told = one.say(words)
        assert "In short: The micro batch does not fit in GPU memory" in told, words
        assert "Do not" not in told, words


def test_how_sure_it_is_is_answered_and_a_doubt_is_taken_up(talk: Talk, run: Path) -> None:
    one = talk("run")
    for words in ("how sure are you?", "你确定吗", "有多大把握？"):
        told = one.say(words)
        assert "[medic] Not proven." in told, words
        assert "against it" in told
    for words in ("that's wrong", "不对吧", "I don't think so"):
        assert "/ruleout MEM-001" in one.say(words), words


def test_thanks_and_closing_words_are_answered_as_such(talk: Talk, run: Path) -> None:
    one = talk("run")
    for words in (
        "thanks for your help",
        "谢谢你，辛苦了",
        "that's all",
        "great job, thanks",
        "就这样吧",
    ):
        assert "You are welcome" in one.say(words), words
    applied(one)
    later = time.time() + 60
    (run / "train.log").write_text(WELL)
    os.utime(run / "train.log", (later, later))
    one.say("1")
    for words in ("thanks, that worked", "好了，没问题了", "it helped"):
        assert "Good. The log says so, too." in one.say(words), words


def test_numbers_that_are_no_answer_and_numbers_as_people_write_them(talk: Talk, run: Path) -> None:
    one = talk("run")
    asked = one.open
    for words in ("-1", "1,2", "1 and 2", "99", "1、2"):
        told = one.say(words)
        assert f"Answer with one number from 1 to {len(asked.options)}." in told, words
        assert one.talk.session.answers == []
    for words in ("#1", "1)", "option 1", "选1", "第1个", "1、"):
        one.say("/undo") if one.talk.moves else None
        one.say(words)
        assert [name for name, _ in one.talk.session.answers] == [asked.name], words


def test_words_that_take_nothing_do_nothing_with_something_behind_them(
    talk: Talk, run: Path
) -> None:
    one = talk("run")
    one.say("1")
    answers = list(one.talk.session.answers)
    assert answers
    for words in ("/undo zzz", "/none zzz"):
        assert "takes nothing behind it, and nothing was done" in one.say(words)
    assert one.talk.session.answers == answers
    assert not one.talk.session.refused


def test_the_whole_file_system_is_never_read(talk: Talk, run: Path) -> None:
    one = talk("run")
    files = one.talk.session.case.files
    done: list[str] = []
    one.action_do = lambda word, _argument="": done.append(word)
    one.say("//")
    assert done == ["commands"]
    del one.action_do
    for words in ("/add /", "/add //", "/add /.."):
        assert "That is the whole file system" in one.say(words)
    assert one.talk.session.case.files == files


def test_questions_are_answered_with_what_is_known(talk: Talk, run: Path) -> None:
    one = talk("run")
    title = "The micro batch does not fit in GPU memory (MEM-001)"
    for words in ("what happened?", "summarize", "why did it crash?", "总结一下", "怎么回事"):
        told = one.say(words)
        assert f"In short, likely: {title}" in told, words
        assert "So do this first: " in told, words
    assert "Behind the first suspect:" in one.say("what else could it be?")
    assert "--baseline RUN_THAT_WORKED" in one.say("it worked yesterday")
    told = one.say("how many tokens did the optimizer see?")
    assert f"What is known: {title}, likely." in told
    assert "No symptom that medic knows" not in told
    assert "None of the causes" not in told
    told = one.say("do I have to retrain from scratch?")
    assert "It is none of the remedies" in told
    assert one.talk.session.complaints == []
    for words in ("ok I halved the batch and now it runs", "改小之后能跑了"):
        assert "No log is new since the last look" in one.say(words), words


def test_what_is_asked_of_the_talk_itself_is_answered(talk: Talk, run: Path) -> None:
    one = talk("run")
    for words in ("is the gpu memory normal?", "显存占用正常吗", "先不管这个，显存占用正常吗"):
        told = one.say(words)
        assert "What was seen of it:" in told, words
        assert one.talk.session.complaints == [], words
    one.say("1")
    ((asked, _),) = one.talk.session.answers
    assert one.talk.session.index.title(asked).en in one.say("what did I say so far?")
    assert "MEM-001) is known from:" in one.say("is this a known bug?")
    assert "medic preflight" in one.say("how can I prevent this next time")
    assert "Hand-over report" in one.say("make a report for my team")
    for words in ("下一步", "just tell me what to change", "有没有更简单的办法"):
        assert "What to do" in one.say(words), words
    told = one.say("it is 3am and the deadline is tomorrow")
    assert "No symptom that medic knows is near this." in told
    assert "So do this first: " in told


def test_a_curve_is_drawn_when_it_is_asked_for(talk: Talk, run: Path) -> None:
    (run / "train.log").write_text(WELL)
    one = talk("run")
    for words, named in (
        ("show me the curve", "loss over steps 1 to"),
        ("plot the learning rate", "learning_rate over steps 1 to"),
        ("看看梯度范数曲线", "grad_norm over steps 1 to"),
    ):
        assert named in one.say(words), words
