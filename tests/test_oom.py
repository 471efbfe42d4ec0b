"""An out-of-memory message beside the estimate: failures of an H200 and an H100, mended for real.

The messages, the configs and the peaks after the change (bytes that torch reserved) are those of
the runs; ``medic diagnose`` proposed the change on that machine.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from medic.case.collect import Case, collect
from medic.commands import main
from medic.facts import GpuMemory
from medic.facts.memory import fitting, others_of, room_of, wanted_of
from medic.fixes import propose
from medic.index.knowledge import load
from medic.oom import Account, of_run, of_words
from medic.runner.registry import all_probes
from medic.runner.run import observe, with_needs

GIB = 2**30
MESSAGE = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {request} GiB. GPU 0 has a total "
    "capacity of {total} GiB of which {free} is free. Including non-PyTorch memory, this process has "
    "{process} GiB memory in use. Of the allocated memory {allocated} GiB is allocated by PyTorch, "
    "and {loose} is reserved by PyTorch but unallocated."
)


def message(**numbers: Any) -> str:
    return MESSAGE.format(**{"total": "139.80", **numbers})


QWEN = {
    "model_type": "qwen2",
    "hidden_size": 1536,
    "num_hidden_layers": 28,
    "num_attention_heads": 12,
    "num_key_value_heads": 2,
    "intermediate_size": 8960,
    "vocab_size": 151936,
    "tie_word_embeddings": True,
    "max_position_embeddings": 32768,
    "torch_dtype": "float32",
}
QWEN3 = {
    "model_type": "qwen3",
    "hidden_size": 2048,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "intermediate_size": 6144,
    "vocab_size": 151936,
    "tie_word_embeddings": True,
    "max_position_embeddings": 40960,
    "torch_dtype": "float32",
}
LLAMA = {
    "model_type": "llama",
    "hidden_size": 3072,
    "num_hidden_layers": 28,
    "num_attention_heads": 24,
    "num_key_value_heads": 8,
    "intermediate_size": 8192,
    "vocab_size": 128256,
    "tie_word_embeddings": True,
    "max_position_embeddings": 131072,
    "torch_dtype": "float32",
}
CONFIG = """\
model_name_or_path: ./model
output_dir: out
per_device_train_batch_size: {micro}
gradient_accumulation_steps: 2
gradient_checkpointing: false
learning_rate: 2.0e-5
bf16: true
optim: adamw_torch_fused
max_steps: 3
use_liger_kernel: {liger}
max_length: {length}
attn_implementation: {attention}
packing: true
torch_compile: false
"""
TRACE = 'Traceback (most recent call last):\n  File "train.py", line 31, in <module>\n'
RUNS: list[dict[str, Any]] = [
    {
        "model": QWEN,
        "config": {"micro": 8, "length": 4096, "attention": "sdpa", "liger": "false"},
        "message": {"request": 18.55, "free": "225.12 MiB", "process": 139.57,
                    "allocated": 138.69, "loose": "218.43 MiB"},
        "change": {"micro_batch_size": 4, "gradient_accumulation_steps": 4},
        "reserved": 119_258_742_784,
        "line": "+use_liger_kernel: true",  # it takes less, and leaves the micro batch
    },
    {
        "model": LLAMA,
        "config": {"micro": 4, "length": 2048, "attention": "eager", "liger": "false"},
        "message": {"request": 3.91, "free": "1.90 GiB", "process": 137.89,
                    "allocated": 135.50, "loose": "1.67 GiB"},
        "change": {"attention": "sdpa"},
        "reserved": 113_787_273_216,
        "line": "+attn_implementation: sdpa",
    },
    {
        "model": QWEN3,
        "config": {"micro": 4, "length": 4096, "attention": "sdpa", "liger": "false"},
        "message": {"request": 9.27, "free": "6.70 GiB", "process": 72.47, "total": 79.18,
                    "allocated": 71.67, "loose": "129.44 MiB"},
        "change": {"micro_batch_size": 2, "gradient_accumulation_steps": 4},
        "reserved": 78_548_828_160,
        "line": "+per_device_train_batch_size: 2",
    },
]  # fmt: skip


def case(run: dict[str, Any], folder: Path) -> Case:
    (folder / "model").mkdir()
    (folder / "model/config.json").write_text(json.dumps(run["model"]), "utf-8")
    (folder / "train.yaml").write_text(CONFIG.format(**run["config"]), "utf-8")
    text = TRACE + message(**run["message"]) + "\n"
    (folder / "train.log").write_text(text, "utf-8")
    return collect([str(folder)])


def account(run: dict[str, Any], folder: Path) -> Account:
    index = load()
    probes = with_needs(["memory-estimate", "oom-numbers"], all_probes())
    wanted_ones = [probe for probe in probes if probe.reads == "artefacts"]
    found = of_run(observe(case(run, folder), index, wanted_ones), index)
    assert found is not None
    return found


@pytest.mark.parametrize("run", RUNS, ids=["loss", "attention", "micro batch"])
def test_changes_that_fit_are_what_was_measured_to_fit(run: dict[str, Any], tmp_path: Path) -> None:
    found = account(run, tmp_path)
    advice = found.advice
    assert advice is not None
    remedy = next(
        one for one in advice.alone if {c.field: c.new for c in one.changes} == run["change"]
    )
    assert remedy.reserved == pytest.approx(run["reserved"], rel=0.1)
    assert remedy.peak <= found.numbers["total"]
    assert run["line"] in found.diff
    assert advice.plan[-1].peak <= fitting(found.numbers["total"])
    assert any("too big" in line.en for line in found.says)


WORDS = message(request=20, free="60 GiB", process=40, allocated=30, loose="9.5 GiB")


def test_a_message_alone_tells_others_and_what_was_wanted() -> None:
    found = of_words(WORDS, load())
    assert found is not None
    assert others_of(found.numbers) == pytest.approx(39.8 * GIB, rel=0.01)
    assert wanted_of(found.numbers) == pytest.approx(50.5 * GIB, rel=0.01)
    assert any("other processes hold 39.8 GiB" in line.en for line in found.says)
    assert all(line.zh for line in found.says)


def test_what_other_processes_hold_is_no_room_for_the_run(tmp_path: Path) -> None:
    """Half of the card is another's: the micro batch that is proposed fits what is left."""
    numbers = {"total": 79.18, "free": "1.18 GiB", "process": 48.0, "allocated": 46.0}
    run = {**RUNS[2], "message": {**RUNS[2]["message"], **numbers}}
    index = load()
    probes = [p for p in with_needs(["memory-estimate"], all_probes()) if p.reads == "artefacts"]
    evidence = observe(case(run, tmp_path), index, probes)
    card = evidence.fact(GpuMemory)
    assert card is not None
    assert card.total == pytest.approx(79.18 * GIB, rel=0.001)
    assert card.usable == pytest.approx(49.18 * GIB, rel=0.001)
    remedy = index.remedies["halve-micro-batch-keep-global-batch"]
    changes = {c.field: c.new for c in propose(remedy, evidence.facts, index).changes}
    found = of_run(evidence, index)
    assert found is not None
    assert found.advice is not None
    [named] = [r for r in found.advice.alone if r.name == remedy.name]
    assert changes == {c.field: c.new for c in named.changes}


