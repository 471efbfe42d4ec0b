"""Arguments that only the frameworks' lists had, and messages and words that led elsewhere."""

from __future__ import annotations

import pytest

from medic.commands import main
from medic.explain import find
from medic.index.knowledge import Index, load

MEANT = {
    "zero_hpz_partition_size": "zero-plus-plus",
    "--moe-router-topk": "experts-per-token",
    "fsdp_reshard_after_forward": "reshard-after-forward",
    "load_step": "step-to-load",
    "reward_weights": "reward-weights",
    "lr_scheduler_kwargs": "scheduler-arguments",
    "fsdp vs deepspeed": "fsdp-or-deepspeed",
    "--ckpt-format": "megatron-checkpoint-format",
    "use_reentrant": "reentrant-checkpointing",
    "stage3_param_persistence_threshold": "zero-gather-limits",
    "use_dynamic_bsz": "token-budget",
}
TOLD = {
    "多机训练只有主节点有日志,其他节点没反应": "rendezvous-failed",
    "模型一直重复输出同样的话": "output-degenerates",
    "ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism": "options-exclude-each-other",
    "RayOutOfMemoryError": "ray-node-low-on-memory",
    "config_class not consistent": "loaded-with-another-model-class",
    "Num examples = 1": "one-example-left",
    "Num examples = 0": "data-set-empty",
    "False is not a valid IntervalStrategy": "flag-value-not-accepted",
}


@pytest.fixture(scope="module")
def index() -> Index:
    return load()


@pytest.mark.parametrize(("asked", "name"), [*MEANT.items(), *TOLD.items()])
def test_each_leads_to_its_entry(index: Index, asked: str, name: str) -> None:
    assert find(asked, index)[0].name == name


def test_repeating_words_are_no_repeated_batch(
    capsys: pytest.CaptureFixture[str], state: object
) -> None:
    assert main(["--lang", "en", "explain", "模型一直重复输出同样的话"]) == 0
    first = capsys.readouterr().out.partition("  2. ")[0]
    assert "one-batch-repeated" not in first


def test_what_the_frameworks_make_of_a_term(
    capsys: pytest.CaptureFixture[str], state: object
) -> None:
    for asked, told in (("--moe-router-topk", True), ("use_reentrant", False)):
        assert main(["--lang", "en", "explain", asked]) == 0
        assert ("What the frameworks make of it" in capsys.readouterr().out) is told


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("Num examples = 51,760", "one-example-left"),
        ("ray.init(num_gpus=8)", "ray-node-low-on-memory"),
        ("config_class = LlamaConfig", "loaded-with-another-model-class"),
        ("ZeRO-1 with pipeline parallelism", "options-exclude-each-other"),
    ],
)
def test_near_words_lead_elsewhere(index: Index, asked: str, name: str) -> None:
    assert name not in [match.name for match in find(asked, index)[:1]]
