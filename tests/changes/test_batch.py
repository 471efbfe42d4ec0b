"""Batch repairs keep the tokens per step exactly, or say what else there is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medic.changes import Plan, compute
from medic.changes.batch import largest_divisor, sequences_per_rank
from medic.changes.known import ImpossibleError, Known
from medic.entries import Remedy
from medic.facts import GpuMemory
from medic.memory.remedies import advise
from medic.memory.usual import with_usual
from medic.run_config import RunConfig

Make = Callable[..., RunConfig]
MakeRemedy = Callable[..., Remedy]
SIZE = st.integers(1, 512)


def new(plan: Plan) -> dict[str, object]:
    return {change.field: change.new for change in plan.changes}


@pytest.fixture(scope="session")
def halve(remedy: MakeRemedy) -> Remedy:
    return remedy(
        micro_batch_size="halve-to-divisor", gradient_accumulation_steps="keep-global-batch"
    )


@pytest.fixture(scope="session")
def divide(remedy: MakeRemedy) -> Remedy:
    return remedy(
        micro_batch_size="split-global-batch",
        gradient_accumulation_steps="accumulation-from-global",
    )


def test_halving_doubles_the_accumulation(config: Make, halve: Remedy) -> None:
    run = config(
        micro_batch_size=8,
        gradient_accumulation_steps=4,
        data_parallel_size=16,
        sequence_length=4096,
    )
    plan = compute(halve, run)
    assert new(plan) == {"micro_batch_size": 4, "gradient_accumulation_steps": 8}
    assert plan.values["micro_batch_size"] == 8
    assert plan.values["micro_batch_size_new"] == 4
    assert str(plan.values["gb_tok"]) == f"{8 * 4 * 16 * 4096:,} tokens"


@given(micro=SIZE, steps=SIZE, dp=st.integers(1, 64), seq=st.sampled_from([128, 2048, 4095]))
@settings(max_examples=200, deadline=None)
def test_halving_keeps_the_batch_and_never_raises_the_micro_batch(
    config: Make, halve: Remedy, micro: int, steps: int, dp: int, seq: int
) -> None:
    run = config(
        micro_batch_size=micro,
        gradient_accumulation_steps=steps,
        data_parallel_size=dp,
        sequence_length=seq,
    )
    plan = compute(halve, run)
    if micro == 1:
        assert plan.changes == ()
        assert plan.note is not None
        return
    values = {"gradient_accumulation_steps": steps, **new(plan)}
    micro2, steps2 = values["micro_batch_size"], values["gradient_accumulation_steps"]
    assert isinstance(micro2, int)
    assert isinstance(steps2, int)
    assert micro2 * steps2 * dp * seq == micro * steps * dp * seq
    assert 1 <= micro2 <= micro // 2
    assert (micro * steps) % (micro // 2) or micro2 == micro // 2  # the largest that divides


MODEL = {
    "hidden_size": 2048,
    "num_layers": 16,
    "num_heads": 32,
    "num_kv_heads": 8,
    "ffn_size": 8192,
    "vocab_size": 128256,
    "tied_embeddings": True,
    "sequence_length": 8192,
    "precision": "bf16",
    "parameter_dtype": "bf16",
    "world_size": 1,
    "micro_batch_size": 32,
    "gradient_accumulation_steps": 1,
}


@pytest.mark.parametrize(("gib", "micro"), [(None, 16), (640, 16), (80, 2), (24, 1)])
def test_micro_batch_is_lowered_until_it_fits(
    config: Make, halve: Remedy, gib: int | None, micro: int
) -> None:
    """On 24 GiB none does: then it is the smallest, and its peak is told."""
    facts = {GpuMemory: GpuMemory(gib * 2**30)} if gib else {}
    plan = compute(halve, config(**MODEL), facts)
    assert new(plan) == {"micro_batch_size": micro, "gradient_accumulation_steps": 32 // micro}
    [why] = [change.why.en for change in plan.changes if change.field == "micro_batch_size"]
    assert ("even it needs" in why) is (gib == 24)


@pytest.mark.parametrize("room", [40, 60, 79])
def test_the_micro_batch_is_the_one_that_the_memory_remedies_name(
    config: Make, halve: Remedy, room: int
) -> None:
    """What other processes hold is not there for it."""
    run = config(**MODEL)
    facts = {GpuMemory: GpuMemory(80 * 2**30, room * 2**30)}
    found = new(compute(halve, run, facts))
    alone = advise(with_usual(run)[0], room * 2**30).alone
    [remedy] = [one for one in alone if one.name == "halve-micro-batch-keep-global-batch"]
    assert found == {change.field: change.new for change in remedy.changes}


def test_micro_batch_of_one_that_cannot_fit_is_said(config: Make, halve: Remedy) -> None:
    plan = compute(halve, config(**MODEL), {GpuMemory: GpuMemory(8 * 2**30)})
    assert plan.changes == ()
    assert plan.note is not None
    assert "1 does not fit" in plan.note.en


def test_batch_without_replicas_or_sequence_is_split_by_its_parts(
    config: Make, halve: Remedy
) -> None:
    plan = compute(halve, config(micro_batch_size=6, gradient_accumulation_steps=5))
    assert new(plan) == {"micro_batch_size": 3, "gradient_accumulation_steps": 10}
    assert "30" in str(plan.values["gb_tok"])


def test_stated_global_batch_gives_the_accumulation(config: Make, halve: Remedy) -> None:
    run = config(
        micro_batch_size=4,
        global_batch_size=512,
        data_parallel_size=16,
        gradient_accumulation_steps=8,
        derived=("gradient_accumulation_steps",),
    )
    assert new(compute(halve, run)) == {"micro_batch_size": 2, "gradient_accumulation_steps": 16}


def test_batch_that_cannot_be_split_names_the_two_nearest(config: Make, halve: Remedy) -> None:
    run = config(
        micro_batch_size=4,
        gradient_accumulation_steps=8,
        data_parallel_size=24,
        sequence_length=4096,
        global_batch_tokens=4_194_304,
    )
    plan = compute(halve, run)
    assert plan.changes == ()
    assert plan.note is not None
    for batch, factor in ((40 * 24, 0.968), (44 * 24, 1.016)):  # 4,194,304 / 4096 / 24 = 42.67
        assert f"{batch:,} sequences (GB_tok {batch * 4096:,}" in plan.note.en
        assert f"x{factor})" in plan.note.en
        assert f"{batch * 4096:,}" in plan.note.zh


def test_sgd_scales_the_learning_rate_with_the_batch(config: Make, halve: Remedy) -> None:
    run = config(micro_batch_size=2, global_batch_size=3, data_parallel_size=2, optimizer="sgd")
    note = compute(halve, run).note
    assert note is not None
    assert "nearest that can: 4 sequences (learning rate x1.333)" in note.en


@pytest.mark.parametrize(
    ("batch", "micro", "replicas", "near"),
    [
        (100, 3, 8, ("96 sequences (learning rate x0.98)", "120 sequences (learning rate x1.095)")),
        (
            500,
            3,
            8,
            ("480 sequences (learning rate x0.98)", "504 sequences (learning rate x1.004)"),
        ),
        (
            500,
            1,
            8,
            ("496 sequences (learning rate x0.996)", "504 sequences (learning rate x1.004)"),
        ),
    ],
)
def test_a_batch_that_is_offered_is_made_of_whole_micro_batches(
    config: Make, batch: int, micro: int, replicas: int, near: tuple[str, ...]
) -> None:
    run = config(micro_batch_size=micro, global_batch_size=batch, data_parallel_size=replicas)
    with pytest.raises(ImpossibleError) as refused:
        sequences_per_rank(Known(run))
    assert f"nearest that can: {'; '.join(near)}" in refused.value.why.en


def test_what_is_missing_is_named_and_nothing_changes(config: Make, halve: Remedy) -> None:
    plan = compute(halve, config(micro_batch_size=8))
    assert plan.missing == ("gradient_accumulation_steps",)
    assert plan.changes == ()


@given(n=st.integers(1, 2000), micro=SIZE, dp=st.integers(1, 16))
@settings(max_examples=200, deadline=None)
def test_dividing_makes_the_batch_divisible(
    config: Make, divide: Remedy, n: int, micro: int, dp: int
) -> None:
    run = config(micro_batch_size=micro, global_batch_size=n * dp, data_parallel_size=dp)
    values = {"micro_batch_size": micro, **new(compute(divide, run))}
    micro2, steps2 = values["micro_batch_size"], values["gradient_accumulation_steps"]
    assert isinstance(micro2, int)
    assert isinstance(steps2, int)
    assert micro2 * steps2 * dp == n * dp
    assert micro2 <= micro


def test_global_batch_written_as_micro_batch_keeps_a_stated_accumulation(
    config: Make, divide: Remedy
) -> None:
    run = config(
        micro_batch_size=256,
        global_batch_size=256,
        data_parallel_size=8,
        gradient_accumulation_steps=4,
    )
    assert new(compute(divide, run)) == {"micro_batch_size": 8}


def test_accumulation_for_planned_tokens(config: Make, remedy: MakeRemedy) -> None:
    run = config(
        micro_batch_size=4,
        gradient_accumulation_steps=1,
        data_parallel_size=8,
        sequence_length=2048,
        global_batch_tokens=524_288,
    )
    plan = compute(remedy(gradient_accumulation_steps="accumulation-from-global"), run)
    assert new(plan) == {"gradient_accumulation_steps": 8}


def test_product_of_the_batch(config: Make, remedy: MakeRemedy) -> None:
    run = config(
        micro_batch_size=4,
        gradient_accumulation_steps=2,
        data_parallel_size=8,
        sequence_length=100,
        global_batch_size=60,
        global_batch_tokens=1,
    )
    plan = compute(remedy(global_batch_size="global-batch-product"), run)
    assert new(plan) == {"global_batch_size": 64}
    plan = compute(remedy(global_batch_tokens="global-batch-product"), run)
    assert new(plan) == {"global_batch_tokens": 6400}


@given(n=st.integers(1, 5000), limit=st.integers(1, 6000))
def test_largest_divisor(n: int, limit: int) -> None:
    found = largest_divisor(n, limit)
    assert n % found == 0
    assert found <= limit
    assert all(n % d for d in range(found + 1, min(n, limit) + 1))