def test_fragmentation_is_told() -> None:
    loose = message(request=2, free="1 GiB", process=138, allocated=110, loose="27 GiB")
    found = of_words(loose, load())
    assert found is not None
    assert any("fragmentation" in line.en for line in found.says)


def test_other_words_have_no_account() -> None:
    assert of_words("the loss is nan and memory is fine", load()) is None


def test_explain_shows_the_numbers(capsys: pytest.CaptureFixture[str], state: Path) -> None:
    assert state
    main(["explain", "--lang", "en", WORDS])
    assert "other processes 39.8 GiB" in " ".join(capsys.readouterr().out.split())


BARE = """
import contextlib, io, sys
from medic.commands import main
with contextlib.redirect_stdout(io.StringIO()) as out:
    main(["diagnose", sys.argv[1], "--lang", "en"])
assert "The memory in numbers" in out.getvalue(), out.getvalue()
print([name for name in sys.modules if name.startswith(("medic.memory", "medic.sizing"))])
"""


def test_a_log_without_a_config_loads_no_estimate(tmp_path: Path, state: Path) -> None:
    assert state
    log = tmp_path / "train.log"
    log.write_text(TRACE + WORDS + "\n", "utf-8")
    command = [sys.executable, "-c", BARE, str(log)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


CONTAINER = (
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. GPU 0 has a total "
    "capacity of 79.10 GiB of which 312.00 MiB is free. Process 12345 has 60.20 GiB memory in use. "
    "Process 3456 has 18.50 GiB memory in use. Of the allocated memory 17.00 GiB is allocated by "
    "PyTorch, and 800.00 MiB is reserved by PyTorch but unallocated."
)
TORCH_1 = (
    "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 79.20 GiB total capacity; "
    "{allocated} GiB already allocated; 1.05 GiB free; {reserved} GiB reserved in total by PyTorch)"
)


@pytest.mark.parametrize(
    ("words", "others"),
    [
        (CONTAINER, 61.0),
        (TORCH_1.format(allocated="30.10", reserved="32.00"), 46.2),
        (TORCH_1.format(allocated="74.10", reserved="76.00"), None),
    ],
)
def test_others_are_told_where_the_message_does_not_say_which_process_is_its_own(
    words: str, others: float | None
) -> None:
    account = of_words(words, load())
    assert account is not None
    held = others_of(account.numbers)
    told = [str(line) for line in account.says]
    if others is None:
        assert held is None
        assert not any("other processes" in line for line in told)
    else:
        assert held == pytest.approx(others * GIB, rel=0.01)
        assert f"other processes hold about {others} GiB of this GPU" in told


@pytest.mark.parametrize(
    ("free", "told", "not_told"),
    [
        ("0.50 GiB", ["too big by", "without other processes it would fit"], "which this process"),
        ("32.00 GiB", ["that fits the 52.0 GiB which this process could have"], "too big"),
    ],
)
def test_a_step_that_fits_what_others_leave_or_the_empty_card_is_told_so(
    tmp_path: Path, free: str, told: list[str], not_told: str
) -> None:
    run = {
        "model": QWEN,
        "config": {"micro": 1, "length": 2048, "attention": "sdpa", "liger": "true"},
        "message": {"request": 2, "free": free, "process": 20, "total": 79.18,
                    "allocated": 18, "loose": "512.00 MiB"},
    }  # fmt: skip
    says = " | ".join(line.en for line in account(run, tmp_path).says)
    assert all(words in says for words in told), says
    assert not_told not in says


def test_a_run_that_failed_within_the_range_gets_changes_that_make_up_for_what_it_wanted_more(
    tmp_path: Path,
) -> None:
    """By the estimate alone it would fit, and nothing would be advised."""
    said = {"request": 9.27, "free": "6.70 GiB", "process": 72.47, "allocated": 71.67,
            "total": 79.18, "loose": "129.44 MiB"}  # fmt: skip
    run = {"model": QWEN3, "message": said,
           "config": {"micro": 2, "length": 4096, "attention": "sdpa", "liger": "false"}}  # fmt: skip
    found = account(run, tmp_path)
    assert found.found is not None
    likely, need = found.found.estimate or 0, wanted_of(found.numbers) or 0
    assert likely <= fitting(room_of(found.numbers)) < need <= (found.found.high or 0)
    assert found.room == room_of(found.numbers) * likely // need
    assert found.advice is not None
    assert found.advice.fits
    assert found.advice.plan[-1].peak <= fitting(found.room)
    assert any("held to fit" in line.en for line in found.says)
