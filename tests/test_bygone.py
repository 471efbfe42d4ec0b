"""Notes beside a run that tell of old or solved trouble."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.match.bygone import without_bygone


@pytest.mark.parametrize(
    "note",
    [
        "old trouble (solved in April): NCCL timeout after 600 s, was a cable.",
        "[SOLVED] CUDA out of memory at micro batch 8",
        "Fixed 2026-03-02: loss is nan after step 400",
        "Last month's crash: NCCL timeout on node 3, turned out to be a bad switch port.",
        "历史问题（已解决）：NCCL 超时 600 秒，是网线的问题。",
        "上周的故障：第 3 台机器 NCCL 超时，换了网线。",
        "已修复：loss 在 400 步变成 nan",
        "Old problems:\n- NCCL timeout after 600 s\n- CUDA out of memory",
        "# 以前的问题\n- NCCL 超时\n- 显存不足",
        "- Nov 10: `CUDA out of memory` at step 3. Fixed: batch 8 -> 2, accumulation 4. RESOLVED.",
        "- Nov 11: NCCL timeout from bad cable on n7, node drained, resolved.",
        "2026-03-02: loss nan after step 400. Lowered lr to 1e-4. Fixed.",
        "- 11月10日：第 3 步显存不足。批次 8 改为 2。已解决。",
        "3月2日 NCCL 超时，重启节点，已恢复",
    ],
)
def test_what_is_over_is_left_out(note: str) -> None:
    assert without_bygone(note).strip() == ""


@pytest.mark.parametrize(
    "note",
    [
        "NCCL timeout after 600 s",
        "The old trouble is back again: NCCL timeout after 600 s.",
        "old problem (not solved): NCCL timeout after 600 s",
        "The earlier run was fine, this run ends with an NCCL timeout.",
        "How was the NCCL timeout solved?",
        "之前的问题（未解决）：NCCL 超时",
        "老问题又出现了：NCCL 超时 600 秒",
        "Known issues: none\nCUDA out of memory at step 40",
        "problem:\n- NCCL timeout after 600 s",
        "- Nov 10: CUDA out of memory at step 3. Batch 8 -> 2.",
        "- Nov 10: CUDA out of memory at step 3, still not resolved.",
        "- Nov 11: NCCL timeout again, resolved?",
        "The loss is nan at step 40, and the cable is fixed.",
        "- 11月10日：第 3 步显存不足，未解决",
        "Loss is nan with lr 1e-4, fixed.",
        "- Nov 10: CUDA out of memory, connection closed.",
    ],
)
def test_what_may_be_of_now_stays(note: str) -> None:
    assert without_bygone(note) == note


def test_a_cure_at_the_end_of_a_day_hides_its_own_sentence_alone() -> None:
    kept = without_bygone("- Nov 10: loss is nan from step 40. The NCCL hang on n7, resolved.")
    assert kept == "- Nov 10: loss is nan from step 40."


def test_a_cure_does_not_hide_the_sentence_behind_it() -> None:
    kept = without_bygone("[solved] CUDA out of memory. Loss is nan since step 40.")
    assert kept == "Loss is nan since step 40."


LOG = "".join(f"step {n} | loss {3 - n / 100:.2f} | lr 1e-4\n" for n in range(1, 30))


def test_only_notes_beside_a_run_are_of_another_time(tmp_path: Path) -> None:
    note = tmp_path / "report.txt"
    note.write_text(
        "old trouble (solved in April): NCCL timeout after 600 s, was a cable.\nI try 2 nodes.\n"
    )
    assert "NCCL timeout" in collect([str(tmp_path)]).text
    (tmp_path / "train.log").write_text(LOG)
    text = collect([str(tmp_path)]).text
    assert "NCCL timeout" not in text
    assert "I try 2 nodes" in text
