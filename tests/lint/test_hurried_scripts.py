"""What a hurried person writes into a launch script: each slip at its line, nothing of what is right."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
SLIP, UNSET, VALUE = "shell-reads-otherwise", "unset-variable-takes-flag", "flag-value-not-accepted"
DIRECTIVE = "slurm-directive-ignored"

JOB = """#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --gres=gpu:4
export GPUS_PER_NODE=4
WORLD=$((GPUS_PER_NODE * SLURM_NNODES))
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
NAME=first
OUT=/data/runs/$NAME
cd src && mkdir -p "$OUT"
RESUME=""
if [ -d /opt/cluster ]; then
  RESUME="--auto-resume=1"
fi
srun ${RESUME} -l accelerate launch --num_machines $SLURM_NNODES --num_processes \\
  $((SLURM_NNODES * GPUS_PER_NODE)) --rdzv_backend c10d --main_process_ip $head \\
  --main_process_port 29500 train.py --data a_b --kwargs '{"a": 1}' --out "$OUT"
"""
MUTATIONS = [
    ("cd src && mkdir", "cd src torchrun --nproc_per_node 2 a.py && mkdir", SLIP, 10),
    ("NAME=first", "export NAME=first X=1 python -m torch.distributed.run a.py", SLIP, 8),
    ("NAME=first", "NAME=first\nsource venv/bin/activate python a.py", SLIP, 9),
    ("NAME=first", "NAME=first\nconda activate llm nohup accelerate launch a.py", SLIP, 9),
    ("$((GPUS_PER_NODE * SLURM_NNODES))", "$(GPUS_PER_NODE * SLURM_NNODES)", SLIP, 6),
    ("$((GPUS_PER_NODE * SLURM_NNODES))", "$GPUS_PER_NODE*4", SLIP, 6),
    ("$((GPUS_PER_NODE * SLURM_NNODES))", "$((GPUS_PER_NODE x 4))", SLIP, 6),
    ("$((GPUS_PER_NODE * SLURM_NNODES))", "$(($GPUS_PER_NODE * ))", SLIP, 6),
    ("_ip $head", "_ip $(MASTER_ADDR)", SLIP, 16),
    ("c10d --main", "c10d --rdzv_conf id=$SLURM_JOB_D --main", UNSET, 16),
    ("_ip $head", "_ip $MASTER_ADR", UNSET, 16),
    ("export GPUS_PER_NODE=4", "export GPUS_PER_NODE=4\nexport $NCCL_DEBUG=INFO", SLIP, 6),
    ("'{\"a\": 1}'", '{"a": 1}', SLIP, 17),
    ("--data a_b", "--data a&b", SLIP, 17),
    ("--data a_b", "--data https://x.org/d?a=1;b=2", SLIP, 17),
    ("NAME=first\nOUT=/data/runs/$NAME", "OUT=/data/runs/$NAME\nNAME=first", SLIP, 8),
    ("#SBATCH --gres", " #SBATCH --gres", DIRECTIVE, 4),
    ("#SBATCH --gres", "#sbatch --gres", DIRECTIVE, 4),
    ("#SBATCH --nodes=4", "#SBATCH -N=4", SLIP, 2),
    ("#SBATCH --gres", "SBATCH --gres", SLIP, 4),
    ("29500", "29500.0", VALUE, 17),
    ("--num_machines $SLURM_NNODES", "--num_machines 4,", VALUE, 15),
    ("srun ${RESUME} -l", "sruun -l", SLIP, 15),
    ("accelerate launch", "accelerate lauch", SLIP, 15),
    ("gres=gpu:4", "gres=gpu:2", "more-ranks-than-gpus", 16),
    ("--ntasks-per-node=1", "--ntasks-per-node=4", "launcher-in-every-task", 3),
    ('--out "$OUT"', "--out-dir --lr 3", VALUE, 17),
    ("--main_process_port 29500", "--main_process_port", VALUE, 17),
    ("if [ -d /opt/cluster ]", 'if "$NAME" == first', SLIP, 12),
    ("--data a_b", "--data\u00a0a_b", SLIP, 17),
    ("export GPUS_PER_NODE=4", "export GPUS_PER_NODE=4 N=${SLURM_NNODE:-1}", UNSET, 5),
    ("launch --num_machines", "launch --num_machines --rdzv_id", VALUE, 15),
    ('--out "$OUT"', "--eval-batch-size --lr 3", VALUE, 17),
]

OWN = """python run.py --model_dir ckpt --data_fn a.jsonl --save_dir out --batch_size 8 \\
  --layers q_proj k_proj --ds_stage 1
"""


def test_a_flag_of_an_own_program_that_lost_its_dashes(lint_text: Lint) -> None:
    assert lint_text(OWN, "a.sh") == ()
    for new in ("-save_dir", "save_dir"):
        found = lint_text(OWN.replace("--save_dir", new), "a.sh")
        assert [(f.name, f.line) for f in found] == [("misspelt-flag", 1)]


OVERRIDES = """torchrun --nproc_per_node=4 -m own.ppo \\
  rollout.path=a rollout.n=8 actor.model=b actor.cp=2 trainer.steps=4 trainer.save=2 \\
  adv.kind=gae
