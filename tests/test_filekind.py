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


XID = b"[Thu Nov 12 12:52:11 2026] NVRM: Xid (PCI:0000:5d:00): 79, pid=20114, name=python\n"
SYSLOG = b"Nov 12 12:52:11 gpu13 kernel: NVRM: Xid (PCI:0000:5d:00): 79, pid=20114\n"
LOST = b"Unable to determine the device handle for GPU0000:5D:00.0: "

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
    "gpu13.dmesg": (XID, "log"),
    "dmesg.gpu13": (XID, "log"),
    "dmesg": (
        b"[ 8012.114233] NVRM: Xid (PCI:0000:5d:00): 79, GPU has fallen off the bus.\n",
        "log",
    ),
    "node3.journal": (SYSLOG * 3, "log"),
    "messages": (SYSLOG, "log"),
    "messages-20261112": (SYSLOG, "log"),
    "syslog.1": (SYSLOG, "log"),
    "kern.log": (SYSLOG, "log"),
    "console": (
        b"2026-11-12T12:52:11.004+00:00 gpu13 kernel: NVRM: Xid (PCI:0000:5d:00): 79\n",
        "log",
    ),
    "system.journal": (b"LPKSHHRH\0\0\0", None),
    "dmesg.cpp": (b"int main() {}\n", None),
    "Makefile": (b"all:\n\tpython train.py\n", None),
    "messages.2": (b"hello\nhow are you\n", None),
    "nvidia-smi-gpu13.txt": (LOST + b"Unknown Error\n", "log"),
    "nvidia-smi.out": (LOST + b"GPU is lost.  Reboot the system to recover this GPU\n", "log"),
    "nvidia_smi.txt": (b"| NVIDIA-SMI 550 |\n" + LOST + b"Unknown Error\n", "gpu-report"),
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


REPORTS = {
    "en": "My fine-tuning job dies a few minutes after the start, we only changed the batch size.\n"
    "What could be the cause?\n\n"
    + "".join(f"2026-03-01 10:00:{n:02} INFO step {n} loss {3 - n / 50:.3f}\n" for n in range(40))
    + "Traceback (most recent call last):\n"
    '  File "/job/train.py", line 9, in <module>\n    main()\nRuntimeError: CUDA error\n',
    "zh": "单机能训练，两台机器就卡在第一步，麻烦看看是什么原因：\n"
    "[rank0]: NCCL WARN Call to connect returned Connection refused\n"
    '{"train_batch_size": 64}\n',
    "behind": "[rank3]: ValueError: Current length of row (11961) is larger than the limit\n\n"
    "I get this after three hundred steps, why not at the start?\n",
}


@pytest.mark.parametrize(
    "name", ["train.log", "log.txt", "issue.md", "README.txt", "notes", "slurm-12.out"]
)
@pytest.mark.parametrize("words", REPORTS.values(), ids=REPORTS)
def test_a_report_with_a_log_in_it_is_a_note_whatever_its_name(
    tmp_path: Path, name: str, words: str
) -> None:
    (tmp_path / name).write_text(words, "utf-8")
    assert kind_of(str(tmp_path / name)) == "note"
    case = collect([str(tmp_path)])
    assert words.split("\n", maxsplit=1)[0] in case.text
    assert any("<log" in part for part in case.parts)


PRINTED = {
    "warning": "Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid "
    "your system being overloaded, please further tune the variable for optimal performance.\n"
    "We recommend that you set it, as the training is slow and may hang otherwise.\n",
    "help": "usage: train.py [-h] [--lr LR]\n\nTrains our model on your data. Is it slow? Use --fast.\n",
    "sample": "Prompt: Why is my dog so bad?\nAnswer: I think that it is lonely, and we should help it.\n",
    "notice": "检测到断点 /job/out/step600，从第 600 步恢复，优化器与学习率状态已恢复。\n",
    "values": "The following values were not passed to `accelerate launch` and had defaults used "
    "instead:\n\t`--num_machines` was set to a value of `1`\n",
}
STEPS = "".join(f"step {n} loss {3 - n / 50:.3f}\n" for n in range(60))


