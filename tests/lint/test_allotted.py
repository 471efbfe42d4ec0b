"""What a launch counts on beside what is there: tasks, rows of a hostfile, processes of a file."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]

NEMO = (
    "srun python megatron_gpt_pretraining.py --config-name=gpt trainer.devices={devices} "
    "trainer.num_nodes=2 model.micro_batch_size=1 model.global_batch_size=16\n"
)
JOB = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node={tasks}\n#SBATCH --gres=gpu:8\n"
HOSTS = "node1 slots=8\nnode2 slots=8  # the new one\n"
DEEPSPEED = "deepspeed --hostfile hosts {flags} train.py --deepspeed_config ds.json\n"
WRITES = "cat > hosts <<EOF\n" + HOSTS + "EOF\n"
ACCELERATE = """\
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
machine_rank: 0
main_process_ip: 10.0.0.1
num_machines: 2
num_processes: 16
"""


def told(found: tuple[LintFinding, ...], name: str) -> list[str]:
    return [str(f.message) for f in found if f.name == name]


@pytest.mark.parametrize(("tasks", "devices", "fires"), [(1, 8, True), (8, 8, False)])
def test_lightning_wants_a_task_a_device(
    lint_text: Lint, tasks: int, devices: int, fires: bool
) -> None:
    script = JOB.format(tasks=tasks) + NEMO.format(devices=devices)
    found = told(lint_text(script, "run.sh"), "launch-not-as-allocated")
    assert any("trainer.devices" in one for one in found) == fires


def test_torchrun_of_one_task_needs_no_more(lint_text: Lint) -> None:
    launch = NEMO.format(devices=8).replace("python", "torchrun --nproc_per_node 8")
    found = lint_text(JOB.format(tasks=1) + launch, "run.sh")
    assert not any("trainer.devices" in str(f.message) for f in found)


@pytest.mark.parametrize(
    ("flags", "fires"),
    [("--num_nodes 4", True), ("--num_nodes=2", False), ("--num_nodes 1", False)],
)
def test_nodes_beyond_the_hostfile(lint_text: Lint, flags: str, fires: bool) -> None:
    launch = DEEPSPEED.format(flags=flags)
    beside = told(lint_text(launch, "run.sh", {"hosts": HOSTS}), "launch-not-as-allocated")
    inside = told(lint_text(WRITES + launch, "run.sh"), "launch-not-as-allocated")
    assert [bool(beside), bool(inside)] == [fires, fires]


def test_more_ranks_than_slots(lint_text: Lint) -> None:
    many = DEEPSPEED.format(flags="--num_gpus 16")
    assert told(lint_text(many, "run.sh", {"hosts": HOSTS}), "more-ranks-than-gpus")
    few = DEEPSPEED.format(flags="--num_gpus 4")
    assert not told(lint_text(few, "run.sh", {"hosts": HOSTS}), "more-ranks-than-gpus")


def test_a_hostfile_that_the_shell_fills_in_says_nothing(lint_text: Lint) -> None:
    script = "cat > hosts <<EOF\n$NODE slots=$N\nEOF\n" + DEEPSPEED.format(flags="--num_nodes 4")
    assert not told(lint_text(script, "run.sh"), "launch-not-as-allocated")


@pytest.mark.parametrize(
    ("flags", "fires"),
    [
        ("--num_machines 4", True),
        ("--num_machines 4 --num_processes 32", False),
        ("--num_processes 8", False),  # a GPU less for training, as TRL's recipes have it
    ],
)
def test_machines_without_their_processes(lint_text: Lint, flags: str, fires: bool) -> None:
    launch = f"accelerate launch --config_file acc.yaml {flags} train.py\n"
    found = lint_text(launch, "run.sh", {"acc.yaml": ACCELERATE})
    assert bool(told(found, "conflicting-values")) == fires


def test_a_row_that_counts_nothing_says_nothing(lint_text: Lint) -> None:
    launch = JOB.format(tasks=1) + NEMO.format(devices=8) + DEEPSPEED.format(flags="--num_nodes 4")
    found = lint_text(launch, "run.sh", {"hosts": HOSTS + f"node3 slots={'9' * 5000}\n"})
    (other,) = told(found, "launch-not-as-allocated")
    assert "trainer.devices" in other


ROWS = "node1 slots=8\nnode2 slots=8"


@pytest.mark.parametrize(
    ("writes", "fires"),
    [
        (f"cat <<END > hosts\n{ROWS}\nEND\n", True),
        ("N=node1\ncat > hosts <<EOF\n$N slots=8\nEOF\n", True),
        (f"cat > hosts <<E\n{ROWS}\nEND slots=8\nnode4 slots=8\nE\n", False),  # four rows
        (f"cat > hosts <<EOF\n{ROWS}\nEOF\necho node3 slots=8 >> hosts\n", False),
        (f"echo node0 slots=8 > hosts\ncat >> hosts <<EOF\n{ROWS}\nEOF\n", False),
    ],
)
def test_a_hostfile_ends_where_the_shell_ends_it(lint_text: Lint, writes: str, fires: bool) -> None:
    launch = DEEPSPEED.format(flags="--num_nodes 4")
    found = told(lint_text(writes + launch, "run.sh"), "launch-not-as-allocated")
    assert bool(found) == fires
