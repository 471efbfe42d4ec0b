"""Lists of GPUs, amounts of a job and ranks of its nodes that are not what they look like."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]

PROGRAM = "train.py --model_name_or_path m --output_dir out --per_device_train_batch_size 1"
JOB = """#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gres=gpu:8
#SBATCH {}
python train.py
"""
NODES = """#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gres=gpu:8
export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)
export MASTER_PORT=29500
"""
TORCHRUN = (
    "torchrun --nproc_per_node 8 --nnodes $SLURM_NNODES --node_rank $SLURM_NODEID "
    "--master_addr $MASTER_ADDR --master_port $MASTER_PORT"
)
EQUALS = TORCHRUN.replace("--node_rank ", "--node_rank=").replace("_port ", "_port=")


def told(found: tuple[LintFinding, ...]) -> list[tuple[str, int]]:
    return [(one.name, one.line) for one in found]


# --- lists of GPUs --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("export CUDA_VISIBLE_DEVICES=0,1,1", ["impossible-value"]),
        ("export CUDA_VISIBLE_DEVICES=0,1,11", []),
        ("# export CUDA_VISIBLE_DEVICES=0,0", []),
    ],
)
def test_a_gpu_that_a_list_names_twice(lint_text: Lint, line: str, names: list[str]) -> None:
    assert [f.name for f in lint_text(f"{line}\npython {PROGRAM}\n", "run.sh")] == names


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ("--include localhost:0,1 --num_gpus 2", ["flag-value-not-accepted"]),
        ("--num_gpus=2 --include=localhost:0,1", ["flag-value-not-accepted"]),
        ("--include localhost:1 --exclude localhost:0", ["flag-value-not-accepted"]),
        ("--include localhost:0,1 --master_port 29501", []),
        ("--hostfile hosts --num_nodes 2 --num_gpus 2", []),
    ],
)
def test_options_that_deepspeed_refuses_together(
    lint_text: Lint, options: str, names: list[str]
) -> None:
    found = lint_text(f"deepspeed {options} {PROGRAM}\n", "run.sh")
    assert [f.name for f in found if f.severity == "error"] == names


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("-i a:0 -e a:1", "-i beside -e"),
        ("-e a:1 --include=a:0", "--include beside -e"),
        ("--num-gpus=2 --exclude a:1", "--exclude beside --num-gpus"),
        ("-i a:0 --num_nodes 2", "-i beside --num_nodes"),
    ],
)
def test_options_are_told_as_they_are_written(lint_text: Lint, options: str, told: str) -> None:
    found = lint_text(f"deepspeed {options} {PROGRAM}\n", "run.sh")
    (what,) = [f.message for f in found if f.severity == "error"]
    assert f"deepspeed refuses {told}:" in str(what)


@pytest.mark.parametrize(("processes", "told"), [("8", [(2, "LCH")]), ("2", [])])
def test_the_same_list_before_two_commands(
    lint_text: Lint, processes: str, told: list[object]
) -> None:
    text = (
        "CUDA_VISIBLE_DEVICES=4,5 python other.py\n"
        f"CUDA_VISIBLE_DEVICES=4,5 accelerate launch --num_processes {processes} {PROGRAM}\n"
    )
    found = [f for f in lint_text(text, "run.sh") if f.name == "more-ranks-than-gpus"]
    assert [(f.line, f.code[:3]) for f in found] == told


def test_a_count_is_told_whole(lint_text: Lint) -> None:
    text = f"CUDA_VISIBLE_DEVICES=2,3 deepspeed --num-gpus 20000 {PROGRAM}\n"
    (found,) = lint_text(text, "run.sh")
    assert "beside --num-gpus 20000" in str(found.message)


@pytest.mark.parametrize(
    ("gpus", "options", "names"),
    [
        ("2,3", "--num_gpus 2", ["option-without-effect"]),
        ('"2,3"', "--num_gpus 2", ["option-without-effect"]),
        ("'2,3'", "--num_gpus 2", ["option-without-effect"]),
        ("3", "--num_gpus 1", ["option-without-effect"]),
        ('"1,0"', "--num_gpus 2", []),
        ("0", "--num_gpus 1", []),
        ("2,3", "--num_gpus ${N}", []),
        ("2,3", f"--num_gpus {'9' * 5000}", []),
        ("0,1,2,3", "--num_gpus=8", ["option-without-effect"]),
        ("0,1", "--num_gpus 2", []),
        ("2,3", "", []),
        ("$GPUS", "--num_gpus 2", []),
    ],
)
def test_a_list_that_deepspeed_does_not_read(
    lint_text: Lint, gpus: str, options: str, names: list[str]
) -> None:
    text = f"CUDA_VISIBLE_DEVICES={gpus} deepspeed {options} {PROGRAM}\n"
    assert [f.name for f in lint_text(text, "run.sh")] == names


# --- amounts --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("directive", "wrong"),
    [
        ("--mem=64", True),
        ("--mem-per-gpu=100", True),
        ("--mem-per-cpu=4", True),
        ("--time=24", True),
        ("-t 72", True),
        ("--time=48:00", True),
        ("--time=30:00", False),
        ("--time=1-24:00", False),
        ("--mem=64G", False),
        ("--mem=64000", False),
        ("--mem=0", False),
        ("--mem-per-cpu=4000", False),
        ("--time=30", False),
        ("--time=24:00:00", False),
    ],
)
def test_amounts_without_their_unit(lint_text: Lint, directive: str, wrong: bool) -> None:
    expected = [("shell-reads-otherwise", 5)] if wrong else []
    assert told(lint_text(JOB.format(directive), "job.sh")) == expected


def test_a_job_that_trains_nothing_may_be_small(lint_text: Lint) -> None:
    text = "#!/bin/bash\n#SBATCH --mem=64\n#SBATCH --time=24\ncp -r a b\n"
    assert lint_text(text, "job.sh") == ()


# --- ranks ----------------------------------------------------------------------------------


@pytest.mark.parametrize("launcher", [TORCHRUN, EQUALS])
@pytest.mark.parametrize(
    ("command", "early"),
    [
        ('srun bash -c "{launcher} {program}"', True),
        ("srun {launcher} {program}", True),
        ('CMD="{launcher} {program}"\nsrun bash -c "$CMD"', True),
        ('LAUNCHER="{launcher}"\nsrun bash -c "$LAUNCHER {program}"', True),
        ("srun bash -c '{launcher} {program}'", False),
        ('srun bash -c "{escaped} {program}"', False),
        ('CMD="{escaped} {program}"\nsrun bash -c "$CMD"', False),
        ("echo \"it's on\"\nsrun bash -c '{launcher} {program}'", False),
    ],
)
def test_a_rank_that_the_batch_script_fills_in(
    lint_text: Lint, launcher: str, command: str, early: bool
) -> None:
    escaped = launcher.replace("$SLURM_NODEID", "\\$SLURM_NODEID")
    body = command.format(launcher=launcher, escaped=escaped, program=PROGRAM)
    found = lint_text(NODES + body + "\n", "job.sh")
    assert [f.name for f in found] == (["node-rank-missing-or-repeated"] if early else [])


def test_a_negative_rank(lint_text: Lint) -> None:
    options = "--num_machines 2 --num_processes 16 --machine_rank {}"
    text = f"accelerate launch {options} {PROGRAM}\n"
    assert lint_text(text.format(1), "run.sh") == ()
    found = lint_text(text.format(-1), "run.sh")
    assert told(found) == [("node-rank-missing-or-repeated", 1)]


def test_a_value_from_a_variable_is_not_empty(lint_text: Lint) -> None:
    text = NODES + f'LAUNCHER="{EQUALS}"\nsrun $LAUNCHER {PROGRAM}\n'
    assert told(lint_text(text, "job.sh")) == [("node-rank-missing-or-repeated", 7)]


def test_a_script_that_is_given_its_rank_is_started_on_each_node(lint_text: Lint) -> None:
    text = (
        "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --gres=gpu:4\n"
        f"torchrun --nproc_per_node 4 --nnodes 4 --node_rank {{}} --master_addr $1 {PROGRAM}\n"
    )
    assert lint_text(text.format("$2"), "run.sh") == ()
    found = lint_text(text.format("$SLURM_NODEID"), "run.sh")
    assert told(found) == [("launch-not-as-allocated", 4)]


ACCELERATE = (
    "distributed_type: MULTI_GPU\nnum_machines: {}\nnum_processes: 8\nmixed_precision: bf16\n"
)


@pytest.mark.parametrize(
    ("shown", "machines", "options", "lines"),
    [
        ("0,1,2,3", 1, "", [1]),
        ("0,1,2,3", 2, "", []),
        ("0,1,2,3,4,5,6,7", 1, "", []),
        ("0,1,2,3", 1, "--num_processes 4 ", []),
    ],
)
def test_processes_of_a_file_against_the_visible_gpus(
    lint_text: Lint, shown: str, machines: int, options: str, lines: list[int]
) -> None:
    text = (
        f"export CUDA_VISIBLE_DEVICES={shown}\n"
        f"accelerate launch --config_file acc.yaml {options}{PROGRAM}\n"
    )
    found = lint_text(text, "run.sh", {"acc.yaml": ACCELERATE.format(machines)})
    assert [one.line for one in found if one.name == "more-ranks-than-gpus"] == lines
