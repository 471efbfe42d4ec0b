"""A key whose name is misspelt is not absent: no rule about its absence fires, and no default."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
MEGATRON = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 24 --hidden-size 2048 \\\n"
    "  --num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 \\\n"
    "  --micro-batch-size 4 --global-batch-size {batch} --train-iters 10000 --lr 3e-4 --bf16 \\\n"
    "  --tokenizer-type NullTokenizer --vocab-size 32000 --mock-data {more}\n"
)
OPENRLHF = (
    "python3 -m openrlhf.cli.train_ppo_ray --actor_num_nodes 1 --actor_num_gpus_per_node 8 \\\n"
    "  --ref_num_nodes 1 --ref_num_gpus_per_node 8 --vllm_num_engines 4 \\\n"
    "  --vllm_tensor_parallel_size 2 --advantage_estimator rloo --n_samples_per_prompt 8 \\\n"
    "  --rollout_batch_size 128 --micro_rollout_batch_size 16 --train_batch_size 128 \\\n"
    "  --micro_train_batch_size 8 --remote_rm_url http://localhost:5000 --vllm_enable_sleep {more}\n"
)
ABSENT = ("option-without-effect", "option-needs-another-option")


def named(found: tuple[LintFinding, ...]) -> list[str]:
    return [f.name for f in found]


@pytest.mark.parametrize(
    "flag",
    [
        "--tensor-model-paralel-size",
        "--tensor-model-parallelsize",
        "--tensor-parallel-size",
        "--tensor-parallel-degree",
    ],
)
def test_a_switch_keeps_its_misspelt_partner(lint_text: Lint, flag: str) -> None:
    text = MEGATRON.format(batch=256, more=f"{flag} 4 --sequence-parallel")
    found = lint_text(text, "a.sh")
    assert not {*named(found)}.intersection(ABSENT)
    assert not any(f.fix.safe for f in found if f.fix)


def test_without_a_partner_it_is_told(lint_text: Lint) -> None:
    """Another parallel size is no misspelt one."""
    text = MEGATRON.format(batch=256, more="--context-parallel-size 2 --sequence-parallel")
    assert named(lint_text(text, "a.sh")) == ["option-without-effect"]


def test_nothing_is_computed_with_the_default_of_a_misspelt_key(lint_text: Lint) -> None:
    """12 sequences do not divide over 8 data parallel ranks, but over the 2 that are meant."""
    wrong = MEGATRON.format(batch=24, more="")
    assert "batch-not-divisible" in named(lint_text(wrong, "a.sh"))
    meant = MEGATRON.format(batch=24, more="--tensor-model-paralel-size 4")
    assert named(lint_text(meant, "a.sh")) == ["misspelt-flag"]


def test_a_rule_about_a_key_that_is_not_stated(lint_text: Lint) -> None:
    assert named(lint_text(OPENRLHF.format(more="--collocate_all_models"), "a.sh")) == [
        "misspelt-flag"
    ]
    assert named(lint_text(OPENRLHF.format(more=""), "a.sh")) == ["option-without-effect"]


def test_in_a_file(lint_text: Lint) -> None:
    text = "MODEL_ARGS:\n  --micro-batch-size: 1\n  --train-iters: 10\n  --save: out\n"
    assert named(lint_text(text)) == ["option-needs-another-option"]
    assert not {*named(lint_text(text + "  --save-intervl: 5\n"))}.intersection(ABSENT)
