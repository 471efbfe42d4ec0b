"""What the answer says beside its numbers: words of the verdict, diffs that can be applied, inverse questions."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.facts import MemoryEstimate
from medic.memory.resident import states_of
from medic.memory.verdict import verdict_of
from medic.memory.views import read_setups
from medic.report.memory_line import verdict
from medic.run_config import Origin, RunConfig, Setting, Value

Run = Callable[..., tuple[int, str, str]]
GIB = 2**30
SWIFT = (
    "NPROC_PER_NODE=4 swift sft --model Qwen/Qwen3-8B --train_type full --torch_dtype bfloat16 "
    "--per_device_train_batch_size 1 --gradient_accumulation_steps 4 --max_length 32768 "
    "--attn_impl flash_attn --deepspeed zero3 --use_liger_kernel true --dataset x\n"
)
OLMO = """run_name: x
model: {d_model: 4096, n_heads: 32, n_layers: 32, mlp_hidden_size: 22016, vocab_size: 100278,
  embedding_size: 100352, max_sequence_length: 4096, weight_tying: false}
optimizer: {name: adamw, learning_rate: 3.0e-4}
device_train_microbatch_size: 2
precision: amp_bf16
activation_checkpointing: null
"""


def found(estimate: float, high: float) -> MemoryEstimate:
    low = int(estimate * 0.8 * GIB)
    return MemoryEstimate(low=low, estimate=int(estimate * GIB), high=int(high * GIB))


@pytest.mark.parametrize(
    ("estimate", "high", "word"),
    [
        (20, 90, "probably-fits"),
        (60, 79, "probably-fits"),
        (72, 75, "fits"),
        (74, 79, "tight"),
        (79, 90, "tight"),
        (81, 90, "probably-not"),
    ],
)
def test_the_word_follows_from_the_range(estimate: float, high: float, word: str) -> None:
    assert verdict_of(found(estimate, high), 80 * GIB) == word


def test_a_wide_range_is_named_and_not_called_tight() -> None:
    said = verdict(found(20, 90), 80 * GIB)
    assert "60.0 GiB left by the estimate, 10.0 GiB too much by the high end" in said.en
    assert "tight" not in said.en
    assert "偏紧" not in said.zh


@pytest.mark.parametrize(
    ("name", "text", "words", "written"),
    [
        ("run.sh", SWIFT, ("--gpu", "a40"), "--sequence_parallel_size"),
        ("olmo.yaml", OLMO, ("--gpu", "8xa100-40g"), "activation_checkpointing: whole_layer"),
    ],
)
def test_the_diff_applied_comes_to_what_it_says(
    tmp_path: Path, run: Run, name: str, text: str, words: tuple[str, ...], written: str
) -> None:
    (tmp_path / name).write_text(text)
    before: dict[str, Any] = json.loads(run(str(tmp_path / name), *words, "--json")[1])
    assert before["plan"]
    patch = ["patch", "-p0", "-s", str(tmp_path / name)]
    subprocess.run(patch, input=before["diff"], text=True, check=True, cwd=tmp_path)
    assert written in (tmp_path / name).read_text()
    code, out, _ = run(str(tmp_path / name), *words, "--json")
    assert code == 0
    assert json.loads(out)["device"]["estimate"] == before["plan"][-1]["device"]


def test_no_precision_is_written_that_deepspeed_denies(tmp_path: Path, run: Run) -> None:
    """transformers refuses a DeepSpeed config that says otherwise than its own arguments."""
    command = (
        "torchrun --nproc_per_node 8 run_clm.py --model_name_or_path meta-llama/Llama-2-7b-hf "
        "--per_device_train_batch_size 2 --block_size 4096 --output_dir o --deepspeed ds.json\n"
    )
    for off, has in (('"bf16": {"enabled": false}', False), ('"bf16": {"enabled": "auto"}', True)):
        (tmp_path / "run.sh").write_text(command)
        (tmp_path / "ds.json").write_text('{"zero_optimization": {"stage": 1}, ' + off + "}")
        files = [str(tmp_path / name) for name in ("run.sh", "ds.json")]
        answer = json.loads(run(*files, "--gpu", "h100-80g", "--json")[1])
        fields = [c["field"] for one in answer["plan"] for c in one["change"]]
        assert "precision" in fields
        assert ("--bf16" in answer["diff"]) is has


def test_of_two_questions_each_names_the_other(tmp_path: Path, run: Run) -> None:
    words = ("--model", "llama-3-8b", "--gpu", "h100-80g", "--max-micro-batch", "--max-seq")
    out = run(*words, world_size=1, precision="bf16")[1]
    assert "micro_batch_size on h100-80g: cannot be told without sequence_length" in out


def adapters(world: int) -> RunConfig:
    sizes = {
        "hidden_size": 8192,
        "num_layers": 80,
        "num_heads": 64,
        "num_kv_heads": 8,
        "ffn_size": 28672,
    }
    batch = {
        "vocab_size": 128256,
        "micro_batch_size": 1,
        "sequence_length": 4096,
        "world_size": world,
    }
    kind = {"precision": "bf16", "parameter_dtype": "bf16", "lora_rank": 64, "fsdp": True}
    fields: dict[str, Any] = {**sizes, **batch, **kind}
    values = {n: Value(v, Origin("given")) for n, v in fields.items()}
    stated = (Setting(("lora_target_modules",), "all-linear", Origin("given")),)
    return RunConfig(values, framework="hf-trainer", settings=stated)


def test_adapters_are_sharded_as_all_else_is() -> None:
    whole, spread = (states_of(read_setups(adapters(world)).setups[1]) for world in (1, 8))
    assert spread.optimizer == pytest.approx(whole.optimizer / 8, rel=1e-6)
    assert spread.gradients == pytest.approx(whole.gradients / 8, rel=1e-6)


@pytest.mark.parametrize(("beta", "there"), [(0.04, True), (0.0, False), (None, False)])
def test_grpo_holds_a_reference_where_its_divergence_weighs(
    beta: float | None, there: bool
) -> None:
    from medic.memory.preferences import has_reference

    known = {"stage": "grpo", "beta": beta}
    stated = tuple(Setting((k,), v, Origin("given")) for k, v in known.items() if v is not None)
    assert has_reference(RunConfig({}, framework="trl", settings=stated)) is there
