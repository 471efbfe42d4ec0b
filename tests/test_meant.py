"""Plain sentences of the talk: the files hold against words, a guess is no evidence, a cause is ruled
out by hand, and what asks something leads there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from medic.tui import jobs
from medic.tui.consultation import Consultation
from medic.tui.events import Asked, Choices, Told
from medic.tui.families import FAMILIES
from medic.tui.lines import Block, rows
from medic.tui.typed import take

from medic.case.collect import collect
from medic.i18n import Lang, use
from medic.index.knowledge import load
from medic.session.consultation import Session
from medic.session.said import said, say_again

INDEX = load()
OOM = """\
[rank0]: Traceback (most recent call last):
[rank0]:   File "/job/train.py", line 120, in main
[rank0]:     loss = step(model, batch)
[rank0]:   File "/job/train.py", line 88, in step
[rank0]:     loss = model(batch).loss
[rank0]:   File "/opt/venv/lib/python3.12/site-packages/torch/nn/modules/module.py", line 1790, in _call_impl
[rank0]:     return forward_call(*args, **kwargs)
[rank0]:   File "/job/train.py", line 35, in forward
[rank0]:     return x + self.down(F.gelu(self.up(self.ln2(x))))
[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total \
capacity of 79.18 GiB of which 2.50 GiB is free. Including non-PyTorch memory, this process has \
76.60 GiB memory in use. Of the allocated memory 72.66 GiB is allocated by PyTorch, and 3.10 GiB is \
reserved by PyTorch but unallocated.
"""
CONFIG = "micro_batch_size: 512\nsequence_length: 1024\nhidden_size: 2048\nnum_layers: 24\nnum_heads: 16\n"
RAISED = """\
Traceback (most recent call last):
  File "/job/train.py", line 88, in main
    step(batch)
  File "/job/train.py", line 41, in step
    check(batch)
ValueError: bad thing happened
"""


class Front:
    """Takes what is typed and keeps what is told."""

    def __init__(self, folder: Path) -> None:
        self.choices: Choices | None = None
        self.blocks: list[Block] = []
        self.talk = Consultation(lambda: INDEX, collect([str(folder)]), self._happened)
        self.talk.start()
        self.talk.look()

    def _happened(self, event: Any) -> None:
        if isinstance(event, Told):
            self.blocks.append(event.block)
        elif isinstance(event, Asked):
            self.choices = event.choices

    def say(self, words: str) -> str:
        """What is told after these words, on one line."""
        self.blocks.clear()
        take(self, words)
        lines = [row for block in self.blocks for row in rows(block, 78, 0)]
        every = " ".join("".join(str(text) for text, _ in row) for row in lines)
        told: str = " ".join(every.split())
        return told

    @property
    def leader(self) -> str:
        assert self.talk.found is not None
        return str(self.talk.found.causes[0].name)

    def add(self, block: Block) -> None:
        self.blocks.append(block)

    def keep(self, block: Block) -> None: ...

    def wait_for(self, choices: Choices | None) -> None:
        self.choices = choices

    def work(self, job: Any, *values: Any, **named: Any) -> None:
        job(self.talk, *values, **named)

    def action_do(self, word: str, argument: str = "") -> None:
        self.work(jobs.order, word, argument)


@pytest.fixture(autouse=True)
def _own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.setenv("MEDIC_STATE", str(tmp_path / "state"))
    yield
    use("en")


@pytest.fixture
def oom(tmp_path: Path) -> Front:
    """A run that ran out of memory in its first step."""
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "train.log").write_text(OOM)
    (folder / "config.yaml").write_text(CONFIG)
    front = Front(folder)
    assert front.leader == "micro-batch-too-large"
    return front


@pytest.mark.parametrize(
    ("lang", "words"), [("en", "memory grows every step"), ("zh", "显存每步都在涨")]
)
def test_words_against_the_log_do_not_count_until_one_insists(
    oom: Front, lang: Any, words: str
) -> None:
    use(lang)
    told = oom.say(words)
    assert words in told
    assert "train.log:10" in told
    assert oom.leader == "micro-batch-too-large"
    assert oom.talk.session.told.held == [words]
    oom.say("/change 1")
    oom.say("1")
    assert oom.talk.session.told.held == []
    assert oom.leader == "gpu-memory-leak"


def test_words_that_came_before_the_log_are_held_against_it_too(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "config.yaml").write_text(CONFIG)
    front = Front(folder)
    front.say("memory grows every step")
    assert "gpu-memory-grows" in front.talk.session.complaints
    (folder / "train.log").write_text(OOM)
    told = front.say(f"/add {folder / 'train.log'}")
    assert "You say “memory grows every step”" in told
    assert front.talk.session.told.held == ["memory grows every step"]
    assert front.leader == "micro-batch-too-large"


def test_a_sentence_that_is_taken_out_takes_its_likeness_along(oom: Front) -> None:
    oom.say("memory grows every step")
    oom.say("/change 1")
    oom.say("1")
    for number in range(2, 6):
        oom.say(f"/change {number}")
    assert oom.talk.session.words == ""
    assert oom.leader == "micro-batch-too-large"


@pytest.mark.parametrize(
    "words",
    [
        "I think it is a memory leak, it grows every step",
        "会不会是显存泄漏",
        "could it be a memory leak?",
    ],
)
def test_a_guess_is_compared_and_is_no_evidence(oom: Front, words: str) -> None:
    before = oom.talk.session.model.beliefs(oom.talk.session.seen)
    told = oom.say(words)
    assert "MEM-005" in told
    assert "speaks against it" in told
    assert oom.talk.session.model.beliefs(oom.talk.session.seen) == before
    assert oom.talk.session.words == ""


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("I think it's NCCL, a bad network cable", "network-link-broken"),
        ("我觉得是网络问题", "network-link-broken"),
        ("网线坏了？", "network-link-broken"),
        ("maybe it is the network storage being slow", "network-file-system-fault"),
        ("maybe the card is broken", "gpu-memory-ecc-error"),
        ("会不会是显卡坏了", "gpu-memory-ecc-error"),
        ("我觉得是数据有问题", "data-quality-poor"),
        ("gpu clocks throttled", "gpu-clocks-throttled"),
        ("driver bug", "driver-library-mismatch"),
        ("bad learning rate schedule", "scheduler-stepped-too-often"),
        ("可能是某个卡掉队了", "one-node-slows-all"),
        ("应该是NCCL版本不一致吧", "versions-differ-between-nodes"),
    ],
)
def test_a_guess_at_a_kind_is_answered_with_causes_of_it(oom: Front, words: str, code: str) -> None:
    before = oom.talk.session.model.beliefs(oom.talk.session.seen)
    told = oom.say(words)
    shown = [n for n in INDEX.causes if f"({INDEX.causes[n].code})" in told]
    assert "A guess, taken as a question" in told
    apart = set(shown) - {"micro-batch-too-large"}  # the leader, if it is named beside them
    assert apart
    assert any(apart <= {*family} for family in FAMILIES.values() if code in family)
    assert oom.talk.session.model.beliefs(oom.talk.session.seen) == before
    assert oom.talk.session.words == ""


def test_the_causes_of_every_kind_of_guess_are_known() -> None:
    assert FAMILIES.keys() <= INDEX.sayings.keys()
    assert {cause for causes in FAMILIES.values() for cause in causes} <= INDEX.causes.keys()


def test_a_guess_at_a_kind_is_told_in_chinese(oom: Front) -> None:
    use("zh")
    told = oom.say("我觉得是网络问题")
    assert "这一类中最接近的原因" in told
    assert "看这一点可以判断：" in told


@pytest.mark.parametrize("words", ["what would change your mind?", "要看到什么你才会改变判断？"])
def test_what_would_change_the_verdict_is_answered(oom: Front, words: str) -> None:
    asked = oom.say("/why").partition("[medic]")[2]
    assert asked
    assert oom.say(words).partition("[medic]")[2] == asked


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        ("it is not the batch size, I checked", "micro-batch-too-large"),
        ("not the batch size, I checked", "micro-batch-too-large"),
        ("不是这个原因", "micro-batch-too-large"),
        ("it is not this", "micro-batch-too-large"),
        ("it is not a leak", "gpu-memory-leak"),
        ("不是显存泄漏", "gpu-memory-leak"),
        ("/ruleout 1", "micro-batch-too-large"),
        ("/ruleout MEM-005", "gpu-memory-leak"),
    ],
)
def test_a_cause_is_ruled_out_by_hand_and_taken_back(oom: Front, words: str, cause: str) -> None:
    oom.say(words)
    assert list(oom.talk.session.told.ruled) == [cause]
    assert oom.talk.found is not None
    out = {c.name: c for c in oom.talk.found.ruled_out}
    assert str(out[cause].pruned_by.text) == "ruled out by you"
    assert cause not in [c.name for c in oom.talk.found.causes]
    kept = said(oom.talk.session)
    oom.say("/change 1")
    assert oom.talk.session.told.ruled == {}
    assert oom.leader == "micro-batch-too-large"
    say_again(oom.talk.session, kept)
    assert list(oom.talk.session.told.ruled) == [cause]


@pytest.mark.parametrize("words", ["not a single NaN", "it is not the first time", "没有 NaN"])
def test_a_denied_symptom_is_no_cause_ruled_out(oom: Front, words: str) -> None:
    oom.say(words)
    assert oom.talk.session.told.ruled == {}


def test_f8_takes_a_ruling_back(oom: Front) -> None:
    oom.say("/ruleout 1")
    assert oom.leader != "micro-batch-too-large"
    oom.say("/undo")
    assert oom.leader == "micro-batch-too-large"


@pytest.mark.parametrize(
    "words", ["I already halved the batch and it did not help", "我已经把 batch 减半了，没用"]
)
def test_what_was_tried_in_vain_counts_as_tried(oom: Front, words: str) -> None:
    oom.say(words)
    assert oom.talk.session.tried == [
        oom.talk.session.index.causes["micro-batch-too-large"].remedies[0]
    ]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("what would change your mind?", "What would change my mind"),
        ("什么会让你改变判断？", "What would change my mind"),
        ("why do you think so?", "What would change my mind"),
        ("what now?", "Lower the micro batch"),
        ("接下来怎么办", "Lower the micro batch"),
        ("can i just use expandable segments?", "none of the remedies"),
        ("能不能直接用 expandable segments？", "none of the remedies"),
    ],
)
def test_what_asks_something_leads_there(oom: Front, words: str, told: str) -> None:
    assert told in oom.say(words)
    assert oom.talk.session.words == ""


@pytest.mark.parametrize("words", ["不确定", "not sure", "no idea", "dunno"])
def test_not_knowing_is_an_answer(tmp_path: Path, words: str) -> None:
    (tmp_path / "train.log").write_text(OOM.splitlines()[-1] + "\n")
    front = Front(tmp_path / "train.log")
    asked = front.choices
    assert asked is not None
    front.say(words)
    assert front.talk.session.unknown == [asked.name]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("it hung while a checkpoint was saved", "no, it hung during evaluation"),
        ("卡在保存检查点的时候", "不对，是评估的时候卡住的"),
    ],
)
def test_a_correction_takes_the_place_of_the_sentence_before(
    oom: Front, first: str, then: str
) -> None:
    session = oom.talk.session
    oom.say(first)
    assert session.told.answered["stall-point"].outcome == "saving"
    oom.say(then)
    assert session.told.answered["stall-point"].outcome == "evaluation"
    assert first not in session.words


def test_a_bare_slow_is_slow_and_no_fall(oom: Front) -> None:
    oom.say("it is slow")
    assert "throughput-drops" not in oom.talk.session.told.reported
    assert "training-slow" in oom.talk.session.told.reported


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


def test_what_is_known_stands_beside_the_remedy_that_begins_with_it(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(BAD_SAMPLE)
    front = Front(tmp_path / "train.log")
    assert front.leader == "unreadable-sample"
    told = front.say("what now?")
    assert "known already: a sample cannot be decoded: could not decode sample 11" in told
    assert "(/job/train.py:66)" in told


def test_nothing_confirms_what_is_not_established(oom: Front) -> None:
    assert oom.talk.found is not None
    assert oom.talk.found.verdict == "likely"
    assert "confirms it" not in oom.say("/why")


def test_no_question_is_of_lines_that_are_not_there(oom: Front) -> None:
    session = oom.talk.session
    assert "zero-loss-gradient" not in {look.name for look in session.open_looks()}
    session.complain_of("loss-is-zero", "")
    assert "zero-loss-gradient" in {look.name for look in session.open_looks()}


NAN = "".join(f"step {n} | loss {9.0 - n / 10:.3f} | grad_norm 1.2\n" for n in range(1, 20))
NAN += "".join(f"step {n} | loss nan | grad_norm nan\n" for n in range(20, 30))


@pytest.mark.parametrize(
    ("language", "against"),
    [("en", "But what was read speaks strongly against it"), ("zh", "但已读内容强烈反对它")],
)
@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_the_end_of_a_walk_is_held_against_the_files(
    tmp_path: Path, language: Lang, against: str, precision: str
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "train.log").write_text(NAN)
    setting = f"bf16: {precision == 'bf16'}\nfp16: {precision == 'fp16'}\n".lower()
    (folder / "config.yaml").write_text(setting + "learning_rate: 1.0e-4\n")
    front = Front(folder)
    use(language)
    front.say("/walk nan-ladder")
    front.say("1")
    told = front.say("1")
    assert "NUM-" in told
    assert (against in told) == (precision == "bf16")
