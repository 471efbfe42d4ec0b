"""What ``medic probe`` tells of a fact is in the language in use, and so are its values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from medic.probes.process.judge import judge, told

from medic import i18n
from medic.bundle import Made
from medic.facts import (
    CheckpointIndex,
    Checkpoints,
    FlightRecords,
    Gpu,
    GpuState,
    Host,
    HostReport,
    HostReports,
    LogHits,
    Mount,
    RankRecord,
    RankStack,
    RecordedCall,
    Source,
    Spot,
    Stacks,
)
from medic.report import bundle_text
from medic.report.console import Console
from medic.report.facts_text import lines


@pytest.fixture
def chinese() -> Iterator[None]:
    before = i18n.current()
    i18n.use("zh")
    yield
    i18n.use(before)


CALL = RecordedCall("0", 5, "all_reduce", "started", True, call_site="a.py:1")
FACTS = [
    (
        Checkpoints((CheckpointIndex("a", "torch", {}, ranks=2),)),
        "a：torch，0 个张量，由 2 个 rank",
    ),
    (Checkpoints(not_read=(("b", i18n.Text("older", "更旧")),)), "b：更旧"),
    (FlightRecords((RankRecord(3, "f", (CALL,)),)), "rank 3：1 次调用，1 次未完成"),
    (FlightRecords((RankRecord(3, "f", (CALL,)),)), "all_reduce，位于 a.py:1，已开始"),
    (HostReports((HostReport("h", (Mount("/", 9, 0, Source(), True),)),)), "共 9 个 inode，剩余 0"),
    (Host("node7", 64, 512 << 30), "主机名：node7"),
    (Host("node7", 64, 512 << 30), "CPU 核数：64"),
    (Host("node7", 64, 512 << 30), "内存：512.0 GiB"),
    (GpuState((Gpu(0, "H100", 8, 4),), "this-host", "550", "12.4"), "驱动 550，CUDA 12.4，本机"),
    (LogHits(ended="badly", last_step=7), "结束方式：异常；最后一步：7；rank：-"),
]


@pytest.mark.parametrize(("fact", "words"), FACTS)
@pytest.mark.usefixtures("chinese")
def test_facts(fact: Any, words: str) -> None:
    assert words in "\n".join(lines(fact))


def test_who_waits_where_is_told_in_both_languages() -> None:
    spot = Spot("collective", "all_reduce", "saving", "train.py:57")
    waits = RankStack(1, 0, "python", (spot,), (), Source())
    found = told(judge(Stacks((waits,), missing=(1,))))
    assert "local rank 1: no process; rank 0: collective all_reduce at train.py:57" in found.en
    assert (
        "local rank 1：进程不存在；rank 0：集合通信 all_reduce，位于 train.py:57（保存）"
        in found.zh
    )


@pytest.mark.usefixtures("chinese")
def test_why_a_file_is_not_in_a_bundle(capsys: pytest.CaptureFixture[str]) -> None:
    row = {"name": "m.pt", "bytes": 3, "why": i18n.Text("not text", "不是文本")}
    made = Made("b.tar.gz", left_out=[row])
    bundle_text.full(Console(), made)
    assert "m.pt  3 B：不是文本" in capsys.readouterr().out
    assert bundle_text.json_data(made)["left_out"][0]["why"] == "not text"


def test_a_host_is_told_with_units_and_without_what_is_unknown() -> None:
    with_gpus = lines(Host("node7", 64, 512 << 30, 8))
    assert with_gpus == ["name: node7", "CPU cores: 64", "memory: 512.0 GiB", "GPUs: 8"]
    assert lines(Host("node7", 64, 0)) == ["name: node7", "CPU cores: 64"]
