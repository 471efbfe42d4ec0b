"""What medic printed is no evidence when it is read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.evaluate import NAMED
from medic.index.knowledge import load
from medic.match.own_output import OwnOutput, without_own
from medic.report.words import VERDICT
from medic.session.consultation import Session

EN = """Established: A link between nodes or GPUs is broken (network-link-broken, DST-006)
  A flapping cable, a dead switch port.

Evidence
  ! CUDA out of memory (confirms it)
      train.log:59
      | torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB

What to do
  1 Unset CUDA_DEVICE_MAX_CONNECTIONS (unset-device-max-connections, safe)
    $ unset CUDA_DEVICE_MAX_CONNECTIONS

Files read: 1
  Not read: a.bin: no checkpoint format
"""
ZH = """很可能，但未确诊：微批次太大，单卡显存放不下（micro-batch-too-large，MEM-001）
  激活随微批次增长。

证据
  ! CUDA out of memory（可确认）

怎么办
  1 设置 CUDA_DEVICE_MAX_CONNECTIONS（set-device-max-connections，安全）

已读取文件：1
"""
EXPLAINED = """显存不足（CUDA out of memory）  cuda-out-of-memory

原因（按常见程度排序）
  1. 微批次太大，单卡显存放不下 (micro-batch-too-large, MEM-001; 常见)
"""
LINTED = """a.sh:2:14: conflicting-values (CFG-003, error) [unsafe fix]
  |
1 | torchrun train.py --bf16
  |                   ^^^^^^ CUDA out of memory
  |
  = then: torch.OutOfMemoryError: CUDA out of memory.

findings: 1; files read: 1; checks passed: 3, not checked: 4 (--missing lists them)
"""
LOG = "step 1 loss 2.5\nstep 2 loss 2.4\n"
FAULT = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"


@pytest.mark.parametrize("text", [EN, ZH, EXPLAINED, LINTED])
def test_only_the_own_lines_go(text: str) -> None:
    assert without_own(text).strip() == ""
    around = without_own(f"{LOG}{text}{LOG}")
    assert around == LOG + "\n" * text.count("\n") + LOG


@pytest.mark.parametrize("verdict", VERDICT)
def test_every_verdict_begins_a_report(verdict: str) -> None:
    said = VERDICT[verdict]
    for words, colon in ((said.en, ": "), (said.zh, "：")):
        leader = f"{colon}A cause (a-cause, ABC-001)" if verdict in NAMED else ""
        assert without_own(f"{words}{leader}\n  {FAULT}").strip() == ""


def test_a_report_goes_on_in_the_next_block() -> None:
    own = OwnOutput()
    first, second = EN[:300].rpartition("\n")[0] + "\n", EN[len(EN[:300].rpartition("\n")[0]) + 1 :]
    assert own.without(first.encode()).strip() == b""
    assert own.without((second + FAULT).encode()).strip().decode() == FAULT.strip()


@pytest.mark.parametrize(
    "text",
    [
        "运行正常\n但是 loss 不降\n",
        "Healthy\nstep 3 loss nan\n",
        "Established: connection to 10.0.0.1 (rank 3)\n  retry\n",
        "Evidence\n  of what?\n",
        "ERROR: unreachable-host (E-12, error)\n",
    ],
)
def test_words_that_others_write_stay(text: str) -> None:
    assert without_own(text) == text


def verdict(path: Path) -> str:
    index = load()
    session = Session(index, collect([str(path)], this_host=False, index=index))
    session.look()
    return session.diagnosis().verdict


@pytest.mark.parametrize("text", [EN, ZH])
@pytest.mark.parametrize("name", ["own.txt", "own.log"])
def test_read_back_it_establishes_nothing(tmp_path: Path, text: str, name: str) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    assert verdict(path) in ("healthy", "no-fault-seen")
    path.write_text(text + LOG + FAULT, "utf-8")
    assert verdict(path) not in ("healthy", "no-fault-seen")
