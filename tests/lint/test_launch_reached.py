"""Launches that a script builds in parts, and slips that only show where they are followed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]

GROWN = (
    "#!/bin/bash\n"
    "LR=1e-4\n"
    'options=" \\\n'
    "    --tensor-model-parallel-size 2 \\\n"
    "    --num-layers 24 --hidden-size 1024 --num-attention-heads 16 \\\n"
    "    --seq-length 1024 --max-position-embeddings 1024 \\\n"
    "    --micro-batch-size 1 --global-batch-size 8 --train-iters 1000 \\\n"
    "    --lr $LR --min-lr 1e-5 --lr-decay-style cosine \\\n"
    "    --weight-decay 0.1 --clip-grad 1.0 --log-interval 1 \\\n"
    "    --eval-interval 10 --save-interval 100 --tensorboard-queue-size 10 \\\n"
    '    --data-path data --save ckpt"\n'
    'if [[ "$USE_DEEPSPEED" -eq 1 ]]; then\n'
    '    options="${options} \\\n'
    '        --deepspeed"\n'
    "fi\n"
    'cmd="deepspeed --num_gpus 8 ${DIR:-.}/pretrain_gpt.py $@ ${options}"\n'
    "eval ${cmd}\n"
)
GROWN_SLIPS = [
    ("--save-interval 100", "--save-intervals 100", "misspelt-flag", 10),
    ("--lr-decay-style", "--lr-scheduler-type", "misspelt-flag", 8),
    ("--train-iters", "--train-steps", "misspelt-flag", 7),
    ("queue-size 10", "queue-size 10e", "impossible-value", 10),
    ("--num-layers 24", "--num-layers l24", "impossible-value", 5),
]
QUOTES_LEFT = (
    "head=$(hostname)\n"
    'srun "$@" bash -c \'\n'
    "  torchrun --master_addr '$head' --nnodes $SLURM_NNODES \\\n"
    "    --node_rank $SLURM_NODEID --nproc_per_node 8 \\\n"
    "    train.py --output_dir out --learning_rate 1e-4 --max_steps 100'\n"
)
BRANCHES = (
    "#!/bin/bash\n"
    "model=llama\n"
    "out=runs/a\n"
    "rate=1e-5\n"
    'if [ "$nodes" -gt 1 ]; then\n'
    '    header="srun torchrun --nnodes=$nodes -m training.train_model"\n'
    "else\n"
    '    header="torchrun --nnodes=1 \\\n'
    '    --nproc-per-node=8 -m training.train_model"\n'
    "fi\n"
    "arguments=(\n"
    "    --report_to wandb\n"
    "    --save_strategy steps\n"
    "    --logging_steps 1\n"
    "    --model_name $model\n"
    "    --output_dir $out\n"
    "    --learning_rate $rate\n"
    "    --weight_decay 0.1\n"
    ")\n"
    '${header} "${arguments[@]}" 2>&1 | tee log\n'
)
OWN = "torchrun --nproc_per_node 8 train.py --lr 1e-4 --epochs 3 {flag}\n"


def _places(found: tuple[LintFinding, ...]) -> list[tuple[str, int]]:
    return [(one.name, one.line) for one in found if one.severity != "info"]


def test_the_clean_ones_are_silent(lint_text: Lint) -> None:
    for text in (GROWN, QUOTES_LEFT, BRANCHES.replace("$nodes", "${1:-1}")):
        assert not _places(lint_text(text, "run.sh"))


@pytest.mark.parametrize(("old", "new", "name", "line"), GROWN_SLIPS)
def test_a_text_of_options_that_a_branch_extends_is_read(
    lint_text: Lint, old: str, new: str, name: str, line: int
) -> None:
    assert old in GROWN
    assert (name, line) in _places(lint_text(GROWN.replace(old, new), "run.sh"))


def test_a_branch_that_sets_an_option_again_leaves_it_open(lint_text: Lint) -> None:
    text = GROWN.replace("--deepspeed", "--num-layers 23").replace("layers 24", "layers l24")
    assert ("impossible-value", 5) not in _places(lint_text(text, "run.sh"))


def test_quotes_that_are_left_for_a_variable_keep_one_script(lint_text: Lint) -> None:
    text = QUOTES_LEFT.replace("--nproc_per_node 8", "--nproc_per_nodes 8")
    assert ("misspelt-flag", 4) in _places(lint_text(text, "run.sh"))


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("--weight_decay", "--weigth_decay", 18),
        ("--output_dir", "--ouput_dir", 16),
        ("--learning_rate", "--learning_rates", 17),
    ],
)
def test_the_list_of_a_program_that_branches_start(
    lint_text: Lint, old: str, new: str, line: int
) -> None:
    assert ("misspelt-flag", line) in _places(lint_text(BRANCHES.replace(old, new), "run.sh"))


def test_a_variable_of_such_a_list_is_missed(lint_text: Lint) -> None:
    text = BRANCHES.replace("rate=1e-5\n", "").replace("$nodes", "${1:-1}")
    assert ("unset-variable-takes-flag", 16) in _places(lint_text(text, "run.sh"))


@pytest.mark.parametrize(
    ("flag", "meant"),
    [
        ("--attrbute_path x", "--attribute_path"),
        ("--viddeo_path x", "--video_path"),
        ("--use_imagenet_pretrianed", "--use_imagenet_pretrained"),
        ("--use_flash_attns True", "--use_flash_attn"),
    ],
)
def test_one_word_of_an_own_flag_is_a_slip(lint_text: Lint, flag: str, meant: str) -> None:
    found = [one for one in lint_text(OWN.format(flag=flag), "run.sh") if "misspelt" in one.name]
    assert [meant in one.message.en for one in found] == [True]


@pytest.mark.parametrize(
    "flag",
    ["--loss_lambda 2", "--use_imagenet", "--vis_path x", "--behaviour_path x", "--id_token x"],
)
def test_words_of_ones_own_are_none(lint_text: Lint, flag: str) -> None:
    assert not _places(lint_text(OWN.format(flag=flag), "run.sh"))


@pytest.mark.parametrize("flag", ["--report_to", "--save_strategy", "--lr_scheduler_type"])
def test_a_word_lacks_behind_a_flag_that_needs_one(lint_text: Lint, flag: str) -> None:
    text = OWN.format(flag=f"{flag} --seed 1")
    assert ("flag-value-not-accepted", 1) in _places(lint_text(text, "run.sh"))


def test_a_word_before_the_script_is_taken_for_it(lint_text: Lint) -> None:
    text = "torchrun --nproc_per_node 8 4 train.py --lr 1e-4\n"
    assert ("flag-value-not-accepted", 1) in _places(lint_text(text, "run.sh"))


@pytest.mark.parametrize(
    ("flag", "name"),
    [
        ("--data_path --image_folder x", "flag-value-not-accepted"),
        ("--batch_size l16", "impossible-value"),
    ],
)
def test_a_text_and_a_number_of_a_script_of_ones_own(lint_text: Lint, flag: str, name: str) -> None:
    trains = "--deepspeed ds.json --bf16 True --tf32 True --per_device_train_batch_size 1"
    text = OWN.format(flag=f"{trains} {flag}")
    assert (name, 1) in _places(lint_text(text, "run.sh"))


def test_a_switch_that_is_called_like_a_place_needs_none(lint_text: Lint) -> None:
    trains = "--deepspeed ds.json --bf16 True --tf32 True --per_device_train_batch_size 1"
    text = OWN.format(flag=f"{trains} --overwrite_output_dir --do_train --output_dir out")
    told = [one.message.en for one in lint_text(text, "run.sh")]
    assert not [what for what in told if "overwrite_output_dir needs" in what]
