"""Rules of slime: a clean command is silent, each mutation fires at its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
RL = (
    "ray job submit --address=http://127.0.0.1:8265 -- python3 train.py \\\n"
    "  --actor-num-nodes 1 --actor-num-gpus-per-node 8 --colocate \\\n"
    "  --hf-checkpoint /job/model --ref-load /job/ref --save /job/out --save-interval 20 \\\n"
    "  --prompt-data /job/data.jsonl --num-rollout 300 --rollout-batch-size 32 \\\n"
    "  --n-samples-per-prompt 8 --rollout-temperature 1 --global-batch-size 256 \\\n"
    "  --eval-interval 20 --eval-prompt-data aime /job/aime.jsonl \\\n"
    "  --tensor-model-parallel-size 2 --sequence-parallel --mtp-num-layers 1 \\\n"
    "  --use-dynamic-batch-size --max-tokens-per-gpu 9216 \\\n"
    "  --advantage-estimator grpo --use-kl-loss --kl-loss-coef 0.001 --kl-loss-type low_var_kl \\\n"
    "  --optimizer adam --lr 1e-6 --weight-decay 0.1 --adam-beta2 0.98\n"
)
NEEDS, EXCLUDE = "option-needs-another-option", "options-exclude-each-other"
WORD, FLAG, NONE = "flag-value-not-accepted", "misspelt-flag", "option-without-effect"
MUTATIONS = [
    (" --num-rollout 300", "", NEEDS, 4),
    ("--lr 1e-6", "--lr 1e-6 --lr-warmup-iters 9 --lr-warmup-fraction 0.1", NONE, 10),
    ("--num-rollout 300", "--num-rollout 300 --num-epoch 2", NONE, 4),
    ("temperature 1", "temperature 0", WORD, 5),
    ("--use-kl-loss", "--kl-coef 0.1", EXCLUDE, 9),
    ("estimator grpo", "estimator reinforce_plus_plus", NEEDS, 9),
    (" --max-tokens-per-gpu 9216", "", NEEDS, 8),
    ("--use-dynamic-batch-size --max-tokens-per-gpu 9216", "--balance-by-flops", NEEDS, 8),
    (" --eval-prompt-data aime /job/aime.jsonl", "", NEEDS, 6),
    (" --save /job/out", "", NEEDS, 3),
    ("--use-kl-loss", "--use-kl-loss --use-opd", NEEDS, 9),
    ("--use-kl-loss", "--use-kl-loss --opd-teacher-load /job/t", NEEDS, 9),
    ("--use-kl-loss", "--use-kl-loss --use-opd --opd-type megatron", NEEDS, 9),
    (
        "--use-kl-loss",
        "--use-opd --opd-type sglang --opd-teacher-load /job/t",
        EXCLUDE,
        9,
    ),
    (
        "--use-kl-loss",
        "--use-kl-loss --only-train-params-name-list a --freeze-params-name-list b",
        EXCLUDE,
        9,
    ),
    ("--use-kl-loss", "--debug-rollout-only --debug-train-only", EXCLUDE, 9),
    (" --ref-load /job/ref", "", NEEDS, 9),
    ("--use-kl-loss", "--use-kl-loss --use-rollout-logprobs --use-tis", EXCLUDE, 9),
    ("--use-kl-loss", "--use-kl-loss --update-weight-transport disk", NEEDS, 9),
    ("--colocate", "--colocate --update-weight-mode delta", EXCLUDE, 2),
    (" --mtp-num-layers 1", " --enable-mtp-training", NEEDS, 7),
    ("estimator grpo", "estimator grop", WORD, 9),
    ("low_var_kl", "low_var", WORD, 9),
    ("--rollout-batch-size", "--rollout-bath-size", FLAG, 4),
    ("--sequence-parallel", "--sequence-paralel", FLAG, 7),
    ("parallel-size 2", "parallel-size 3", "parallel-sizes-exceed-world", 7),
]


def test_the_clean_command_is_silent(lint_text: Lint) -> None:
    assert lint_text(RL, "launch.sh") == ()


def test_what_a_sourced_file_may_give_is_open(lint_text: Lint) -> None:
    text = RL.replace("--num-rollout 300", "${MODEL_ARGS[@]}").replace("--save /job/out ", "")
    assert lint_text(text, "launch.sh") == ()


@pytest.mark.parametrize(("old", "new", "cause", "line"), MUTATIONS)
def test_each_mutation_fires(lint_text: Lint, old: str, new: str, cause: str, line: int) -> None:
    assert old in RL
    found = lint_text(RL.replace(old, new, 1), "launch.sh")
    assert [(f.name, f.line) for f in found] == [(cause, line)]
