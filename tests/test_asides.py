"""Texts that lie beside the logs of a run: a run book, a README, a diary, and a complaint."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.match.asides import hint, is_complaint
from medic.planner.verdict import CLEAN
from medic.session.consultation import Session

INDEX = load()
STEPS = "".join(
    f"2026-05-02 10:{n // 60:02d}:{n % 60:02d} INFO step {n * 10}/2000 | loss {2.2 + 40 / (n + 10):.4f} | "
    f"grad_norm 0.5\n"
    for n in range(201)
)
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.91 GiB.\n"
ASIDE = [
    "If you see `CUDA out of memory` lower the micro batch.",
    "# Run book\nNCCL watchdog timeout: check ibstat.",
    "## Troubleshooting\nThe loss is NaN: go back one checkpoint.",
    "In the first try the loss was NaN because of a wrong rotary base; fixed.",
    "The run before this one was killed by the OOM killer. Fixed with fewer workers.",
    "之前一次因为显存不足 OOM 挂过，已把 micro batch 改成 1；",
    "如果出现 NCCL 超时，就检查 ibstat。",
    "上次还有一次 NCCL timeout，是别人杀了进程，与本次无关。",
    "## 常见问题\n显存不足：减小批次",
]


def verdict(folder: Path) -> tuple[str, str]:
    """Verdict and the cause named first, "" for none."""
    session = Session(INDEX, collect([str(folder)], index=INDEX))
    session.look()
    found = session.diagnosis()
    return found.verdict, found.causes[0].name if found.causes else ""


@pytest.mark.parametrize("note", ASIDE)
def test_what_is_not_of_this_run_is_no_hint(note: str) -> None:
    assert all(not line or line.startswith("#") for line in hint(note).strip().split("\n"))


@pytest.mark.parametrize(
    "note",
    [
        "Pretraining of an 8B model.",
        "We use 2 nodes with InfiniBand.",
        "The loss is NaN again since the last run.",
        "用 2 台机器训练。",
    ],
)
def test_what_may_be_of_this_run_stays(note: str) -> None:
    assert hint(note) == note


@pytest.mark.parametrize("name", ["README.md", "notes.txt", "说明.txt"])
@pytest.mark.parametrize("note", [*ASIDE, "CUDA out of memory at step 40. The loss is NaN."])
def test_a_text_beside_a_sound_run_alarms_of_nothing(tmp_path: Path, name: str, note: str) -> None:
    (tmp_path / "train.log").write_text(STEPS)
    (tmp_path / name).write_text(note + "\n")
    assert verdict(tmp_path)[0] in CLEAN


def test_a_run_book_takes_no_lead_from_the_log(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(STEPS + OOM)
    alone = verdict(tmp_path)
    (tmp_path / "README.md").write_text(
        "# Run book\nIf NCCL watchdog timeout: check ibstat. The loss is NaN at times.\n"
    )
    assert verdict(tmp_path) == alone


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("report.txt", "The training hangs after step 2000."),
        ("问题.txt", "训练卡住不动了。"),
        ("notes.txt", "The training now hangs at step 2000, why?"),
        ("notes.md", "这次训练又卡住了，求助。"),
    ],
)
def test_a_complaint_of_this_run_keeps_its_weight(tmp_path: Path, name: str, note: str) -> None:
    assert is_complaint(name, note)
    (tmp_path / "train.log").write_text(STEPS[:9000])
    (tmp_path / name).write_text(note + "\n")
    assert verdict(tmp_path)[0] not in CLEAN


def test_a_readme_alone_is_what_is_told(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("The training hangs after step 2000. I use 2 nodes.\n")
    assert "hangs" in collect([str(tmp_path)]).text


def test_a_hint_that_fits_what_the_log_shows_ranks_its_causes(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(STEPS + OOM)
    (tmp_path / "notes.txt").write_text(
        "Model has 70B parameters. We use long sequences of 128k.\n"
    )
    case = collect([str(tmp_path)], index=INDEX)
    assert "128k" in case.hints
    assert case.text == ""
