"""Values of the run as people type them."""

from __future__ import annotations

import time

import pytest

from medic.index.knowledge import load
from medic.run_config import FIELDS
from medic.told.model_words import GPU, MODEL, not_known
from medic.told.stated import MAX_LENGTH, beside_values, called, only_states, reckonable, stated


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
        ("8x A100 40GB", {"world_size": 8}),
        ("8x H100", {"world_size": 8}),
        ("用 8 张 A100 训练", {"world_size": 8}),
        ("每个节点 8 张 H100", {"gpus_per_node": 8}),
        ("2 nodes, 8x H100 each", {"nodes": 2, "gpus_per_node": 8}),
        ("4 nodes with 8 gpus each", {"nodes": 4, "gpus_per_node": 8}),
        ("4 H100 nodes", {"nodes": 4}),
        ("batch size 每卡 8", {"micro_batch_size": 8}),
        ("1,024 gpus, sequence length 8,192", {"world_size": 1024, "sequence_length": 8192}),
        (
            "it does not use offload, micro batch 4",
            {"optimizer_offload": "none", "micro_batch_size": 4},
        ),
        ("no ZeRO", {"zero_stage": 0}),
        ("we don't use DeepSpeed, not using FSDP", {"zero_stage": 0, "fsdp": False}),
        ("没有用 ZeRO，未启用 FSDP", {"zero_stage": 0, "fsdp": False}),
        ("ZeRO is off", {"zero_stage": 0}),
        ("没开 torch.compile", {"compile": False}),
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
        "not 8 gpus",
        "不是 8 卡",
        "没有预热 2000",
        "increase micro batch to 8 did not help",
        "micro batch 调到 8 没用",
        "expected 16 gpus but found 8",
        "it works on 8 gpus",
        "tried micro batch 4",
        "期望 16 卡，只看到 8",
        "no ZeRO-3",
        "the loss is not zero",
        "no zero gradients",
        "no FSDP before version 2",
        "不用 ZeRO 就正常",
        "不用 ZeRO，就正常",
        "it works without FSDP",
    ],
)
def test_other_numbers_are_no_values(text: str) -> None:
    assert values(text) == {}
    assert not only_states(text)


def test_a_report_beside_a_value_is_more_than_a_value() -> None:
    assert values("training on 8 GPUs hangs at step 200") == {"world_size": 8}
    assert not only_states("training on 8 GPUs hangs at step 200")


@pytest.mark.parametrize("name", [n for n in FIELDS if n not in (MODEL, GPU)])
def test_every_field_is_taken_by_its_name_and_by_its_meaning(name: str) -> None:
    kind, unit, _ = FIELDS[name]
    value = {int: "3", float: "0.5", bool: "on"}.get(kind, unit.split("|")[0] if unit else "x")
    value = "x" if " " in value else value
    for words in (name, name.replace("_", " "), called(name).zh, called(name).en):
        assert name in values(f"{words} = {value}"), words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "qwen3 8b on 4 A100 80G",
            {"model_name": "qwen3-8b", "gpu": "a100-80g", "world_size": 4},
        ),
        (
            "Qwen/Qwen3-8B-Instruct, 8xH100",
            {"model_name": "qwen3-8b", "gpu": "h100-80g", "world_size": 8},
        ),
        (
            "用 4 张 A100-40GB 训练 llama3 8b",
            {"model_name": "llama-3-8b", "gpu": "a100-40g", "world_size": 4},
        ),
        ("qwen3 30b a3b", {"model_name": "qwen3-30b-a3b"}),
        ("Qwen2-7B", {"model_name": "qwen2-7b"}),
        ("llama 3.1 8b", {"model_name": "llama-3.1-8b"}),
        ("RTX 4090", {"gpu": "rtx-4090"}),
        ("not qwen3 8b", {}),
        ("llama3 8b works, qwen3 8b does not start", {}),
        ("see configs/qwen3-8b.yaml", {}),
        ("step 4090, loss 2.1", {}),
    ],
)
def test_models_and_gpus_are_taken_from_words(text: str, expected: dict[str, object]) -> None:
    assert {item.field: item.value for item in stated(text, load())} == expected


