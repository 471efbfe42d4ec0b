"""Batches whose accumulation follows, values that disagree, and switches of one run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from medic.probes.config.all_checks import CHECKS
from medic.probes.config.judging import judge
from medic.probes.config.reading import PROBE

from medic.probe import Finding, Unread
from medic.run_config import Change, Origin, RunConfig, Span, Value

Make = Callable[..., Any]
BY_NAME = {check.name: check for check in CHECKS}


def read(look: Make, files: dict[str, str]) -> tuple[RunConfig, list[Any]]:
    told = list(PROBE.run(look(files, checks=["number-read-as-text"])))
    configs = [x for x in told if isinstance(x, RunConfig)]
    return (configs or [RunConfig()])[0], told


def fired(name: str, config: RunConfig) -> list[Finding]:
    found = judge(BY_NAME[name], config)
    return [f for f in found if isinstance(f, Finding) and f.outcome == "fires"]


@pytest.mark.parametrize(
    ("name", "text", "accumulation"),
    [
        ("a.yaml",
         "trainer: {devices: 8, num_nodes: 2, accumulate_grad_batches: 1}\n"
         "model: {micro_batch_size: 4, global_batch_size: 512, tensor_model_parallel_size: 2}\n",
         16),
        ("a.yaml",
         "trainer: {devices: 8, accumulate_grad_batches: 1}\n"
         "data: {micro_batch_size: 4, global_batch_size: 64}\n", 2),
        ("a.yaml",
         "training: {micro_batch_size: 4, global_batch_size: 512, data_parallel_size: 8}\n", 16),
        ("a.yaml",
         "training: {micro_batch_size: 4, lr: 1.0e-4, global_batch_size: 512, dp_size: 8}\n", 16),
        ("a.toml",
         "[training]\nbatch_size = 8\nglobal_batch_size = 256\ndata_parallel_size = 16\n", 2),
    ],
)  # fmt: skip
def test_accumulation_is_what_the_global_batch_leaves(
    look: Make, name: str, text: str, accumulation: int
) -> None:
    config, _ = read(look, {name: text})
    assert config.get("gradient_accumulation_steps") == accumulation
    assert not fired("train-batch-mismatch", config)


def test_four_stated_numbers_that_disagree(look: Make) -> None:
    text = "micro_batch_size: 4\nglobal_batch_size: 64\naccumulation_steps: 4\ndp_size: 8\n"
    config, _ = read(look, {"a.yaml": text})
    (finding,) = fired("train-batch-mismatch", config)
    assert finding.value["expected"] == 128
    assert finding.span is not None
    assert (finding.span.line, finding.span.column) == (2, 20)


def test_the_default_of_a_trainer_counts_where_deepspeed_asserts(look: Make) -> None:
    files = {
        "a.yaml": "per_device_train_batch_size: 4\nworld_size: 8\ndeepspeed: ds.json\n",
        "ds.json": '{"train_batch_size": 64, "zero_optimization": {"stage": 2}}',
    }
    config, _ = read(look, files)
    values = {**config.values, "data_parallel_size": Value(8, Origin("derived"))}
    accumulation = Value(1, Origin("default", framework="hf-trainer"))
    run = RunConfig({**values, "gradient_accumulation_steps": accumulation})
    assert [f.value["expected"] for f in fired("train-batch-mismatch", run)] == [32]


@pytest.mark.parametrize("group", ["train", "training", "run"])
def test_a_common_group_is_no_framework(look: Make, group: str) -> None:
    text = (
        f"{group}:\n  micro_batch_size: 64\n  global_batch_size: 64\n  data_parallel_size: 8\n"
        "  total_steps: 100\n  warmup_steps: 1000\n"
    )
    config, _ = read(look, {"a.yaml": text})
    assert config.framework in ("plain", "grouped")
    assert fired("warmup-longer-than-run", config)
    assert fired("micro-batch-is-global", config)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("per_device_train_batch_size: 4\nbf16: true\nfp16: true\n", (3, "2")),
        ("training:\n  fp16: true\n  bf16: true\n", (3, "2")),
        ("per_device_train_batch_size: 4\nbf16: true\nfp16: false\n", None),
        ("training:\n  bf16: true\ndecoder:\n  half:\n    fp16: true\n", None),
    ],
)
def test_at_most_one_precision_is_on(look: Make, text: str, lines: tuple[int, str] | None) -> None:
    config, _ = read(look, {"a.yaml": text})
    found = fired("conflicting-values", config)
    told = [(f.source.line, f.value["other_where"].rpartition(":")[2]) for f in found]
    assert told == ([lines] if lines else [])


def test_no_repair_is_computed_from_values_that_disagree() -> None:
    def stated(value: int, *also: int) -> Value:
        span = Span("a.yaml", 0, 1, 1, 1, 1, 2)
        origin = Origin("file", span, "yaml", key="k")
        return Value(value, origin, tuple((v, origin) for v in also))

    values = {"world_size": stated(32), "nodes": stated(8), "gpus_per_node": stated(8)}
    (sure,) = fired("world-size-not-gpus", RunConfig(values))
    assert [c.new for c in sure.changes if isinstance(c, Change)] == [64]
    (unsure,) = fired("world-size-not-gpus", RunConfig({**values, "nodes": stated(8, 4)}))
    assert unsure.changes == ()


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("clip_grad_norm: null\noptimizer_in_bwd: True\n", None),
        ("clip_grad_norm: null\noptimizer_in_bwd: False\n", 0),
    ],
)
def test_clipping_beside_an_optimizer_in_the_backward_pass(
    look: Make, text: str, known: float | None
) -> None:
    head = "tokenizer: {_component_: x}\nmodel: {_component_: y}\n"
    config, _ = read(look, {"a.yaml": head + text})
    assert config.get("gradient_clip") == known


def test_only_fields_that_are_numbers_are_read_as_text(look: Make) -> None:
    text = "training:\n  total_tokens: 1e12\n  seed: 0o17\n  lr: 1e-4\n  tag: 1e5\n"
    _, told = read(look, {"a.yaml": text})
    found = {
        f.value["key"]: f.value["use"].en for f in told if getattr(f, "outcome", "") == "fires"
    }
    assert set(found) == {"training.total_tokens", "training.lr"}
    assert "optimizer" in found["training.lr"]
    assert "optimizer" not in found["training.total_tokens"]


@pytest.mark.parametrize("odd", ['{"learning_rate": 0.1,}', '{"learning_rate": 0.1 // peak\n}'])
def test_json_that_json_load_refuses(look: Make, odd: str) -> None:
    _, told = read(look, {"args.json": odd.replace("{", '{"per_device_train_batch_size": 4, ', 1)})
    (unread,) = [t for t in told if isinstance(t, Unread)]
    assert unread.file.rpartition(":")[2] in ("1", "2")
    assert "json.load" in unread.why.en


def test_deepspeed_reads_comments_and_trailing_commas(look: Make) -> None:
    text = '{\n // c\n "train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2},}'
    config, told = read(look, {"ds.json": text})
    assert all(t.partly for t in told if isinstance(t, Unread))
    assert config.get("micro_batch_size") == 4
