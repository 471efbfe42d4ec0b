"""Values glued to flags, paths that a blank parts, words of the shell, jobs of a loop, and JSON
that the shell fills in."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
_TRAINER = (
    "torchrun --nproc_per_node 8 train.py --model_name_or_path m --output_dir out \\\n"
    "  --per_device_train_batch_size 2 --save_strategy steps --save_steps 100 --bf16 True {}\n"
)
_SWIFT = "NPROC_PER_NODE=8 NNODES=2 megatron sft --model m --micro_batch_size 1 {}\n"


def _told(found: tuple[LintFinding, ...]) -> list[str]:
    return [one.name for one in found if one.severity == "error"]


@pytest.mark.parametrize(
    ("flag", "right"),
    [
        ("--learning_rate1e-5", "--learning_rate 1e-5"),
        ("--lr_scheduler_typecosine", "--lr_scheduler_type cosine"),
        ("--adam_beta20.95", "--adam_beta2 0.95"),
        ("--gradient_checkpointingTrue", "--gradient_checkpointing True"),
        ("--use_peftFalse", "--use_peft False"),
        ("--cache_dirruns/a", "--cache_dir runs/a"),
        ("--cache_dir./runs", "--cache_dir ./runs"),
        ("--cache_dir$HOME/runs", "--cache_dir $HOME/runs"),
        ("--cache_dir'runs'", "--cache_dir 'runs'"),
        ("--my_own$HOME 1", ""),
        ("--img_size224 --x 1", "--img_size 224"),
        ("--use_gpt4 --x 1", ""),
        ("--optimize --x 1", ""),
        ("--save_steps_extra 1", ""),
        ("--max_length2 5", ""),
    ],
)
def test_a_value_behind_the_name(lint_text: Lint, flag: str, right: str) -> None:
    found = lint_text(_TRAINER.format(flag), "run.sh")
    assert [one.message.en.partition("; ")[2] for one in found if one.severity == "error"] == (
        [f"{right} is meant"] if right else []
    )


@pytest.mark.parametrize(
    ("command", "right"),
    [
        ("torchrun --nproc_per_node8 train.py", "--nproc_per_node 8"),
        ("deepspeed --num_gpus 8 --master_port29501 train.py", "--master_port 29501"),
        ("accelerate launch --num_processes8 train.py", "--num_processes 8"),
        ("torchrun --nproc_per_node 8 train.py", ""),
    ],
)
def test_a_value_behind_an_option_of_the_launcher(
    lint_text: Lint, command: str, right: str
) -> None:
    found = [one.message.en for one in lint_text(command + " --x 1\n", "run.sh")]
    assert [text.partition("; ")[2] for text in found] == [f"{right} is meant"] * bool(right)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("exort FOO=1", "export"),
        ("soruce venv/bin/activate", "source"),
        ("pythn train.py --x 1", "python"),
        ("torchrum --nproc_per_node 8 train.py", "torchrun"),
        ("sbath job.sbatch", "sbatch"),
        ("cython train.pyx", ""),
        ("exort() { export $1; }\nexort FOO=1", ""),
        ("report FOO=1", ""),
    ],
)
def test_misspelt_words_of_the_shell(lint_text: Lint, line: str, meant: str) -> None:
    found = [one.message.en for one in lint_text(line + "\n", "run.sh")]
    assert [text.split()[-3] for text in found] == [meant] * bool(meant)


@pytest.mark.parametrize(
    ("head", "words", "behind", "told"),
    [
        ("for i in 0 1 2; do", "--master_port 29500", "&", 1),
        ("for i in $(seq 4); do", "--master_port 29500", "&", 1),
        ("for ((i=0; i<4; i++)); do", "--master_port=29500", "&", 1),
        ("for i in 0; do", "--master_port 29500", "&", 0),
        ("for i in $SEEDS; do", "--master_port 29500", "&", 0),
        ("for i in 0 1; do", "--master_port 29500", "", 0),
        ("for i in 0 1; do", "--master_port 29500", "&\n  wait", 0),
        ("for i in 0 1; do", "--master_port $((29500 + i))", "&", 0),
        ("for i in 0 1; do", "--standalone", "&", 0),
        ("for i in 0 1; do", "--master_port 29500 --nnodes 2 --node_rank $i", "&", 0),
    ],
)
def test_jobs_of_a_loop_on_one_port(
    lint_text: Lint, head: str, words: str, behind: str, told: int
) -> None:
    text = (
        f"{head}\n  torchrun --nproc_per_node 1 {words} train.py --seed $i {behind}\ndone\nwait\n"
    )
    found = [one for one in lint_text(text, "run.sh") if one.name == "launches-share-a-port"]
    assert len(found) == told
    if told:
        assert found[0].shown[0][2].endswith("$((29500 + i))")


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ('"train_batch_size": $((GPUS * 4))', True),
        ('"train_batch_size": $(nproc)', True),
        ('"train_batch_size": ${BATCH:-${OTHER}}', True),
        ('$MORE\n  "gradient_accumulation_steps": 2', True),
        ('"train_batch_size": $((GPUS * 4)) "x": 1', True),
        ('"train_batch_size": 64', False),
    ],
)
def test_json_that_the_shell_fills_in_is_left_open(lint_text: Lint, value: str, read: bool) -> None:
    text = (
        f'cat <<JSON > ds.json\n{{\n  {value},\n  "zero_optimization": {{"stage": 5}}\n}}\nJSON\n'
        "deepspeed --num_gpus 8 train.py --deepspeed ds.json\n"
    )
    found = lint_text(text, "run.sh")
    assert "config-syntax-error" not in _told(found)
    assert ("impossible-value" in _told(found)) or read


def test_a_list_that_a_branch_only_adds_to(lint_text: Lint) -> None:
    text = (
        "ARGS=(--num-layers 4 --hidden-size 64 --num-attention-heads 4 --no-load-rng true)\n"
        'if [ -n "$KEY" ]; then\n  ARGS+=({})\nfi\n'
        "torchrun --nproc_per_node 8 pretrain_gpt.py ${{ARGS[@]}}\n"
    )
    told = _told(lint_text(text.format("--wandb-project p"), "run.sh"))
    assert told == ["boolean-flag-with-value"]
    again = _told(lint_text(text.format("--num-layers 8"), "run.sh"))
    assert again == told, "the list is judged by itself where it is given another value for a flag"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--output_dir out/run 1 --lr 1", 1),
        ("--train_file data/tr ain.json --lr 1", 1),
        ("--train_file data/a.json b.json --lr 1", 0),
        ("--output_dir out/run1 --lr 1", 0),
    ],
)
def test_paths_that_a_blank_parts(lint_text: Lint, words: str, told: int) -> None:
    found = lint_text(f"python train.py --a 1 --b 2 --c 3 --d 4 {words}\n", "run.sh")
    assert _told(found) == ["flag-value-not-accepted"] * told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--max_eval_samples 1o", True),
        ("--model_version 4o", False),
        ("--save_total_limit O8", True),
        ("--max_eval_samples 10k", False),
    ],
)
def test_a_letter_for_a_zero(lint_text: Lint, words: str, told: bool) -> None:
    assert (
        bool(_told(lint_text(f"python train.py --learning_rate 1e-4 {words}\n", "run.sh"))) == told
    )


def test_a_flag_that_newer_releases_renamed(lint_text: Lint) -> None:
    text = "trl sft --model_name_or_path m --dataset_name d --max_seq_lenght 2048\n"
    (found,) = (one for one in lint_text(text, "run.sh") if one.name == "misspelt-flag")
    assert "--max_length in trl >=0.20" in found.message.en
    assert found.fix is None or found.fix.patch is None


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--tensor_model_parallel_size 3", ["parallel-sizes-exceed-world"]),
        ("--tensor_model_parallel_size 2 --global_batch_size 65", ["batch-not-divisible"]),
        ("--tensor_model_parallel_size 2 --global_batch_size 64", []),
    ],
)
def test_the_world_of_programs_that_start_torchrun(
    lint_text: Lint, words: str, told: list[str]
) -> None:
    assert _told(lint_text(_SWIFT.format(words), "run.sh")) == told


@pytest.mark.parametrize(
    ("flag", "told"),
    [
        ("--learning_rate 1e-5", 1),
        ("--gradient_accumulation_steps 2", 0),
        ("--mixed_precision no", 0),
    ],
)
def test_flags_of_the_script_before_it(lint_text: Lint, flag: str, told: int) -> None:
    found = lint_text(f"accelerate launch {flag} train.py --x 1\n", "run.sh")
    assert _told(found) == ["misspelt-flag"] * told
