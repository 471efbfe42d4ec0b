"""Plans: constants, launch values, exact repairs, all or nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import pytest

from medic.changes import Plan, compute
from medic.changes.plan import COMPUTATIONS
from medic.entries import Compute, Remedy
from medic.facts import Collective, Collectives, Gpu, GpuState, Host, Ports, Preparing, Source
from medic.i18n import Text
from medic.run_config import Change, Origin, RunConfig, Scalar, Value

Make = Callable[..., RunConfig]
MakeRemedy = Callable[..., Remedy]
WHY = Text("", "")
TIMEOUT = Collective(1, 1, "ALLREDUCE", 1, 1, timeout_ms=1_800_000, source=Source())


def new(plan: Plan) -> dict[str, Scalar]:
    return {change.field: change.new for change in plan.changes}


def test_every_computation_has_a_function() -> None:
    flags = {"nearest-flag", "drop-flag-value", "negate-flag"}
    assert set(COMPUTATIONS) | flags == set(get_args(Compute))


def test_constant(config: Make, remedy: MakeRemedy) -> None:
    plan = compute(remedy(gradient_clip=1.0), config(gradient_clip=0.0))
    assert new(plan) == {"gradient_clip": 1.0}
    assert plan.values["gradient_clip"] == 0.0


def test_value_that_is_there_already_is_said(config: Make, remedy: MakeRemedy) -> None:
    plan = compute(remedy(activation_checkpointing=True), config(activation_checkpointing=True))
    assert plan.changes == ()
    assert plan.note is not None


def test_truth_is_no_number(config: Make, remedy: MakeRemedy) -> None:
    assert new(compute(remedy(zero_stage=1), config(zero_stage=True))) == {"zero_stage": 1}


def test_one_missing_field_leaves_everything_as_it_is(config: Make, remedy: MakeRemedy) -> None:
    plan = compute(
        remedy(learning_rate="half-learning-rate", gradient_clip=1.0), config(gradient_clip=0.5)
    )
    assert plan.changes == ()
    assert plan.missing == ("learning_rate",)


def test_world_size(config: Make, remedy: MakeRemedy) -> None:
    run = config(nodes=4, gpus_per_node=8, world_size=16)
    assert new(compute(remedy(world_size="world-from-nodes"), run)) == {"world_size": 32}
    assert new(compute(remedy(nodes="world-from-nodes"), run)) == {"nodes": 2}


@pytest.mark.parametrize(
    "facts", [{Host: Host("a", 64, 1, gpus=4)}, {GpuState: GpuState((Gpu(0),) * 4, "this-host")}]
)
def test_gpus_of_the_host(config: Make, remedy: MakeRemedy, facts: dict[type, object]) -> None:
    plan = compute(remedy(gpus_per_node="gpus-from-host"), config(gpus_per_node=8), facts)
    assert new(plan) == {"gpus_per_node": 4}
    nothing = compute(remedy(gpus_per_node="gpus-from-host"), config(gpus_per_node=8))
    assert nothing.missing == ("node_gpus",)


@pytest.mark.parametrize(("cores", "workers"), [(32, 3), (128, 8)])
def test_workers_from_cores(config: Make, remedy: MakeRemedy, cores: int, workers: int) -> None:
    facts = {Host: Host("a", cores, 1)}
    run = config(num_workers=0, gpus_per_node=8)
    plan = compute(remedy(num_workers="workers-from-cores"), run, facts)
    assert new(plan) == {"num_workers": workers}


def test_workers_are_never_lowered(config: Make, remedy: MakeRemedy) -> None:
    facts = {Host: Host("a", 32, 1)}
    plan = compute(
        remedy(num_workers="workers-from-cores"), config(num_workers=6, gpus_per_node=8), facts
    )
    assert plan.changes == ()
    assert plan.note is not None


@pytest.mark.parametrize(("old", "changed"), [(8, {"num_workers": 2}), (0, {}), (2, {})])
def test_fewer_workers_are_fewer(
    config: Make, remedy: MakeRemedy, old: int, changed: dict[str, int]
) -> None:
    plan = compute(remedy(num_workers="fewer-workers"), config(num_workers=old))
    assert new(plan) == changed
    assert changed or (plan.note is not None and plan.values["num_workers_new"] == "?")


def test_next_free_port(config: Make, remedy: MakeRemedy) -> None:
    entry = remedy(master_port="next-free-port")
    facts = {Ports: Ports(frozenset({29501, 29502}))}
    assert new(compute(entry, config(master_port=29500), facts)) == {"master_port": 29503}
    assert new(compute(entry, config(master_port=29500))) == {"master_port": 29501}
    assert compute(entry, config(master_port=65535)).note is not None


def test_timeout(config: Make, remedy: MakeRemedy) -> None:
    plan = compute(remedy(nccl_timeout="doubled-timeout"), config(nccl_timeout=600))
    assert new(plan) == {"nccl_timeout": 1200}
    entry = remedy(nccl_timeout="doubled-timeout")
    waits: dict[type, object] = {Collectives: Collectives((TIMEOUT,))}
    assert new(compute(entry, config(), waits)) == {"nccl_timeout": 3600}
    assert compute(entry, config()).missing == ("nccl_timeout",)
    both: dict[type[Any], Any] = {**waits, Preparing: Preparing(4000, Source())}
    assert new(compute(entry, config(), both)) == {"nccl_timeout": 8000}
    short = {Preparing: Preparing(100, Source())}
    assert new(compute(entry, config(nccl_timeout=600), short)) == {"nccl_timeout": 1200}


def test_exact_repair_counts_for_the_fields_of_the_remedy_only(
    config: Make, remedy: MakeRemedy
) -> None:
    exact = (Change("total_steps", 1, 77, WHY), Change("global_batch_size", 1, 5, WHY))
    run = config(total_tokens=100, global_batch_tokens=10, total_steps=1)
    plan = compute(remedy(total_steps="steps-from-tokens"), run, {}, exact)
    assert new(plan) == {"total_steps": 77}


@pytest.mark.parametrize(
    ("changes", "old", "shown"),
    [
        ([("flag:--lrr", "--lrr", "--lr")], "--lrr", "--lr"),
        ([("flag-value:--bf16", "true", None)], "--bf16 true", "--bf16"),
        ([("flag-value:--bf16", "false", "--no-bf16")], "--bf16 false", "--no-bf16"),
        (
            [("flag-value:--bf16", "false", None), ("flag:--bf16", "--bf16", None)],
            "--bf16 false",
            "-",
        ),
    ],
)
def test_flags_come_from_the_probe(
    config: Make,
    remedy: MakeRemedy,
    changes: list[tuple[str, str, str | None]],
    old: str,
    shown: str,
) -> None:
    exact = tuple(Change(field, was, now, WHY) for field, was, now in changes)
    plan = compute(remedy(flag="nearest-flag"), config(), {}, exact)
    assert plan.changes == exact
    assert (plan.values["flag"], plan.values["flag_new"]) == (old, shown)
    assert compute(remedy(flag="nearest-flag"), config()).missing == ("flag",)


def test_same_arguments_give_the_same_plan(config: Make, remedy: MakeRemedy) -> None:
    entry = remedy(
        micro_batch_size="halve-to-divisor", gradient_accumulation_steps="keep-global-batch"
    )
    run = config(micro_batch_size=12, gradient_accumulation_steps=7)
    assert compute(entry, run) == compute(entry, run)


def test_nothing_is_computed_from_a_field_on_which_two_places_disagree(
    remedy: MakeRemedy,
) -> None:
    def stated(value: int, *also: tuple[int, str]) -> Value:
        others = tuple((v, Origin("file", note=note)) for v, note in also)
        return Value(value, Origin("file"), others)

    values = {
        "global_batch_size": stated(512),
        "data_parallel_size": stated(16),
        "gradient_accumulation_steps": stated(2),
    }
    wanted = remedy(gradient_accumulation_steps="accumulation-from-global")
    contested = RunConfig({**values, "micro_batch_size": stated(8, (4, ""))})
    plan = compute(wanted, contested)
    assert plan.changes == ()
    assert plan.note is not None
    assert "agree on one value" in plan.note.en
    settled = RunConfig({**values, "micro_batch_size": stated(8, (4, "overridden"))})
    assert new(compute(wanted, settled)) == {"gradient_accumulation_steps": 4}
