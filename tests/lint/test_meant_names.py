"""Names of other frameworks, blocks and units; files that no framework is proven to read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
KEY, FLAG, VALUE = "misspelt-config-key", "misspelt-flag", "impossible-value"

PLAIN = """sequence_length: 2048
micro_batch_size: 4
gradient_accumulation_steps: 4
learning_rate: 3.0e-4
num_epochs: 3
warmup_steps: 10
"""
LITGPT = """checkpoint_dir: checkpoints/some
out_dir: out
precision: bf16-true
logger_name: csv
train:
  save_interval: 800
  log_interval: 1
  global_batch_size: 8
  micro_batch_size: 1
  lr_warmup_steps: 10
  epochs: 4
"""
FACTORY = """model_name_or_path: some/model
stage: sft
do_train: true
finetuning_type: lora
dataset: some
template: qwen
cutoff_len: 2048
output_dir: out
per_device_train_batch_size: 1
learning_rate: 1.0e-4
num_train_epochs: 3.0
warmup_ratio: 0.1
"""
VERL = """python3 -m verl.trainer.main_ppo \\
    data.max_prompt_length=512 \\
    data.max_response_length=1024 \\
    actor_rollout_ref.model.path=some/model \\
    actor_rollout_ref.actor.ppo_mini_batch_size=64 \\
    actor_rollout_ref.actor.optim.lr=1e-6 \\
    actor_rollout_ref.rollout.gpu_memory_utilization=0.6 \\
    trainer.total_epochs=15
"""
MEGATRON = """torchrun --nproc_per_node 8 pretrain_gpt.py \\
    --num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 1024 \\
    --max-position-embeddings 1024 --micro-batch-size 4 --train-iters 1000 --lr 1e-4 \\
    --global-batch-size 64 --lr-warmup-iters 10 --bf16
