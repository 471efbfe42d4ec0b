"""Rules of OpenRLHF: clean commands are silent, each mutation fires at its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]

RL = (
    "ray job submit --address http://127.0.0.1:8265 -- python3 -m openrlhf.cli.train_ppo_ray \\\n"
    "  --actor.num_nodes 1 --actor.num_gpus_per_node 8 \\\n"
    "  --ref.num_nodes 1 --ref.num_gpus_per_node 8 \\\n"
    "  --vllm.num_engines 4 --vllm.tensor_parallel_size 2 \\\n"
    "  --train.colocate_all --vllm.enable_sleep \\\n"
    "  --algo.advantage.estimator rloo --rollout.n_samples_per_prompt 8 \\\n"
    "  --rollout.batch_size 128 --rollout.micro_batch_size 16 \\\n"
    "  --train.batch_size 128 --train.micro_batch_size 8 \\\n"
    "  --reward.remote_url http://localhost:5000 --actor.adam.lr 5e-7\n"
)
OLD = (
    "python3 -m openrlhf.cli.train_ppo_ray \\\n"
    "  --actor_num_nodes 1 --actor_num_gpus_per_node 8 \\\n"
    "  --ref_num_nodes 1 --ref_num_gpus_per_node 8 \\\n"
    "  --vllm_num_engines 8 --vllm_tensor_parallel_size 1 \\\n"
    "  --colocate_all_models --vllm_enable_sleep \\\n"
    "  --advantage_estimator rloo --n_samples_per_prompt 8 \\\n"
    "  --rollout_batch_size 128 --micro_rollout_batch_size 16 \\\n"
    "  --train_batch_size 128 --micro_train_batch_size 8 \\\n"
    "  --remote_rm_url http://localhost:5000 --actor_learning_rate 5e-7\n"
)
SFT = (
    "deepspeed --num_gpus 8 --module openrlhf.cli.train_sft \\\n"
    "  --train.batch_size 128 --train.micro_batch_size 4 \\\n"
    "  --ds.ring_attn_size 2 --ds.packing_samples \\\n"
    "  --ds.tensor_parallel_size 1 --ds.param_dtype bf16 \\\n"
    "  --data.max_len 2048 --adam.lr 5e-6\n"
)
OLD_SFT = (
    "deepspeed --num_gpus 8 --module openrlhf.cli.train_sft \\\n"
    "  --train_batch_size 128 --micro_train_batch_size 4 \\\n"
    "  --ring_attn_size 2 --packing_samples \\\n"
    "  --max_len 2048 --learning_rate 5e-6 --bf16\n"
)
FILTER = "--train.batch_size 128 --algo.dynamic_filtering_enable"
OLD_FILTER = "--train_batch_size 128 --dynamic_filtering"
REMOTE = "--reward.remote_url http://localhost:5000 "
OLD_REMOTE = "--remote_rm_url http://localhost:5000 "
NEEDS, EXCLUDE = "option-needs-another-option", "options-exclude-each-other"
MUTATIONS = [
    (
        OLD,
        {
            "actor_num_gpus_per_node 8": "actor_num_gpus_per_node 0",
            "--colocate_all_models --vllm_enable_sleep ": "",
        },
        "flag-value-not-accepted",
        2,
    ),
    (RL, {"per_prompt 8": "per_prompt 1"}, NEEDS, 6),
    (RL, {" --rollout.n_samples_per_prompt 8": ""}, NEEDS, 6),
    (RL, {"num_engines 4": "num_engines 2"}, "colocated-sizes-differ", 4),
    (RL, {"ref.num_gpus_per_node 8": "ref.num_gpus_per_node 4"}, "colocated-sizes-differ", 3),
    (RL, {"rollout.batch_size 128": "rollout.batch_size 8"}, "rl-batch-does-not-divide", 7),
    (RL, {"colocate_all": "colocate_all --train.async_enable"}, EXCLUDE, 5),
    (RL, {"--train.colocate_all ": ""}, "option-without-effect", 5),
    (RL, {"--train.batch_size 128": FILTER, REMOTE: ""}, NEEDS, 8),
    (OLD, {"per_prompt 8": "per_prompt 1"}, NEEDS, 6),
    (OLD, {" --n_samples_per_prompt 8": ""}, NEEDS, 6),
    (OLD, {"num_engines 8": "num_engines 4"}, "colocated-sizes-differ", 4),
    (OLD, {"rollout_batch_size 128": "rollout_batch_size 8"}, "rl-batch-does-not-divide", 7),
    (OLD, {"all_models": "all_models --async_train"}, EXCLUDE, 5),
    (OLD, {"--colocate_all_models ": ""}, "option-without-effect", 5),
    (OLD, {"--train_batch_size 128": OLD_FILTER, OLD_REMOTE: ""}, NEEDS, 8),
    (SFT, {" --ds.packing_samples": ""}, NEEDS, 3),
    (SFT, {"parallel_size 1": "parallel_size 2", "dtype bf16": "dtype fp32"}, NEEDS, 4),
    (OLD_SFT, {" --packing_samples": ""}, NEEDS, 3),
]


@pytest.mark.parametrize("text", [RL, OLD, SFT, OLD_SFT], ids=["rl", "old-rl", "sft", "old-sft"])
def test_the_clean_command_is_silent(lint_text: Lint, text: str) -> None:
    assert lint_text(text, "launch.sh") == ()


def test_it_gathers_the_weights_of_zero_3_itself(lint_text: Lint) -> None:
    assert (
        lint_text(SFT.replace("--ds.packing", "--ds.zero_stage 3 --ds.packing"), "launch.sh") == ()
    )


@pytest.mark.parametrize(("text", "changes", "cause", "line"), MUTATIONS)
def test_each_mutation_fires(
    lint_text: Lint, text: str, changes: dict[str, str], cause: str, line: int
) -> None:
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new, 1)
    found = lint_text(text, "launch.sh")
    assert [(f.name, f.line) for f in found] == [(cause, line)]


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (RL, "--reward.remote", "--algo.dynamic_filtering_enable --reward.remote"),
        (OLD, "--remote_rm", "--dynamic_filtering --remote_rm"),
    ],
)
def test_filtering_needs_a_group(lint_text: Lint, text: str, old: str, new: str) -> None:
    text = text.replace("estimator rloo", "estimator gae").replace("per_prompt 8", "per_prompt 1")
    assert lint_text(text, "launch.sh") == ()
    found = lint_text(text.replace(old, new), "launch.sh")
    assert [(f.name, f.line) for f in found] == [(NEEDS, 9)]
