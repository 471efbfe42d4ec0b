"""Values of the run as people type them."""

from __future__ import annotations

import pytest

from medic.run_config import FIELDS
from medic.stated import called, only_states, stated


def values(text: str) -> dict[str, object]:
    return {item.field: item.value for item in stated(text)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the node has 32 cores", {"node_cores": 32}),
        ("cores=32", {"node_cores": 32}),
        ("we have 8 GPUs per node", {"gpus_per_node": 8}),
        ("each node has 8 GPUs", {"node_gpus": 8}),
        ("micro batch is 4", {"micro_batch_size": 4}),
        ("world size 64", {"world_size": 64}),
        ("每节点 8 卡", {"gpus_per_node": 8}),
        ("单机八卡", {"gpus_per_node": 8}),
        ("每台机器 8 张卡，共 4 台机器", {"gpus_per_node": 8, "nodes": 4}),
        ("序列长度 4096", {"sequence_length": 4096}),
        ("学习率是 1e-4，预热 2000", {"learning_rate": 1e-4, "warmup_steps": 2000}),
        ("seq len 4k", {"sequence_length": 4096}),
        ("1T tokens in total", {"total_tokens": 10**12}),
        ("数据集条数 12万", {"dataset_sequences": 120_000}),
        (
            "tp 8 pp 4 dp 2",
            {"tensor_parallel_size": 8, "pipeline_parallel_size": 4, "data_parallel_size": 2},
        ),
        ("min lr 1e-5, lr 1e-4", {"min_learning_rate": 1e-5, "learning_rate": 1e-4}),
        ("precision bf16", {"precision": "bf16"}),
        ("gradient checkpointing is on", {"activation_checkpointing": True}),
        ("ZeRO-3", {"zero_stage": 3}),
        ("optimizer=adamw", {"optimizer": "adamw"}),
    ],
)
def test_values_are_taken_from_words(text: str, expected: dict[str, object]) -> None:
    assert values(text) == expected
    assert only_states(text)


@pytest.mark.parametrize(
    "text",
    [
        "it hangs after 3 minutes",
        "loss 3.2 at step 400",
        "epoch 3 loss nan",
        "should I set the micro batch to 4?",
        "micro batch 应该设成 4 吗",
        "跑到 2000 步就挂了",
        "4 卡的时候正常，8 卡就挂",
        "RuntimeError: CUDA error 700",
        "80 GB of memory",
        "precision is good",
    ],
)
def test_other_numbers_are_no_values(text: str) -> None:
    assert values(text) == {}
    assert not only_states(text)


def test_a_report_beside_a_value_is_more_than_a_value() -> None:
    assert values("training on 8 GPUs hangs at step 200") == {"world_size": 8}
    assert not only_states("training on 8 GPUs hangs at step 200")


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_is_taken_by_its_name_and_by_its_meaning(name: str) -> None:
    kind, unit, _ = FIELDS[name]
    value = {int: "3", float: "0.5", bool: "on"}.get(kind, unit.split("|")[0] if unit else "x")
    value = "x" if " " in value else value
    for words in (name, name.replace("_", " "), called(name).zh, called(name).en):
        assert name in values(f"{words} = {value}"), words


def test_a_long_text_is_no_typed_value() -> None:
    assert values("micro batch is 4 " * 100) == {}
