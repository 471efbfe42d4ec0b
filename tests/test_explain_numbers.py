"""A code that no entry has is told as such, with the nearest that have one."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from medic.commands import explain, graph


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
def test_a_code_without_an_entry(words: str, code: str, near: str) -> None:
    told = CliRunner().invoke(explain.command, [words, "--lang", "en"], standalone_mode=False)
    assert told.return_value == 1
    assert code in told.output.splitlines()[0]
    assert near in told.output


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
def test_a_code_with_one(words: str, title: str) -> None:
    told = CliRunner().invoke(explain.command, [words, "--lang", "en"], standalone_mode=False)
    assert told.return_value == 0
    assert title in told.output


def test_the_graph_takes_a_code() -> None:
    told = CliRunner().invoke(graph.command, ["num-001"], standalone_mode=False)
    assert told.return_value == 0
    assert told.output.startswith("learning-rate-too-high")
