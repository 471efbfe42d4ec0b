"""What was computed is not computed again."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from medic.commands import main
from medic.memory import begun, traces
from medic.memory.peak import Step
from medic.memory.views import Read

estimates = importlib.import_module("medic.memory.estimate")
MODEL = """{"model_type": "qwen2", "hidden_size": 1536, "num_hidden_layers": 28,
"num_attention_heads": 12, "num_key_value_heads": 2, "intermediate_size": 8960,
"vocab_size": 151936, "tie_word_embeddings": true, "max_position_embeddings": 32768}"""
CONFIG = """model_name_or_path: ./model
output_dir: out
per_device_train_batch_size: 8
gradient_accumulation_steps: 2
gradient_checkpointing: false
learning_rate: 2.0e-5
bf16: true
max_steps: 3
max_length: 4096
packing: true
torch_compile: false
"""
LOG = (
    'Traceback (most recent call last):\n  File "train.py", line 31, in <module>\n'
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 18.55 GiB. GPU 0 has a total "
    "capacity of 139.80 GiB of which 225.12 MiB is free. Including non-PyTorch memory, this process "
    "has 139.57 GiB memory in use. Of the allocated memory 138.69 GiB is allocated by PyTorch, and "
    "218.43 MiB is reserved by PyTorch but unallocated.\n"
)


def test_a_failure_is_estimated_and_traced_once(
    tmp_path: Path,
    state: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model/config.json").write_text(MODEL, "utf-8")
    (tmp_path / "train.yaml").write_text(CONFIG, "utf-8")
    (tmp_path / "train.log").write_text(LOG, "utf-8")
    made: Counter[object] = Counter()
    traced: Counter[tuple[Step, int]] = Counter()
    make, run = estimates._made, begun.ran

    def counted(read: Read, capacity: int | None) -> object:
        made[read.setups, tuple(read.assumed.items()), capacity] += 1
        return make(read, capacity)

    def counted_run(step: Step, limit: int = 0) -> begun.Ran:
        traced[step, limit] += 1
        return run(step, limit)

    monkeypatch.setattr(estimates, "_made", counted)
    monkeypatch.setattr(begun, "ran", counted_run)
    monkeypatch.setattr(estimates, "_LAST", [])
    traces.reserved_share.cache_clear()
    traces._unlimited.cache_clear()
    assert main(["diagnose", str(tmp_path)]) == 1
    assert "fused_loss=true" in capsys.readouterr().out
    assert len(made) > 3
    assert len(traced) > 2
    assert set(made.values()) == set(traced.values()) == {1}


AXOLOTL = """base_model: meta-llama/Meta-Llama-3-8B
sequence_len: 8192
micro_batch_size: 1
gradient_accumulation_steps: 8
bf16: true
gradient_checkpointing: true
"""


def test_a_diff_that_is_only_shown_loads_nothing_that_writes_one(tmp_path: Path) -> None:
    (tmp_path / "axolotl.yml").write_text(AXOLOTL, "utf-8")
    words = ["memory", "axolotl.yml", "--model", "llama-3-8b", "--gpu", "64GiB"]
    code = (
        f"import sys; from medic.commands import main; main({words!r}); "
        "print(*(n for n in ('medic.edits.writing', 'medic.edits.repairs', "
        "'medic.edits.flags') if n in sys.modules))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert "+optimizer: adamw_8bit" in out
    assert not out.splitlines()[-1]
