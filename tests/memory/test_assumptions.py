"""What is assumed is told with its effect; what contradicts, and what cannot fit, is told plainly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., tuple[int, str, str]]
Sized = Callable[..., dict[str, Any]]


@pytest.mark.parametrize(
    ("fields", "told"),
    [({"world_size": 4}, "world_size is 4"), ({"data_parallel_size": 4}, "4"),
     ({"gpus_per_node": 4}, "gpus_per_node is 4"), ({"zero_stage": 3, "fsdp": True}, "zero_stage 3")],
)  # fmt: skip
def test_cards_and_shardings_that_contradict_are_told(
    run: Run, fields: dict[str, Any], told: str
) -> None:
    code, out, err = run("--model", "qwen3-8b", "--gpu", "8xh100", **fields)
    assert (code, out) == (2, "")
    assert told in err


def test_what_was_assumed_of_precision_stands_at_the_top_with_its_effect(
    run: Run, sized: Sized
) -> None:
    words = ("--model", "qwen3-0.6b", "--gpu", "h100")
    size = {"micro_batch_size": 1, "sequence_length": 2048}
    top = run(*words, **size)[1].partition("Where the bytes go")[0]
    assert "assumed: precision = bf16; with --set precision=fp32 it would be" in top
    assert "assumed: parameter_dtype = fp32; with --set parameter_dtype=bf16" in top
    assert {c["field"]: (c["taken"], c["other"]) for c in sized(*words, **size)["choices"]} == {
        "precision": ("bf16", "fp32"),
        "parameter_dtype": ("fp32", "bf16"),
    }
    assert "assumed:" not in run(*words, **size, precision="bf16", parameter_dtype="bf16")[1]


def test_what_would_save_most_is_told_where_the_card_is_too_small(sized: Sized) -> None:
    size = {"micro_batch_size": 1, "sequence_length": 8192}
    words = ("--model", "qwen3-8b", "--gpu", "h100")
    found = sized(*words, **size)["choices"]
    told = {c["field"]: c["device"] for c in found}
    for field, value in (("lora_rank", 16), ("activation_checkpointing", "true")):
        other = sized(*words, **size, **{field: value})["device"]["estimate"]
        assert abs(told[field] / other - 1) < 0.1


def test_the_effect_of_an_assumption_is_the_estimate_of_the_other_choice(sized: Sized) -> None:
    words = ("--model", "qwen3-0.6b", "--gpu", "h100")
    size = {"micro_batch_size": 1, "sequence_length": 2048, "precision": "bf16"}
    (one,) = sized(*words, **size)["choices"]
    other = sized(*words, **size, parameter_dtype=one["other"])["device"]["estimate"]
    assert one["device"] == pytest.approx(other, rel=0.05)


def test_states_above_the_card_do_not_fit_whatever_the_batch(run: Run, sized: Sized) -> None:
    words = ("--model", "qwen3-8b", "--gpu", "h100")
    assert sized(*words)["verdict"] == "probably-not"
    assert run(*words)[0] == 1
    found = sized("--gpu", "h100", parameters="70e9")
    assert (found["verdict"], found["not_modelled"]) == ("does-not-fit", [])
    assert sized("--model", "qwen3-0.6b", "--gpu", "h100")["verdict"] == "unknown"


def test_experts_of_a_model_whose_layers_are_unknown_are_named(sized: Sized) -> None:
    found = sized("--gpu", "h100", parameters="70e9", num_experts=8)
    assert found["not_modelled"] == ["experts (MoE)"]


def test_the_longest_sequence_wants_no_sequence(run: Run) -> None:
    out = run("--model", "qwen3-0.6b", "--gpu", "h100", "--max-seq")[1]
    assert out.startswith("Largest sequence_length on h100-80g: ")
    assert "Unknown" not in out
    assert "micro_batch_size = 1" in out


def test_steps_that_fit_together_are_not_called_too_few(run: Run) -> None:
    size = {"micro_batch_size": 8, "sequence_length": 2048}
    together = run("--model", "qwen2.5-1.5b", "--gpu", "24g", **size)[1].partition(
        "Together they fit"
    )[2]
    assert "GiB, fits" in together
    assert "not enough" not in together


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("llama-3-8bb", "llama-3-8b"),
        ("Qwen/Qwen2.5-7B-Instuct", "qwen2.5-7b"),
        ("xgen-7b-8k", ""),  # a model of its own, near to none
        ("llama-3-80b", ""),
    ],
)
def test_a_misspelt_model_that_is_set_gets_the_suggestion_of_the_option(
    run: Run, name: str, near: str
) -> None:
    en, zh = (run(base_model=name, lang=lang)[1] for lang in ("en", "zh"))
    told = " ".join(en.split())
    assert (f'(did you mean "{near}"?)' in told) == bool(near)
    assert f"--model {near or 'llama-3-8b'}" in told
    assert ("是否想写" in zh) == bool(near)


def test_a_longer_sequence_with_more_room_is_explained(run: Run) -> None:
    """At 8,192 tokens a block finds no place, at 9,216 it does."""
    words = ("--model", "qwen2.5-7b", "--gpu", "a100-80g")
    size = {"micro_batch_size": 3, "lora_rank": 8, "activation_checkpointing": True}
    shorter, longer = (run(*words, **size, sequence_length=n)[1] for n in (8192, 9216))
    left = [float(out.partition(" left by")[0].split()[-2]) for out in (shorter, longer)]
    assert left[1] > left[0]
    assert "held by the allocator unused; that turns on the exact" in " ".join(shorter.split())
    assert "held by the allocator unused" not in longer
