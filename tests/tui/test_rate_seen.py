"""The rate that the next run logs says whether it had the change, whatever file its script names."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from medic.tui import after

from medic.i18n import Lang, use

Talk = Callable[..., Any]
CONFIG = (
    "model:\n  hidden_size: 256\n  num_layers: 4\n  num_heads: 4\n  vocab_size: 512\ntraining:\n"
    "  micro_batch_size: 16\n  seq_len: 128\n  total_steps: 300\n  lr: 0.08\n  min_lr: 0.05\n"
    "  warmup_steps: 0\n  gradient_clip_val: 1.0\n  precision: bf16\n"
)
SCRIPT = "torchrun --nproc-per-node=1 train.py --config /not/here/run/config.yaml\n"


def written(day: int, peak: float, *, jumps: bool) -> str:
    """The log of a run of 300 steps."""
    rows = []
    for step in range(1, 301):
        rate = peak * (0.55 + 0.45 * math.cos(math.pi * (step - 1) / 300))
        loss = 27.9 if jumps and 3 <= step < 9 else 6.29 * math.exp(-step / 200) + 0.5
        norm = 30.0 if jumps and 2 <= step < 9 else 0.9 + 0.1 * math.sin(step)
        rows.append(
            f"2026-11-{day} 09:{step // 60:02}:{step % 60:02},000 [rank0] INFO train: step "
            f"{step}/300 | loss {loss:.4f} | lr {rate:.3e} | grad_norm {norm:.3f}\n"
        )
    return f"{''.join(rows)}2026-11-{day} 09:05:54,000 [rank0] INFO train: done\n"


@pytest.fixture
def changed(talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A talk in which the rate was lowered on advice."""
    monkeypatch.chdir(tmp_path)
    Path("run").mkdir()
    Path("run/config.yaml").write_text(CONFIG)
    Path("run/launch.sh").write_text(SCRIPT)
    Path("run/train.log").write_text(written(27, 0.08, jumps=True))
    one = talk("run")
    assert one.lead == "learning-rate-too-high"
    after.apply(one.talk, next(offer for offer in one.talk.offers() if offer.fix.diff))
    return one


def looked_at(one: Any, peak: float, *, jumps: bool) -> str:
    Path("run/train.log").write_text(written(28, peak, jumps=jumps))
    later = time.time() + 60
    os.utime("run/train.log", (later, later))
    return str(one.say("/look"))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_new_rate_in_the_log_is_proof(changed: Any, lang: Lang) -> None:
    use(lang)
    told = looked_at(changed, 0.006, jumps=False)
    assert {"en": "may not have had", "zh": "未必用到了"}[lang] not in told
    assert {"en": "Fixed, as far as the new log shows", "zh": "从新日志看已修复"}[lang] in told
    shown = {"en": "reaches 0.006, as c1 sets it", "zh": "最高为 0.006，与 c1 的设置一致"}
    assert f"{shown[lang]}" in told
    assert "run/train.log:1" in told


def test_the_old_rate_in_the_log_says_that_it_was_not_this_change(changed: Any) -> None:
    told = looked_at(changed, 0.08, jumps=False)
    assert "reaches 0.08, not 0.006 as c1 sets it: the run did not have the change" in told
    assert "Fixed, as far" not in told
    assert changed.talk.session.tried == []


def test_the_fault_with_the_old_rate_is_no_word_against_the_remedy(changed: Any) -> None:
    told = looked_at(changed, 0.08, jumps=True)
    assert "reaches 0.08, not 0.006 as c1 sets it" in told
    assert changed.talk.session.tried == []


def test_a_rate_between_the_two_proves_nothing(changed: Any) -> None:
    told = looked_at(changed, 0.004, jumps=False)
    assert "reaches" not in told
    assert "may not have had c1" in told
