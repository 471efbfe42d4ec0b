"""A code that no entry has is told as such, with the nearest that have one."""

from __future__ import annotations

import pytest

from medic.commands import main


@pytest.mark.parametrize(
    ("words", "code", "near"),
    [
        ("xid 999", "XID 999", "XID 172"),
        ("NVRM: Xid (PCI:0000:3b:00): 999, pid=12", "XID 999", "XID 172"),
        ("exit code 142", "exit code 142", "signal 14"),
        ("exit code 300", "exit code 300", "exit code 143"),
        ("退出码 300", "exit code 300", "exit code 143"),
        ("signal 40", "signal 40", "signal 15"),
        ("errno 999", "Errno 999", "Errno 122"),
        ("CUDA error 9999", "CUDA error 9999", "CUDA error 999"),
        ("NCCL error 99", "NCCL error 99", "NCCL error 7"),
        ("ncclSystmError", "ncclSystmError", "ncclSystemError"),
    ],
)
def test_a_code_without_an_entry(
    words: str, code: str, near: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", words, "--lang", "en"]) == 1
    told = "".join(capsys.readouterr())
    assert code in told
    assert near in told


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("Xid 79", "GPU has fallen off the bus"),
        ("XID 124", "InfoROM"),
        ("exit code 137", "SIGKILL"),
        ("CUDA error 700", "wrong address"),
        ("NCCL error 3", "internal check"),
    ],
)
def test_a_code_with_one(words: str, title: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", words, "--lang", "en"]) == 0
    assert title in capsys.readouterr().out


def test_the_graph_takes_a_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", "num-001"]) == 0
    assert capsys.readouterr().out.startswith("learning-rate-too-high")
