"""Free text to entries, and pasted text to its parts."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medic.index import load
from medic.match import Document, TextIndex, documents, search, split_paste

ENTRIES = (
    Document(
        "symptoms", "gpu-memory", "gpu memory\ncuda out of memory\nvram is full\n显存不足\n爆显存"
    ),
    Document("symptoms", "loss-nan", "loss nan\nloss is nan\nloss became nan\nLoss 变成 NaN"),
    Document("symptoms", "port", "port in use\naddress already in use\n端口被占用"),
    Document("causes", "batch-too-large", "The micro batch does not fit\n微批次太大", "MEM-001"),
)


@pytest.fixture
def index() -> TextIndex:
    return TextIndex(ENTRIES)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("CUDA out of memory", "gpu-memory"),
        ("cuda out of memroy", "gpu-memory"),
        ("ＣＵＤＡ　out of memory", "gpu-memory"),
        ("训练时显存不足了", "gpu-memory"),
        ("the loss goes to NaN after a while", "loss-nan"),
        ("Address already in use", "port"),
        ("模型训练报错:端口被占用", "port"),
    ],
)
def test_the_nearest_entry_comes_first(index: TextIndex, words: str, name: str) -> None:
    assert index.search(words)[0].name == name


@pytest.mark.parametrize("words", ["sourdough bread", "", "the", "面包怎么烤", "train model error"])
def test_nothing_near_is_no_match(index: TextIndex, words: str) -> None:
    assert index.search(words) == []


def test_a_code_or_name_is_exact(index: TextIndex) -> None:
    assert index.search("mem-001")[0][:2] == ("causes", "batch-too-large")
    assert index.search("loss-nan")[0].score > 2


def test_kinds_limit_the_search(index: TextIndex) -> None:
    assert index.search("memory", ("causes",)) == []


def test_a_verbatim_line_outranks_words() -> None:
    index = TextIndex(ENTRIES, lambda text: ["port"] if "[Errno 98]" in text else [])
    found = index.search("loss is nan [Errno 98]")
    assert {m.name for m in found[:2]} == {"port", "loss-nan"}
    assert next(m.score for m in found if m.name == "port") >= 0.5


def test_a_long_report_is_searched_by_sentence(index: TextIndex) -> None:
    report = "I train on eight cards. " + "Everything was fine yesterday. " * 5
    report += "Today the run dies because address already in use.\nWhat should I do?"
    assert index.search(report)[0].name == "port"


@given(st.text(max_size=400))
@settings(max_examples=200, deadline=None)
def test_any_text_can_be_searched(text: str) -> None:
    for match in TextIndex(ENTRIES).search(text):
        assert match.score > 0


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("CUDA out of memory", "cuda-out-of-memory"),
        ("爆显存了", "cuda-out-of-memory"),
        ("no space left on device", "disk-full"),
        ("RuntimeError: Address already in use", "port-in-use"),
        ("loss 变成 nan", "loss-nan"),
    ],
)
def test_shipped_entries_are_found(words: str, name: str) -> None:
    assert search(words, load(), ("symptoms",))[0].name == name


def test_documents_hold_names_titles_and_phrases_of_both_languages() -> None:
    raw = {
        "symptoms": {
            "a-b": {"title": {"en": "T", "zh": "题"}, "phrases": {"en": ["x"], "zh": ["甲"]}}
        }
    }
    assert next(documents(raw, ("symptoms", "causes"))).text == "a b\nT\n题\nx\n甲"


def test_a_search_needs_no_signature_engine() -> None:
    code = (
        "import sys; from medic.match.text import TextIndex, Document;"
        "TextIndex([Document('symptoms', 'a', 'words')]).search('words');"
        "assert 're2' not in sys.modules and 'medic.match.scan' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- pasted text ----------------------------------------------------------------------------

PASTE = """Training stops right after the start, any idea?

$ torchrun --nproc_per_node=8 train.py \\
    --lr 1e-4

2026-11-27 20:56:58,658 [rank0] INFO train: step 1/300 | loss 6.28
Traceback (most recent call last):
  File "train.py", line 9, in main
    total: int = 3
ValueError: bad
learning_rate: 1.0e-4
batch:
  micro: 4
"""


def test_a_paste_is_parted() -> None:
    parts = split_paste(PASTE)
    assert [(p.kind, p.line) for p in parts] == [
        ("prose", 1),
        ("command", 3),
        ("log", 6),
        ("config", 11),
    ]
    assert parts[1].text.endswith("--lr 1e-4")
    assert "total: int = 3" in parts[2].text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("loss is nan since yesterday", "prose"),
        ("显存不足,怎么办?", "prose"),
        ("CUDA_VISIBLE_DEVICES=0,1 python train.py --fp16", "command"),
        ("deepspeed --num_gpus 8 train.py", "command"),
        ("python is slow today", "prose"),
        ('{"train_batch_size": 32, "fp16": {"enabled": true}}', "config"),
        ("[optimizer]\nlr = 3e-4", "config"),
        ("{'loss': 2.5, 'learning_rate': 1e-05, 'epoch': 0.1}", "log"),
        ("RuntimeError: CUDA error: out of memory", "log"),
        ("[rank3]: torch.OutOfMemoryError: CUDA out of memory.", "log"),
        (" 12%|█▏        | 12/100 [00:10<01:13,  1.2it/s]", "log"),
        ("Running with 3 GPUs it works, with 4 I get exit code -9 and nothing more.", "prose"),
    ],
)
def test_kinds_of_lines(text: str, kind: str) -> None:
    assert {p.kind for p in split_paste(text)} == {kind}


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=500))
@settings(max_examples=200, deadline=None)
def test_nothing_of_a_paste_is_lost(text: str) -> None:
    lines = text.split("\n")
    for part in split_paste(text):
        for offset, line in enumerate(part.text.split("\n")):
            assert lines[part.line - 1 + offset].rstrip() == line.rstrip()
    kept = sum(len(p.text.split("\n")) for p in split_paste(text))
    assert kept >= sum(bool(line.strip()) for line in lines)
