"""What each lint check of the configuration fires on, passes, and cannot judge."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from medic.probes.config.all_checks import CHECKS, PROBE
from medic.probes.config.checks import learning_rates
from medic.probes.config.derive import complete
from medic.probes.config.judging import judge

from medic.i18n import Text, plain
from medic.probe import Finding, Skip
from medic.run_config import FIELDS, OVERRIDDEN, Origin, RunConfig, Scalar, Span, Value

BY_NAME = {check.name: check for check in CHECKS}


def stated(value: Scalar, line: int = 1, file: str = "a.yaml") -> Value:
    span = Span(file, line, line + 1, line, 1, line, 2)
    return Value(value, Origin("file", span, "yaml", key="k"))


def config(**values: Scalar) -> RunConfig:
    """A configuration that states these values, completed as for names without a framework."""
    given = {name: stated(value, line) for line, (name, value) in enumerate(values.items(), 1)}
    ones = dict.fromkeys(
        ("tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size"), 1
    )
    origin = Origin("default")
    known = {**{k: Value(v, origin) for k, v in ones.items()}, **given}
    return RunConfig(complete(known, (), takes_global=False))


def told(name: str, run_config: RunConfig) -> list[Finding | Skip]:
    return list(judge(BY_NAME[name], run_config))


BATCH: dict[str, Scalar] = {
    "micro_batch_size": 4,
    "gradient_accumulation_steps": 8,
    "world_size": 32,
    "sequence_length": 4096,
}
GB_TOK = 4 * 8 * 32 * 4096

FIRES: list[tuple[str, dict[str, Scalar], dict[str, Any]]] = [
    ("total-steps-mismatch",
     {**BATCH, "total_tokens": 10**12, "total_steps": 100_000},
     {"configured": 100_000, "expected": 238_418, "gb_tok": GB_TOK, "total_tokens": 10**12,
      "percent": "42%"}),
    ("total-steps-mismatch",
     {"global_batch_tokens": 1000, "total_tokens": 10_000, "total_steps": 12},
     {"configured": 12, "expected": 10, "gb_tok": 1000, "total_tokens": 10_000,
      "percent": "120%"}),
    ("warmup-longer-than-run", {"warmup_steps": 100_000, "total_steps": 60},
     {"warmup": 100_000, "total_steps": 60}),
    ("warmup-longer-than-run", {"warmup_steps": 20, "total_steps": 20},
     {"warmup": 20, "total_steps": 20}),
    ("decay-ends-before-run", {"decay_steps": 30, "total_steps": 300},
     {"decay_steps": 30, "total_steps": 300, "percent": "10%"}),
    ("decay-ends-after-run", {"decay_steps": 1200, "total_steps": 1000},
     {"decay_steps": 1200, "total_steps": 1000, "percent": "120%"}),
    ("global-batch-tokens-mismatch", {**BATCH, "global_batch_tokens": 2 * GB_TOK},
     {"configured": 2 * GB_TOK, "expected": GB_TOK, "micro": 4, "accumulation": 8, "dp": 32,
      "seq": 4096}),
    ("train-batch-mismatch", {**BATCH, "global_batch_size": 256},
     {"configured": 256, "expected": 1024, "micro": 4, "accumulation": 8, "dp": 32}),
    ("micro-batch-is-global",
     {"micro_batch_size": 64, "global_batch_size": 64, "world_size": 8},
     {"micro": 64, "global_batch": 64, "dp": 8, "accumulation": 1}),
    ("batch-not-divisible", {"micro_batch_size": 4, "global_batch_size": 60, "world_size": 8},
     {"global_batch": 60, "micro": 4, "dp": 8}),
    ("world-size-not-gpus", {"world_size": 32, "nodes": 8, "gpus_per_node": 8},
     {"world_size": 32, "nodes": 8, "gpus": 8, "expected": 64}),
    ("gradient-clipping-off", {"gradient_clip": 0.0}, {}),
    ("fp16-overflow", {"precision": "fp16"}, {}),
    ("slow-data-loader", {"num_workers": 0}, {"num_workers": 0}),
    ("learning-rate-too-high", {"learning_rate": 0.08, "hidden_size": 256, "num_layers": 4},
     {"learning_rate": 0.08, "low": 3e-4, "high": 6e-3}),
    ("learning-rate-too-high", {"learning_rate": 2e-3, "parameters": 70 * 10**9},
     {"learning_rate": 2e-3, "low": 6e-5, "high": 3e-4}),
    ("learning-rate-too-high", {"learning_rate": 1e-3, "base_model": "org/x"},
     {"learning_rate": 1e-3, "low": 5e-7, "high": 1e-4}),
    ("learning-rate-too-high", {"learning_rate": 0.1, "sequence_length": 2048}, {"low": 5e-7, "high": 6e-3}),
    ("learning-rate-too-low", {"learning_rate": 1e-6, "parameters": 10**9},
     {"learning_rate": 1e-6, "low": 1.6e-4, "high": 2e-3}),
    ("warmup-missing", {"warmup_steps": 0, "learning_rate": 3e-4, "parameters": 10**9},
     {"learning_rate": 3e-4}),
    ("warmup-missing", {"warmup_ratio": 0.0, "learning_rate": 1e-3}, {"learning_rate": 1e-3}),
]  # fmt: skip

PASSES: list[tuple[str, dict[str, Scalar]]] = [
    ("total-steps-mismatch", {**BATCH, "total_tokens": 10**12, "total_steps": 238_418}),
    ("total-steps-mismatch", {**BATCH, "total_tokens": 10**12, "total_steps": 239_000}),
    ("total-steps-mismatch",
     {"global_batch_tokens": 1000, "total_tokens": 10_000, "total_steps": 11}),
    ("warmup-longer-than-run", {"warmup_steps": 59, "total_steps": 60}),
    ("warmup-longer-than-run",
     {"warmup_steps": 90, "total_steps": 60, "lr_schedule": "constant"}),
    ("decay-ends-before-run", {"decay_steps": 960, "total_steps": 1000}),
    ("decay-ends-after-run", {"decay_steps": 1100, "total_steps": 1000}),
    ("global-batch-tokens-mismatch", {**BATCH, "global_batch_tokens": GB_TOK}),
    ("train-batch-mismatch", {**BATCH, "global_batch_size": 1024}),
    ("train-batch-mismatch",
     {"micro_batch_size": 64, "gradient_accumulation_steps": 2, "world_size": 8,
      "global_batch_size": 64}),
    ("micro-batch-is-global",
     {"micro_batch_size": 64, "global_batch_size": 64, "world_size": 1}),
    ("micro-batch-is-global",
     {"micro_batch_size": 8, "global_batch_size": 64, "world_size": 8}),
    ("batch-not-divisible", {"micro_batch_size": 4, "global_batch_size": 64, "world_size": 8}),
    ("batch-not-divisible", {"micro_batch_size": 64, "global_batch_size": 64, "world_size": 8}),
    ("world-size-not-gpus", {"world_size": 64, "nodes": 8, "gpus_per_node": 8}),
    ("gradient-clipping-off", {"gradient_clip": 1.0}),
    ("fp16-overflow", {"precision": "bf16"}),
    ("slow-data-loader", {"num_workers": 2}),
    ("learning-rate-too-high", {"learning_rate": 6e-4, "parameters": 125_000_000}),
    ("learning-rate-too-high", {"learning_rate": 8e-4, "parameters": 32 * 10**9}),
    ("learning-rate-too-high", {"learning_rate": 1e-3, "lora_rank": 8, "base_model": "x"}),
    ("learning-rate-too-low", {"learning_rate": 5e-7, "base_model": "x"}),
    ("learning-rate-too-low",
     {"learning_rate": 1e-6, "parameters": 10**9, "resume_from": "/ckpt"}),
    ("warmup-missing", {"warmup_steps": 0, "learning_rate": 1e-4, "parameters": 10**9}),
    ("warmup-missing", {"warmup_steps": 0, "learning_rate": 3e-4}),
    ("warmup-missing", {"warmup_steps": 0, "warmup_ratio": 0.03, "learning_rate": 1e-3}),
    ("warmup-missing", {"warmup_steps": 0, "learning_rate": 3e-4, "lora_rank": 8}),
    ("warmup-missing", {"warmup_steps": 0, "learning_rate": 3e-4, "resume_from": "/ckpt"}),
    ("conflicting-values", {"learning_rate": 1e-4}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "values", "shown"), FIRES)
def test_fires(name: str, values: dict[str, Scalar], shown: dict[str, Any]) -> None:
    (finding,) = told(name, config(**values))
    assert isinstance(finding, Finding)
    assert (finding.name, finding.outcome) == (name, "fires")
    assert {k: finding.value[k] for k in shown} == shown
    assert finding.source.line >= 1


@pytest.mark.parametrize(("name", "values"), PASSES)
def test_passes(name: str, values: dict[str, Scalar]) -> None:
    assert told(name, config(**values)) == [Finding(name, "passes")]


@pytest.mark.parametrize(
    ("name", "values", "needs"),
    [
        ("total-steps-mismatch", {"total_steps": 10}, "total_tokens, global_batch_tokens"),
        ("total-steps-mismatch", {**BATCH, "total_tokens": 10**12}, "total_steps"),
        ("train-batch-mismatch",
         {"micro_batch_size": 4, "global_batch_size": 64, "world_size": 8},
         "gradient_accumulation_steps"),
        ("decay-ends-before-run", {"total_steps": 10}, "decay_steps"),
        ("learning-rate-too-high", {"learning_rate": 0.1, "optimizer": "sgd"},
         "a published range for this optimizer"),
        ("warmup-missing", {"learning_rate": 1.0}, "warmup_steps"),
        ("world-size-not-gpus", {"world_size": 8, "nodes": 2}, "gpus_per_node"),
    ],
)  # fmt: skip
def test_says_what_it_needs(name: str, values: dict[str, Scalar], needs: str) -> None:
    (gap,) = told(name, config(**values))
    assert isinstance(gap, Skip)
    assert (gap.check, gap.needs.en) == (name, needs)


def test_a_default_is_not_what_the_user_wrote() -> None:
    off = RunConfig({"gradient_clip": Value(0.0, Origin("default"))})
    assert told("gradient-clipping-off", off) == [
        Skip(needs=plain("gradient_clip"), check="gradient-clipping-off")
    ]


def test_the_exact_number_comes_as_a_change() -> None:
    (finding,) = told("total-steps-mismatch",
                      config(**BATCH, total_tokens=10**12, total_steps=100_000))  # fmt: skip
    assert isinstance(finding, Finding)
    (change,) = finding.changes
    assert (change.field, change.old, change.new) == ("total_steps", 100_000, 238_418)
    assert change.why.zh == "1,000,000,000,000 token / 每步 4,194,304 token"


def conflict(field: str, value: Scalar, origin: Origin, other: Scalar, place: Origin) -> list[Any]:
    run = RunConfig({field: Value(value, origin, ((other, place),))})
    found = told("conflicting-values", run)
    return [dict(f.value) for f in found if isinstance(f, Finding) and f.outcome == "fires"]


HERE = Span("a.yaml", 0, 1, 3, 1, 3, 2)
THERE = Span("ds.json", 0, 1, 7, 1, 7, 2)


def test_a_contradiction_is_told_with_both_places() -> None:
    mine = Origin("file", HERE, key="micro_batch_size", framework="plain")
    theirs = Origin("file", THERE, key="train_micro_batch_size_per_gpu", framework="deepspeed")
    (values,) = conflict("micro_batch_size", 4, mine, 8, theirs)
    assert values == {
        "field": "micro_batch_size", "value": 4, "other": 8, "other_where": "ds.json:7",
        "runs": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("theirs", "may_be_two"),
    [
        (Origin("file", THERE, key="micro_batch_size", framework="axolotl"), True),
        (Origin("file", HERE, key="micro_batch_size", framework="axolotl"), False),
        (Origin("file", THERE, key="micro", framework="openrlhf"), False),
        (
            Origin("file", THERE, key="micro_batch_size", framework="axolotl", syntax="shell"),
            False,
        ),
    ],
)
def test_two_files_of_one_framework_may_be_two_runs(theirs: Origin, may_be_two: bool) -> None:
    mine = Origin("file", HERE, key="micro_batch_size", framework="axolotl")
    (values,) = conflict("micro_batch_size", 4, mine, 8, theirs)
    assert ("--each" in str(values["runs"])) == may_be_two


@pytest.mark.parametrize(
    ("field", "value", "mine", "other", "theirs"),
    [
        ("learning_rate", 1e-4, ("lr", "plain"), 3e-4, ("lr", "plain", OVERRIDDEN)),
        ("log_interval", 10, ("logging_steps", "hf"), 2000, ("steps_per_print", "deepspeed")),
        ("optimizer", "adamw_torch", ("optim", "hf-trainer"), "adamw", ("type", "deepspeed")),
        ("micro_batch_size", 4, ("--batch_size", "plain"), 8, ("micro", "deepspeed")),
        ("sequence_length", 4, ("seq_len", "plain"), 8, ("max_seq_len", "plain")),
        ("precision", "bf16", ("bf16", "hf-trainer"), "bf16", ("enabled", "deepspeed")),
    ],
)
def test_what_only_looks_like_a_contradiction(
    field: str, value: Scalar, mine: tuple[str, ...], other: Scalar, theirs: tuple[str, ...]
) -> None:
    here = Origin("file", HERE, key=mine[0], framework=mine[1])
    there = Origin("file", THERE, key=theirs[0], framework=theirs[1], note="".join(theirs[2:]))
    assert conflict(field, value, here, other, there) == []


def test_parameters_of_a_known_shape() -> None:
    shape = config(hidden_size=4096, num_layers=32, ffn_size=11008, vocab_size=32000)
    assert learning_rates.parameters(shape) == pytest.approx(6.7e9, rel=0.05)
    unknown = learning_rates.placeholders(config(learning_rate=1.0), learning_rates.Range(0, 1))
    assert isinstance(unknown["parameters"], Text)


def test_the_probe_runs_only_checks_that_have_words(look: Any) -> None:
    facts = [config(num_workers=0, gradient_clip=0.0)]
    found = list(PROBE.run(look({}, facts=facts, checks=["slow-data-loader"], parts=CHECKS)))
    assert [(f.name, f.outcome) for f in found] == [("slow-data-loader", "fires")]
    assert set(PROBE.tells) == set(BY_NAME)


amounts = st.integers(1, 512)


@given(amounts, amounts, amounts, st.integers(1, 10**6), st.data())
def test_a_consistent_batch_never_fires(
    micro: int, accumulation: int, dp: int, steps: int, data: st.DataObject
) -> None:
    batch = micro * accumulation * dp
    seq = data.draw(amounts)
    tokens = batch * seq * steps + data.draw(st.integers(0, batch * seq - 1))
    run = config(
        micro_batch_size=micro, gradient_accumulation_steps=accumulation, world_size=dp,
        global_batch_size=batch, sequence_length=seq, global_batch_tokens=batch * seq,
        total_tokens=tokens, total_steps=steps, warmup_steps=0, decay_steps=steps,
    )  # fmt: skip
    for name in BY_NAME:
        assert all(not isinstance(f, Finding) or f.outcome == "passes" for f in told(name, run))


def test_every_need_is_a_canonical_field() -> None:
    assert {need for check in CHECKS for need in check.needs} <= set(FIELDS)
