"""Commands inside a word: bash -c '…', ssh host "…", and text that tree-sitter parts oddly."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding
from medic.syntax.shell_tree import parse_shell
from medic.syntax.source import SourceText

Lint = Callable[..., tuple[LintFinding, ...]]

SINGLE = """#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gres=gpu:4
export GPUS=4
export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)
srun --jobid $SLURM_JOBID bash -c 'torchrun \\
  --nproc_per_node $GPUS --nnodes $SLURM_NNODES --node_rank $SLURM_PROCID \\
  --master_addr $MASTER_ADDR --master_port 6000 \\
  train.py \\
  --save_strategy "steps" --save_steps 100 \\
  --lr_scheduler_type "cosine"'
"""
DOUBLE = (
    SINGLE.replace("bash -c 'torchrun", 'bash -c "cd work && torchrun')
    .replace("$SLURM_PROCID", "\\$SLURM_PROCID")
    .replace('"steps"', '\\"steps\\"')
    .replace('"cosine"\'', '\\"cosine\\""')
)


def words(text: str) -> list[list[str | None]]:
    document = parse_shell(SourceText(text.encode(), "run.sh"), {})
    return [[word.value for word in command.words] for command in document.commands]


@pytest.mark.parametrize("text", [SINGLE, DOUBLE])
def test_an_inner_command_is_read_as_the_inner_shell_does(lint_text: Lint, text: str) -> None:
    assert lint_text(text, "job.sh") == ()
    command = next(c for c in words(text) if "train.py" in c)
    assert command[-6:] == [
        "--save_strategy", "steps", "--save_steps", "100", "--lr_scheduler_type", "cosine",
    ]  # fmt: skip
    assert command[:1] == ["srun"]


@pytest.mark.parametrize("text", [SINGLE, DOUBLE])
def test_faults_inside_are_told_at_their_line(lint_text: Lint, text: str) -> None:
    mutated = text.replace("node=1", "node=4").replace("--gres=gpu:4", "--gres=gpu:4 ")
    assert [(f.name, f.line) for f in lint_text(mutated, "job.sh")] == [
        ("launcher-in-every-task", 3)
    ]


def test_what_only_the_outer_shell_fills_in_is_not_known() -> None:
    command = words("bash -c \"run.py --a '$B' --c 1\"\n")[-1]
    assert command == ["bash", "-c", "run.py", "--a", None, "--c", "1"]


@pytest.mark.parametrize(
    "text",
    [
        "ssh host 'cd a; python t.py --x 1'\n",
        'sbatch --wrap="python t.py --x 1"\n',
        "A=1; bash -lc 'python t.py --x $A'\n",
    ],
)
def test_other_programs_that_run_a_text(text: str) -> None:
    assert words(text)[-1][-4:] == ["python", "t.py", "--x", "1"]


def test_words_behind_a_redirection_belong_to_the_command() -> None:
    (command,) = words("python t.py > log 2>&1 \\\n --a 1 --b 2\n")
    assert command == ["python", "t.py", "--a", "1", "--b", "2"]


def test_blanks_before_an_expansion_part_words() -> None:
    text = 'A=(--n 1)\nc="torchrun ${A[@]} $DIR/t.py ${A[@]} --x"\neval $c\n'
    assert words(text)[-1] == ["torchrun", "--n", "1", None, "--n", "1", "--x"]


def test_a_flag_with_an_equals_sign_is_no_assignment(lint_text: Lint) -> None:
    text = "python t.py \\\n  --a=1\n  --rank=16 \\\n  --b 2\n"
    assert words(text)[-1] == ["--rank=16", "--b", "2"]
    assert [(f.name, f.line) for f in lint_text(text, "run.sh")] == [("command-cut-short", 2)]


def test_a_document_with_an_ellipsis_is_cut_on_purpose(lint_text: Lint) -> None:
    assert lint_text("python t.py \\\n  ...\n  --b 2\n", "run.sh") == ()


LINES = "cd /w\nexport A=1\ntorchrun --nproc_per_node 8 train.py --a 1"


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        (f'CMD="{LINES}"\neval "$CMD"\n', ["cd", "export", "torchrun"]),
        (f'eval "\n{LINES}\n"\n', ["cd", "export", "torchrun"]),
        (f'CMD="{LINES}"\nbash -c "$CMD"\n', ["bash"] * 3),
        ('A="--a 1\n--b 2"\neval torchrun t.py $A\n', ["torchrun"]),  # blanks without quotes
        ("A='--a 1 \\\n--b 2'\neval \"torchrun t.py $A\"\n", ["torchrun"]),
    ],
)
def test_lines_of_a_text_that_a_second_shell_reads(text: str, commands: list[str]) -> None:
    assert [one[0] for one in words(text)] == commands


@pytest.mark.parametrize(("gpus", "fires"), [(8, False), (4, True)])
def test_processes_that_an_inner_shell_computes(lint_text: Lint, gpus: int, fires: bool) -> None:
    text = (
        f"#!/bin/bash\n#SBATCH -N 2\n#SBATCH --ntasks-per-node=1\n#SBATCH --gres=gpu:{gpus}\n"
        'export GPUS=8\nsrun bash -c "accelerate launch --num_machines \\$SLURM_NNODES '
        "--num_processes \\$((SLURM_NNODES * GPUS)) --machine_rank \\$SLURM_NODEID "
        '--main_process_ip \\$HEAD train.py --a 1"\n'
    )
    found = [f.line for f in lint_text(text, "run.sh") if f.name == "more-ranks-than-gpus"]
    assert found == ([6] if fires else [])
