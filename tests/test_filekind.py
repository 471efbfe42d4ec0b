"""What a file is, and which rank wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.case.filekind import kind_of, note_text, rank_of

RANKS = {
    "logs/rank3.stderr.log": 3,
    "out/metrics.rank1.jsonl": 1,
    "run/attempt_0/2/stdout.log": 2,
    "run/rank_4/stderr.log": 4,
    "log_5.txt": 5,
    "slurm-1234_6.out": 6,
    "slurm-1234.out": None,
    "rank1_dies_first/train.log": None,
    "train.log": None,
    "2026/train.py": None,
}


@pytest.mark.parametrize("name", RANKS)
def test_ranks_of_names(name: str) -> None:
    assert rank_of(name) == RANKS[name]


KINDS: dict[str, tuple[bytes, str | None]] = {
    "train.log": (b"step 1\n", "log"),
    "README.md": (b"# x\n", None),
    "requirements.txt": (b"torch\n", None),
    "config.yaml": (b"lr: 1\n", "config"),
    "ds.json": (b"{}", "config"),
    "tokenizer.json": (b"{}", None),
    "config.json": (b'{"model_type": "llama", "hidden_size": 8}', "model-config"),
    "metrics.jsonl": (b'{"step": 1, "loss": 2.0}\n', "metrics"),
    "data.jsonl": (b'{"prompt": "hello"}\n', "data"),
    "smi.csv": (b"timestamp, index, utilization.gpu [%]\n", "gpu-series"),
    "nvidia-smi.txt": (b"| NVIDIA-SMI 550 |\n", "gpu-report"),
    "model.safetensors": (b"", "checkpoint"),
    "notes.txt": (b"PK\x03\x04", "checkpoint"),
    "launch.sh": (b"torchrun x.py\n", "script"),
    "nccl_trace_rank_0": (b"", "flight-recorder"),
}


@pytest.mark.parametrize("name", KINDS)
def test_kinds_of_files(tmp_path: Path, name: str) -> None:
    content, kind = KINDS[name]
    (tmp_path / name).write_bytes(content)
    assert kind_of(str(tmp_path / name)) == kind


def test_a_report_that_a_person_wrote_is_a_note(tmp_path: Path) -> None:
    report = tmp_path / "issue.md"
    report.write_text(
        "After the upgrade my fine-tuning run stops at once on every machine.\n\n"
        "    RuntimeError: CUDA error: invalid device ordinal\n"
    )
    log = tmp_path / "train.txt"
    log.write_text(
        "step 1 loss 2.5\n" * 40 + "Loading the model from disk takes a while here, please wait.\n"
    )
    assert kind_of(str(report)) == "note"
    assert note_text(str(report)) == report.read_text()
    assert note_text(str(log)) is None
    assert kind_of(str(log)) == "log"
    case = collect([str(tmp_path)])
    assert [f.kind for f in case.files] == ["log", "log"]
    assert next(name for name in case.parts).endswith("issue.md<log>")
    assert "stops at once" in case.text


TICKETS = {
    "x.log": "Since yesterday the loss is NaN after about 2000 steps. We use 64 GPUs and only the data changed.\n",
    "ticket.txt": "Hi all,\nour job hangs at the first all_reduce on 2 nodes, single node works.\n"
    "The GPUs are at 100 percent until the timeout after 10 minutes.\nThanks, Ana\n",
    "train.out": "训练到 2000 步左右 loss 突然变成 NaN，之前梯度范数正常。\n没有改过配置，只换了数据。\n",
}


@pytest.mark.parametrize("name", TICKETS)
def test_a_persons_words_are_a_note_whatever_the_file_is_called(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(TICKETS[name], "utf-8")
    assert kind_of(str(tmp_path / name)) == "note"


WORDS = "训练到 300 步 loss 变成 nan，求助\n"


@pytest.mark.parametrize("name", ["q.txt", "问题.txt", "描述.txt", "README.txt", "现象.md"])
@pytest.mark.parametrize("words", [WORDS, "the loss goes to nan at step 300, please help\n"])
def test_a_short_complaint_is_a_note_whatever_the_file_is_called(
    tmp_path: Path, name: str, words: str
) -> None:
    (tmp_path / name).write_text(words, "utf-8")
    assert kind_of(str(tmp_path / name)) == "note"
    assert words.strip() in collect([str(tmp_path)]).text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("README.txt", "This folder holds the checkpoints of the run.\n"),
        ("README.md", WORDS + "说明\n" * 2000),
        ("prompts.txt", WORDS),
        ("err.txt", "the training failed\n"),
        ("about.txt", "the training failed\n"),
        ("CHANGELOG.md", "The loss went to nan on resume, fixed.\n"),
        ("q.txt", "step 300 loss nan\n"),
        ("requirements.txt", "torch==2.4.0\n"),
    ],
)
def test_what_is_no_complaint_or_a_programs_is_no_note(
    tmp_path: Path, name: str, words: str
) -> None:
    (tmp_path / name).write_text(words, "utf-8")
    assert kind_of(str(tmp_path / name)) != "note"


def test_lines_that_come_again_are_a_programs(tmp_path: Path) -> None:
    line = "Worker {r} has finished its step {n} and is waiting for the others\n"
    text = "".join(line.format(r=r, n=n) for n in range(5) for r in range(4))
    (tmp_path / "train.log").write_text(text)
    assert kind_of(str(tmp_path / "train.log")) == "log"
