"""Rules of DeepSpeed's JSON: what is fine is silent, each mutation fires at its key."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]

VALUE = "flag-value-not-accepted"
NEEDS = "option-needs-another-option"
EXCLUDE = "options-exclude-each-other"
WITHOUT = "option-without-effect"
DEPRECATED = "argument-deprecated"
MICRO = {"train_micro_batch_size_per_gpu": 4}
ELASTIC = {"elasticity": {"enabled": True, "max_train_batch_size": 64}}
IGNORED = {"elasticity": {"enabled": True, "ignore_non_elastic_batch_info": True}}


def zero(stage: int, **more: Any) -> dict[str, Any]:
    gather = {"stage3_gather_16bit_weights_on_model_save": True} if stage == 3 else {}
    return MICRO | {"zero_optimization": {"stage": stage, **gather, **more}}


def adam(name: str = "AdamW", **more: Any) -> dict[str, Any]:
    return {"optimizer": {"type": name, "params": {"lr": 1e-4, **more}}}


NVME = {"device": "nvme", "nvme_path": "/nvme"}
# What is fine, what is not, the check, and the key that it points at.
MUTATIONS = [
    (zero(2, offload_optimizer={"device": "cpu"}), zero(2, offload_optimizer={"device": "gpu"}),
     VALUE, "device"),
    (zero(3, offload_param={"device": "cpu"}), zero(3, offload_param={"device": "host"}),
     VALUE, "device"),
    (IGNORED | {"train_batch_size": 64}, ELASTIC | {"train_batch_size": 64},
     EXCLUDE, "train_batch_size"),
    (IGNORED | MICRO, ELASTIC | MICRO, EXCLUDE, "train_micro_batch_size_per_gpu"),
    (IGNORED | {"gradient_accumulation_steps": 2}, ELASTIC | {"gradient_accumulation_steps": 2},
     EXCLUDE, "gradient_accumulation_steps"),
    (zero(3, offload_optimizer={"device": "cpu", "ratio": 0.3}),
     zero(2, offload_optimizer={"device": "cpu", "ratio": 0.3}), EXCLUDE, "ratio"),
    (zero(2) | {"fp16": {"fp16_master_weights_and_grads": True}},
     zero(1) | {"fp16": {"fp16_master_weights_and_grads": True}},
     EXCLUDE, "fp16_master_weights_and_grads"),
    (zero(0) | adam("OneBitAdam"), zero(1) | adam("OneBitAdam"), EXCLUDE, "type"),
    (zero(2) | adam("Muon"), zero(3) | adam("Muon"), EXCLUDE, "type"),
    (zero(0) | {"amp": {"enabled": True}}, zero(1) | {"amp": {"enabled": True}},
     EXCLUDE, "enabled"),
    (zero(0) | {"amp": {"enabled": True}},
     zero(0) | {"amp": {"enabled": True}, "bf16": {"enabled": True}},
     "two-precisions-set", "enabled"),
    (zero(2) | adam(), zero(2) | adam(max_grad_norm=1.0), VALUE, "max_grad_norm"),
    (zero(3, offload_optimizer=NVME), zero(3, offload_optimizer={"device": "nvme"}),
     NEEDS, "device"),
    (zero(3, offload_param=NVME), zero(3, offload_param={"device": "nvme"}), NEEDS, "device"),
    (zero(3, offload_param={"device": "cpu"}), zero(2, offload_param={"device": "cpu"}),
     WITHOUT, "device"),
    (zero(1, offload_optimizer={"device": "cpu"}), zero(0, offload_optimizer={"device": "cpu"}),
     WITHOUT, "device"),
    (zero(3, zero_hpz_partition_size=8), zero(2, zero_hpz_partition_size=8),
     WITHOUT, "zero_hpz_partition_size"),
    (zero(3, zero_quantized_weights=True), zero(2, zero_quantized_weights=True),
     WITHOUT, "zero_quantized_weights"),
    (zero(2), zero(2, cpu_offload=True), DEPRECATED, "cpu_offload"),
    (zero(3), zero(3, cpu_offload_param=True), DEPRECATED, "cpu_offload_param"),
    (zero(2), zero(2, cpu_offload_use_pin_memory=True), DEPRECATED, "cpu_offload_use_pin_memory"),
    (zero(2), zero(2, stage3_gather_fp16_weights_on_model_save=True),
     DEPRECATED, "stage3_gather_fp16_weights_on_model_save"),
    (MICRO | {"scheduler": {"type": "StepLR"}}, MICRO | {"scheduler": {"type": "WarmupDecay"}},
     VALUE, "type"),
    (zero(1), MICRO | {"zero_optimization": True}, DEPRECATED, "zero_optimization"),
]  # fmt: skip


def told(findings: tuple[LintFinding, ...]) -> list[tuple[str, int]]:
    return [(f.name, f.line) for f in findings]


@pytest.mark.parametrize(("good", "bad", "cause", "key"), MUTATIONS)
def test_each_mutation_fires(
    lint_text: Lint, good: Mapping[str, Any], bad: Mapping[str, Any], cause: str, key: str
) -> None:
    assert told(lint_text(json.dumps(good, indent=1), "ds_config.json")) == []
    text = json.dumps(bad, indent=1)
    line = 1 + next(i for i, one in enumerate(text.splitlines()) if f'"{key}"' in one)
    assert told(lint_text(text, "ds_config.json")) == [(cause, line)]


def test_amp_with_fp16(lint_text: Lint) -> None:
    text = json.dumps(MICRO | {"amp": {"enabled": True}, "fp16": {"enabled": True}}, indent=1)
    found = [f for f in told(lint_text(text, "ds_config.json")) if f[0] != "fp16-overflow"]
    assert found == [("two-precisions-set", 4)]


def test_stage_2_with_pipeline_stages(lint_text: Lint) -> None:
    command = (
        "deepspeed --num_gpus 8 pretrain_gpt.py --micro-batch-size 4 --global-batch-size 64 \\\n"
        "  --pipeline-model-parallel-size 2 --num-layers 8 --hidden-size 1024 \\\n"
        "  --num-attention-heads 16 --seq-length 1024 --max-position-embeddings 1024 \\\n"
        "  --lr 1e-4 --lr-warmup-iters 100 --train-iters 5000 --lr-decay-iters 5000 \\\n"
        "  --deepspeed_config ds_config.json\n"
    )
    for stage, rules in ((1, []), (2, [EXCLUDE])):
        files = {"ds_config.json": json.dumps(zero(stage), indent=1)}
        found = [f.name for f in lint_text(command, "run.sh", files) if f.name == EXCLUDE]
        assert found == rules


def test_a_field_by_its_own_name_is_that_of_its_alias(lint_text: Lint) -> None:
    """DeepSpeed reads ``stage3_x`` and plain ``x`` as one field of zero_optimization."""
    own = {
        "gather_16bit_weights_on_model_save": True, "prefetch_bucket_size": 5e7,
        "param_persistence_threshold": 1e5, "model_persistence_threshold": 1e12,
        "max_live_parameters": 1e9, "max_reuse_distance": 1e9, "allgather_sequential": True,
        "module_granularity_threshold": 0, "use_all_reduce_for_fetch_params": True,
        "partition_stream_chunk_size": 0,
    }  # fmt: skip
    for names in (own, {f"stage3_{name}": value for name, value in own.items()}):
        text = json.dumps(MICRO | {"zero_optimization": {"stage": 3, **names}}, indent=1)
        assert told(lint_text(text, "ds_config.json")) == []
    for name, value in (("gather_16bit_weights_on_model_save", False), ("max_live_parameters", 1)):
        text = json.dumps(MICRO | {"zero_optimization": {"stage": 3, name: value}}, indent=1)
        assert told(lint_text(text, "ds_config.json")) == [("ungathered-shards-saved", 4)]


@pytest.mark.parametrize("name", ["prefetch_bucket_size", "stage3_prefetch_bucket_size"])
def test_either_name_takes_a_whole_number(lint_text: Lint, name: str) -> None:
    text = json.dumps(zero(3, **{name: "5e7"}), indent=1)
    (found,) = lint_text(text, "ds_config.json")
    assert found.line == 6


@pytest.mark.parametrize(
    ("pin", "stage", "tells"),
    [
        ("deepspeed==0.18.1\n", 2, True),
        ("deepspeed==0.17.6\n", 2, True),
        ("deepspeed==0.18.1\n", 1, False),
        ("deepspeed==0.18.3\n", 2, False),
        ("deepspeed>=0.16\n", 2, False),
        ("", 2, False),
    ],
)
def test_a_release_with_faulty_gradients(
    lint_text: Lint, pin: str, stage: int, *, tells: bool
) -> None:
    found = lint_text(json.dumps(zero(stage)), "ds_config.json", more={"requirements.txt": pin})
    assert [f.name for f in found] == ["zero-2-gradients-wrong"] * tells