"""


def test_one_override_with_dashes_among_many_without(lint_text: Lint) -> None:
    assert lint_text(OVERRIDES, "a.sh") == ()
    found = lint_text(OVERRIDES.replace("actor.cp", "--actor.cp"), "a.sh")
    assert [(f.name, f.line) for f in found] == [("override-syntax-wrong", 2)]
    other = OVERRIDES.replace("adv.kind", "--adv.kind")  # a block of its own
    assert lint_text(other, "a.sh") == ()


def test_the_job_is_silent(lint_text: Lint) -> None:
    assert lint_text(JOB, "a.sbatch") == ()


@pytest.mark.parametrize(("old", "new", "name", "line"), MUTATIONS)
def test_a_slip_is_told_at_its_line(
    lint_text: Lint, old: str, new: str, name: str, line: int
) -> None:
    assert JOB.count(old) == 1
    found = [(f.name, f.line) for f in lint_text(JOB.replace(old, new), "a.sbatch")]
    assert (name, line) in found


RIGHT = [
    # The quotes end before the variable and begin again behind it.
    "addr=`hostname`\nsrun sh -c '\n  torchrun --master-addr '$addr' \\\n  --nnodes 2 --node_rank $SLURM_NODEID a.py'\n",
    # What other things stand beside cd, mkdir, export and module.
    "cd src\nmkdir -p torchrun deepspeed\nmodule load cuda python/3.10\nexport A=1 B=2\npython a.py\n",
    "A=$(date +%s) B=$(ls -a) C=$(hostname -i)\nG=$DIR*$X\npython a.py --x $A\n",
    "for key in A B; do\n  export $key=1\ndone\npython a.py\n",
    "OLD_IFS=$IFS\nIFS=,\npython a.py\nIFS=$OLD_IFS\n",
    'if [ -z "$SEED" ]; then\n  SEED=1\nfi\npython a.py --x $SEED\n',
    "python a.py --x 1&\npython b.py --x 2 &> log\nwait\n",
    "python a.py --x 1&wait\n",
    "#!/bin/bash\n#SBATCH --nodes=1\n#sbatch --array=1-3 run.sh\n##SBATCH -p=x\nsrun python a.py\n",
    "python a.py --scale_lr --group_by_length --keep_aspect_ratio --lora --print_config\n",
    "torchrun --nproc_per_node gpu --nnodes 1:4 a.py\n",
    "torchrun --nproc_per_node 2 a.py --deepspeed ../../ds_stage1.json\n",
]


@pytest.mark.parametrize("text", RIGHT)
def test_what_is_right_is_silent(lint_text: Lint, text: str) -> None:
    assert not [f for f in lint_text(text, "a.sh") if f.severity != "info"]


OLD_RELEASE = """swift sft --model_type qwen2-1_5b-instruct --model_id_or_path /data/base \\
  --dataset a.jsonl --sft_type full --template_type AUTO --dtype AUTO --train_dataset_sample -1 \\
  --batch_size 4 --learning_rate 1e-4 --use_flash_attn true
"""


def test_a_command_of_an_older_release_is_not_judged_by_the_names_of_now(lint_text: Lint) -> None:
    assert not [f for f in lint_text(OLD_RELEASE, "a.sh") if f.severity != "info"]
    new = "swift sft --model a --train_type lora --dataset b --batch_size 4 --learning_rate 1e-4\n"
    assert "misspelt-flag" in {f.name for f in lint_text(new, "a.sh")}


def test_a_first_line_that_no_system_finds_stops_only_what_is_submitted(lint_text: Lint) -> None:
    plain = lint_text("#!bin/bash\ntorchrun --nproc_per_node 2 a.py\n", "a.sh")
    job = "#!bin/bash\n#SBATCH --nodes=1\nsrun python a.py\n"
    assert [(f.severity, f.line) for f in plain] == [("warning", 1)]
    assert [(f.severity, f.line) for f in lint_text(job, "a.sbatch")] == [("error", 1)]


BRANCHES = """NUM_GPUS=8
if [ $NUM_GPUS -eq 1 ]; then
  python train.py --model_name_or_path base --output_dir out \\
    --per_device_train_batch_size 2 --save_strategy no --learning_rate 1e-5
else
  torchrun --nproc_per_node $NUM_GPUS train.py --output_dir out
fi
"""


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("python train", "pyhton train", 3),
        ("--output_dir out \\", "--output_dir out", 3),
        ("--learning_rate 1e-5", "--learning_rate", 4),
        ("--save_strategy no", "--save_straetgy no", 4),
        ("--save_strategy no", "-save_strategy no", 4),
    ],
)
def test_a_branch_that_is_not_taken_is_read_as_well(
    lint_text: Lint, old: str, new: str, line: int
) -> None:
    assert lint_text(BRANCHES, "a.sh") == ()
    found = lint_text(BRANCHES.replace(old, new), "a.sh")
    assert [f.line for f in found if f.severity == "error"] == [line]
