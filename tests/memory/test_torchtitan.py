"""What torchtitan recomputes, and how a batch passes through its pipeline."""

from __future__ import annotations

from typing import Any

import pytest

from medic.memory.peak import Step, steps_of
from medic.memory.setup import Setup
from medic.memory.usual import with_usual
from medic.memory.views import read_setups
from medic.run_config import Origin, RunConfig, Setting, Value

VALUES: dict[str, Any] = {
    "hidden_size": 4096,
    "num_layers": 32,
    "num_heads": 32,
    "num_kv_heads": 8,
    "ffn_size": 14336,
    "vocab_size": 128256,
    "tied_embeddings": False,
    "micro_batch_size": 8,
    "sequence_length": 8192,
    "optimizer": "adamw",
    "activation_checkpointing": True,
    "attention": "sdpa",
    "world_size": 64,
}


def setups(*, framework: str = "torchtitan", **more: Any) -> tuple[Setup, ...]:
    values = {**VALUES, **{k: v for k, v in more.items() if "__" not in k}}
    config = RunConfig(
        {k: Value(v, Origin("file")) for k, v in values.items()},
        framework=framework,
        settings=tuple(
            Setting(tuple(k.split("__")), v, Origin("file")) for k, v in more.items() if "__" in k
        ),
    )
    return read_setups(with_usual(config)[0]).setups


def step(**more: Any) -> Step:
    return steps_of(setups(**more)[1])[0]


MODE = "activation_checkpoint__mode"
OPTION = "activation_checkpoint__selective_ac_option"


def test_what_chosen_operators_gave_stays() -> None:
    full, some = (step(**{MODE: mode, OPTION: "op"}).kept() for mode in ("full", "selective"))
    saved = VALUES["micro_batch_size"] * VALUES["sequence_length"]
    # wq, wv, w1, w2 and attention's result in bf16, and the sums of its rows in fp32.
    saved *= 2 * (4096 + 1024 + 14336 + 4096 + 4096) + 4 * 32
    assert some - full == 32 * saved


@pytest.mark.parametrize(
    ("option", "share"),
    [("1", 1.0), ("2", 0.5), ("4", 0.25), (None, 0.5), ("²", 1.0), ("9" * 5000, 1.0)],
)
def test_every_so_many_th_layer(option: str | None, share: float) -> None:
    told: dict[str, Any] = {} if option is None else {OPTION: option}
    found = setups(**{MODE: "selective", **told})
    assert [s.recompute for s in found] == [True] * 3
    assert {s.recomputed_share for s in found} == {share}


def test_an_option_that_no_mode_uses_says_nothing() -> None:
    assert {s.recomputed_share for s in setups(**{MODE: "full", OPTION: "4"})} == {1.0}
    assert not any(
        s.by_operator for s in setups(framework="hf-trainer", **{MODE: "selective", OPTION: "op"})
    )


def test_a_batch_passes_the_pipeline_in_micro_batches() -> None:
    schedule: dict[str, Any] = {"parallelism__pipeline_parallel_schedule": "1F1B"}
    found = setups(pipeline_parallel_size=4, **schedule)[1]
    assert (found.micro, found.accumulation, found.in_flight) == (1, 8, 4)
    wider: dict[str, Any] = {"parallelism__pipeline_parallel_microbatch_size": 4}
    found = setups(pipeline_parallel_size=4, **schedule, **wider)[1]
    assert (found.micro, found.accumulation, found.in_flight) == (4, 2, 2)


def test_a_schedule_of_several_stages_has_two_a_rank() -> None:
    schedule: dict[str, Any] = {"parallelism__pipeline_parallel_schedule": "Interleaved1F1B"}
    assert setups(pipeline_parallel_size=4, **schedule)[1].chunks == 2
    thin: dict[str, Any] = {"parallelism__pipeline_parallel_layers_per_stage": 2}
    assert setups(pipeline_parallel_size=4, **schedule, **thin)[1].chunks == 4


def test_without_a_pipeline_the_batch_is_one_micro_batch() -> None:
    wider: dict[str, Any] = {"parallelism__pipeline_parallel_microbatch_size": 4}
    assert setups(**wider)[1].micro == 8