"""


def _told(found: tuple[LintFinding, ...]) -> list[tuple[str, int]]:
    return [(f.name, f.line) for f in found if f.severity != "info"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (PLAIN, "a.yaml"),
        (LITGPT, "a.yaml"),
        (FACTORY, "a.yaml"),
        (VERL, "a.sh"),
        (MEGATRON, "a.sh"),
    ],
)
def test_clean(lint_text: Lint, text: str, name: str) -> None:
    assert _told(lint_text(text, name)) == []


@pytest.mark.parametrize(
    ("text", "old", "new", "name", "line", "meant"),
    [
        (LITGPT, "global_batch_size", "train_batch_size", KEY, 8, "global_batch_size: 8"),
        (FACTORY, "warmup_ratio: 0.1", "warmup_ratio: 100", VALUE, 12, "warmup_steps: 100"),
        (VERL, "actor.ppo_mini", "rollout.ppo_mini", KEY, 5, "actor.ppo_mini_batch_size=64"),
        (VERL, "rollout.gpu_mem", "actor.gpu_mem", KEY, 7, "rollout.gpu_memory_utilization=0.6"),
        (
            VERL,
            "data.max_p",
            "data.global_batch_size=128 data.max_p",
            KEY,
            2,
            "data.train_batch_size=128",
        ),
        (VERL, "actor.optim.lr", "actor.learning_rate", KEY, 6, "actor.optim.lr=1e-6"),
        (MEGATRON, "--global-batch", "--train-batch", FLAG, 4, "--global-batch-size 64"),
        (MEGATRON, "-iters 10 ", "-iters 0.01 ", VALUE, 4, "--lr-warmup-iters 10 "),
        (MEGATRON, "--num-layers", "--num-l-ayers", FLAG, 2, "--num-layers"),
    ],
)
def test_what_is_meant(
    lint_text: Lint, text: str, old: str, new: str, name: str, line: int, meant: str
) -> None:
    assert old in text
    file = "a.sh" if "\\" in text else "a.yaml"
    found = [f for f in lint_text(text.replace(old, new, 1), file) if f.severity != "info"]
    assert [(f.name, f.line) for f in found] == [(name, line)]
    fix = found[0].fix
    assert fix is not None
    assert fix.patch is not None
    added = [one for one in fix.patch.diff.split("\n") if one.startswith("+")]
    assert any(meant in one for one in added), added


@pytest.mark.parametrize(
    "flags",
    [
        "--n_layer 12 --n_head 12 --n_embd 768 --num_layrs 12",
        "--report_to none --save_strategy no --num_layrs 12",
    ],
)
def test_no_flag_that_the_program_lacks(lint_text: Lint, flags: str) -> None:
    assert _told(lint_text(f"python run_clm.py {flags}\n", "a.sh")) == []


def test_a_sign_between_the_wrong_letters(lint_text: Lint) -> None:
    assert _told(lint_text("python tool.py --usel_ora --lr 1e-4\n", "a.sh")) == [(FLAG, 1)]


def test_a_rate_beside_the_one_that_rules(lint_text: Lint) -> None:
    text = "lr: 10\nlearning_rate: 3.0e-4\nbatch_size: 8\nepochs: 3\n"
    assert [(f.name, f.line) for f in lint_text(text)] == [("learning-rate-too-high", 1)]
    assert lint_text(text.replace("lr: 10", "lr: 1.0e-4")) == ()


def test_a_launcher_s_slip_leaves_its_default_unknown(lint_text: Lint) -> None:
    text = MEGATRON.replace("_node 8", "_nodes 8").replace("--bf16", "--context-parallel-size 8")
    assert _told(lint_text(text, "a.sh")) == [(FLAG, 1)]


@pytest.mark.parametrize("word", ["$DISTRIBUTED_ARGS", "--nnodes 1 ${LAUNCH[@]}"])
def test_options_in_an_unknown_variable_leave_no_default(lint_text: Lint, word: str) -> None:
    text = MEGATRON.replace("--nproc_per_node 8", word).replace(
        "--bf16", "--bf16 --context-parallel-size 8"
    )
    assert [one for one in _told(lint_text(text, "a.sh")) if "parallel" in one[0]] == []
    known = text.replace(word, "--nproc_per_node 4")
    assert [one[0] for one in _told(lint_text(known, "a.sh"))] == ["parallel-sizes-exceed-world"]


SWIFT = "swift sft --model some/model --dataset some --learning_rate 1e-4 --logging_steps 5\n"
MEGATRONS = "megatron sft --model some/model --dataset some --lr 1e-4 --micro_batch_size 4\n"
RAY = "python -m openrlhf.cli.train_ppo_ray --pretrain some/model --actor_learning_rate 1e-6\n"
RATE = "python -m openrlhf.cli.train_sft --pretrain some/model --learning_rate 1e-6\n"
GROUPED = "python -m openrlhf.cli.train_ppo_ray --actor.model_name_or_path a --adam.lr 1e-6\n"


@pytest.mark.parametrize(
    ("command", "old", "new", "meant"),
    [
        (SWIFT, "--learning_rate", "--lr", "--learning_rate"),
        (SWIFT, "--learning_rate", "--actor_learning_rate", "--learning_rate"),
        (SWIFT, "--logging_steps", "--log_interval", "--logging_steps"),
        (MEGATRONS, "--lr", "--learning_rate", "--lr"),
        (RAY, "--actor_learning_rate", "--learning_rate", "--actor_learning_rate"),
        (GROUPED, "", "", "--actor.adam.lr"),
        (SWIFT, "", "", ""),
        (MEGATRONS, "", "", ""),
        (RAY, "", "", ""),
        (RATE, "", "", ""),
        ("swift deploy --model some/model --log_interval 20\n", "", "", ""),
    ],
)
def test_names_of_a_sister_program(
    lint_text: Lint, command: str, old: str, new: str, meant: str
) -> None:
    found = [f for f in lint_text(command.replace(old, new, 1), "a.sh") if f.name == FLAG]
    assert [f"{meant} is meant" in str(f.message) for f in found] == ([True] if meant else [])


AXOLOTL = (
    "base_model: some/model\ndatasets:\n  - path: some/data\n    type: alpaca\n"
    "sequence_len: 2048\nmicro_batch_size: 1\nnum_epochs: 1\nlearning_rate: 2e-5\n"
)


def test_a_name_of_a_block_at_the_top(lint_text: Lint) -> None:
    found = lint_text(AXOLOTL.replace("learning_rate", "lr"))
    assert _told(found) == [(KEY, 8)]  # and not that the rate is missing
    groups = "lr_groups:\n  - name: head\n    modules: [lm_head]\n    lr: 1e-4\n"
    assert _told(lint_text(AXOLOTL + groups)) == []


TRAINER = (
    "python run_clm.py --model_name_or_path some/model --output_dir out --save_strategy no "
    "--evaluation_strategy no --report_to none --save_total_limit 2 --tf32 True "
    "--per_device_train_batch_size 1 --learning_rate 1e-5 {flag} 5\n"
)


@pytest.mark.parametrize(
    ("flag", "meant"),
    [
        ("--log_interval", "--logging_steps"),
        ("--logging_steps", ""),
        ("--logging_steps 1 --log_interval", ""),  # beside it a flag of the script's own
    ],
)
def test_an_interval_of_another_framework(lint_text: Lint, flag: str, meant: str) -> None:
    found = [f for f in lint_text(TRAINER.format(flag=flag), "a.sh") if f.name == FLAG]
    assert [f"{meant} is meant" in str(f.message) for f in found] == ([True] if meant else [])