AMOUNTS = ("using", "fine-tuned", "loaded", "at", "from", "dolma", "philosophy", "serving")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("we train llama2 34b on 8 A70", ["llama2 34b", "A70"]),
        ("Qwen1.5-110B-Chat", ["Qwen1.5-110B-Chat"]),
        ("我们训练 qwen2.5 110b 时", ["qwen2.5 110b"]),
        ("baichuan-inc/Baichuan9-13B-Base hangs", ["baichuan-inc/Baichuan9-13B-Base"]),
        ("Qwen/Qwen1.5-110B", ["Qwen/Qwen1.5-110B"]),
        ("qwen3 8b on 4 A100 80G", []),
        ("100b tokens, a 7b model, training 7B on T4", []),
        ("configs/yi-34b.yaml", []),
        ("data/dolma-500b", []),
        ("/job/Ckpt/Falcon-40B", []),
        ("step 4090", []),
        *((f"{word} {size}", []) for word in AMOUNTS for size in ("7b", "70B", "500b")),
        ("we feed qwen 500b tokens", []),
    ],
)
def test_names_that_medic_does_not_know_are_told(text: str, names: list[str]) -> None:
    assert not_known(text, load()) == names


@pytest.mark.parametrize(
    "text",
    [
        "random seed is 1234",
        "debian 12, python 3.9.18",
        "随机种子：7",
        "it is on swanlab and centos 7.9",
    ],
)
def test_what_no_fault_depends_on_is_no_part_of_a_description(text: str) -> None:
    assert not beside_values(text).strip()
    told = beside_values(f"the loss does not go down, {text}")
    assert "does not go down" in told
    assert text[:4] not in told


@pytest.mark.parametrize(
    "text",
    [
        "flash-attn fails to import on centos 7",
        "pip install of apex stops, ubuntu 18.04, python 3.12",
        "version `GLIBC_2.32' not found, debian 11",
        "安装 flash-attn 报错，python 3.13，seed 42",
    ],
)
def test_a_machine_is_told_of_where_a_library_fails(text: str) -> None:
    told = beside_values(text)
    for part in ("centos 7", "ubuntu 18.04", "python 3.12", "debian 11", "python 3.13"):
        assert (part in told) == (part in text)
    assert "seed" not in told


def test_a_machine_is_told_of_after_a_library_that_failed() -> None:
    assert not beside_values("ubuntu 18.04").strip()
    assert "ubuntu" in beside_values("ubuntu 18.04", before="ImportError: libcudart.so.12")


def test_a_long_text_is_no_typed_value() -> None:
    assert values("micro batch is 4 " * 100) == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("world size is 16, not 8", {"world_size": 16}),
        ("16 gpus, not 8 gpus", {"world_size": 16}),
        ("micro batch 8 没用，序列长度 4096", {"sequence_length": 4096}),
    ],
)
def test_only_the_clause_that_denies_or_reports_gives_no_value(
    text: str, expected: dict[str, object]
) -> None:
    assert values(text) == expected
    assert not only_states(text)


def test_clauses_that_are_values_are_left_out_of_a_description() -> None:
    told = beside_values("it hangs, always; micro batch 4, sequence length 8192. It dies at step 3")
    assert "micro batch" not in told
    assert "sequence" not in told
    assert "it hangs, always;" in told
    assert "It dies at step 3" in told


@pytest.mark.parametrize(
    "text",
    [
        "lr=1e-4 " + "这个" * 300,
        "8," * 300,
        "100," * 150,
        "1_" * 300,
        "micro batch" + " " * 600,
        "lr" + " -_" * 200,
        "8 nvidia h100 pcie 80" + " " * 600,
        "each node " * 60,
    ],
)
def test_odd_texts_take_no_time(text: str) -> None:
    text = text[: MAX_LENGTH - 1] + "爆"
    only_states("lr 1")  # compiles the patterns
    began = time.process_time()
    only_states(text)
    beside_values(text)
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("LoRA on Llama-3-8B, rank 64 on all linear layers", {"lora_rank", MODEL}),
        ("用 LoRA（rank=16）微调 Qwen2-7B", {"lora_rank", MODEL}),
        ("full fine-tuning of Llama-3-8B", {MODEL}),
        ("LoRA on Llama-3-8B", set()),
        ("LoRA r=8 on Llama-3-8B with 4-bit weights", {"lora_rank"}),
        ("QLoRA r=8 on Llama-3-8B", set()),
    ],
)
def test_no_model_is_reckoned_as_trained_whole_where_a_part_is(
    text: str, expected: set[str]
) -> None:
    assert {item.field for item in reckonable(text, load())} == expected
