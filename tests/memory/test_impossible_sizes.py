"""Sizes that no model or batch has are answered at once."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from medic.case.collect import Case
from medic.commands.given import case_of
from medic.errors import UsageError
from medic.index.knowledge import load
from medic.memory.batches import smaller_micro_batches
from medic.run_config import Origin, RunConfig, Value
from medic.sizing import size_run

SIZES = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 2048,
    "intermediate_size": 5632,
    "num_hidden_layers": 22,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "vocab_size": 32000,
}


def case(folder: Path, *given: str, **sizes: float) -> Case:
    path = folder / "config.json"
    path.write_text(json.dumps({**SIZES, **sizes}), encoding="utf-8")
    return case_of([str(path)], given)


@pytest.mark.parametrize(
    ("sizes", "word"),
    [
        ({"hidden_size": -2048}, "hidden_size is -2048"),
        ({"vocab_size": float("inf")}, "vocab_size is inf"),
        ({"num_hidden_layers": 0}, "num_hidden_layers is 0"),
        ({"num_hidden_layers": 99_999_999}, "no transformer is deeper"),
        ({"hidden_size": 7}, "hidden_size 7 is no multiple of num_heads 32"),
        ({"num_key_value_heads": 5}, "num_heads 32 is no multiple of num_kv_heads 5"),
        ({"hidden_size": 10**18}, "hidden_size is 1,000,000,000,000,000,000, beyond any run"),
        ({"intermediate_size": 10**15}, "ffn_size is .* beyond any run"),
    ],
)
def test_impossible_sizes_are_refused(tmp_path: Path, sizes: dict[str, float], word: str) -> None:
    with pytest.raises(UsageError, match=word):
        size_run(case(tmp_path, **sizes), load(), gpu="h100-80g")


def test_another_model_than_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two models"):
        size_run(case(tmp_path), load(), gpu="h100-80g", model="qwen3-8b")


def test_a_huge_micro_batch_has_few_smaller_ones() -> None:
    origin = Origin("given")
    config = RunConfig({"micro_batch_size": Value(999_999_999_999, origin)})
    begin = time.monotonic()
    assert len(list(smaller_micro_batches(config))) < 1000
    assert time.monotonic() - begin < 5