@pytest.mark.parametrize("lead", PRINTED.values(), ids=PRINTED)
def test_what_a_program_says_in_sentences_is_a_log(tmp_path: Path, lead: str) -> None:
    story = "I was walking home with my dog, and we met a friend. Why is he so sad?\n"
    (tmp_path / "train.log").write_text(lead + STEPS + story, "utf-8")
    assert kind_of(str(tmp_path / "train.log")) == "log"


def test_a_model_card_is_no_report(tmp_path: Path) -> None:
    card = "# Small model\n\nOur model is bad at sums, and we know why: it saw few of them.\n\n"
    (tmp_path / "README.txt").write_text(
        card * 60 + "```python\nmodel = load('small')\n```\n", "utf-8"
    )
    assert kind_of(str(tmp_path / "README.txt")) is None


def test_a_log_of_megabytes_is_not_read_for_a_persons_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "train.log").write_text(REPORTS["en"] + STEPS * 1000, "utf-8")

    def parted(text: str) -> None:
        raise AssertionError(len(text))

    monkeypatch.setattr("medic.match.notes.split_paste", parted)
    assert kind_of(str(tmp_path / "train.log")) == "log"


def test_reports_of_no_kind_are_named_as_not_read(tmp_path: Path) -> None:
    for name, content in {
        "train.log": b"step 1 loss 2.0\n",
        "system.journal": b"LPKSHHRH\0\0\0",
        "node3.sel": b"1 | 11/12/2026 | 12:52 | Critical Interrupt | Bus Fatal Error\n",
        "gpu13.dmesg": XID,
        "trace.cu": b"int x;\n",
        "photo.jpg": b"\xff\xd8\0",
        "README.md": b"# x\n",
    }.items():
        (tmp_path / name).write_bytes(content)
    case = collect([str(tmp_path)])
    assert sorted(Path(f.path).name for f in case.files) == ["gpu13.dmesg", "train.log"]
    assert [Path(n.file).name for n in case.not_read] == ["node3.sel", "system.journal"]
    assert all(n.aside for n in case.not_read)


def test_a_listing_of_files_is_no_log(tmp_path: Path) -> None:
    listing = (
        "out:\ntotal 8.0K\ndrwxr-xr-x 2 root root 4.0K 2026-11-30 07:11:48 .\n"
        "-rw-r--r-- 1 root root  24M 2026-11-30 07:18:39 step40.pt\n\nout/logs:\n"
        "-rw-r--r-- 1 root root 694 2026-11-30 07:18:35 train.log\n"
    )
    (tmp_path / "files.txt").write_text(listing)
    assert kind_of(str(tmp_path / "files.txt")) is None
    (tmp_path / "train.txt").write_text(listing + "step 1 | loss 2.5\n")
    assert kind_of(str(tmp_path / "train.txt")) == "log"


def test_a_log_in_chinese_that_ends_early_is_no_report(tmp_path: Path) -> None:
    row = "轮次 1 步 {n}/7500 损失 0.8{n} 学习率 1.9e-03 梯度范数 0.2528 速度 10.39 步/秒\n"
    rows = "".join(row.format(n=n) for n in range(10, 60, 10))
    end = "== 验证：步 400 验证损失 0.8653 困惑度 2.38\n验证损失连续 3 次没有下降，提前停止（最好 0.8662）\n"
    (tmp_path / "train.log").write_text(rows + end + "训练完成，用时 38.4 秒\n")
    assert kind_of(str(tmp_path / "train.log")) == "log"
    asked = "loss 一直不下降，请问是什么原因？\n"
    (tmp_path / "question.log").write_text(rows + asked)
    assert kind_of(str(tmp_path / "question.log")) == "note"
