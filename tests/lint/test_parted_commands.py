"""Commands that end before their program, their last words or where their output goes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
CUT = "command-cut-short"
SCRIPT = """#!/bin/bash
CUDA_VISIBLE_DEVICES=0,1 \\
NNODES=1 \\
NPROC_PER_NODE=2 \\
swift sft \\
  --model one \\
  --output_dir out \\
  &> log
srun --mpi=pmix --container-image=/img/one.sqsh \\
  --container-mounts=/data:/data \\
  bash -c 'exec python train.py --lr 1e-5'
ray job submit --address=http://localhost:8265 \\
  --runtime-env-json='{"working_dir": "/w"}' \\
  -- python3 -m trainer.main --lr 1e-5
python3 -m verl.trainer.main_ppo \\
  algorithm.adv_estimator=grpo \\
  "data.train_files=['a.parquet']" \\
  trainer.logger=['console'] \\
  +trainer.val_only=False
srun bash -c "torchrun --nproc_per_node 2 \\
  --node_rank \\$SLURM_NODEID \\
  pretrain.py --lr 1e-5"
python -m torch.distributed.run --nproc_per_node=4 \\
  train.py --seed 1 2>&1 \\
  | tee log.txt
"""
LINES = [3, 4, 6, 7, 10, 13, 16, 17, 18, 21, 23]


def _cuts(found: tuple[LintFinding, ...]) -> list[int]:
    return [f.line for f in found if f.name == CUT]


def test_the_whole_script_is_silent(lint_text: Lint) -> None:
    assert _cuts(lint_text(SCRIPT, "run.sh")) == []


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("end", ["", "\\ "])
def test_a_lost_backslash_is_told_at_its_line(lint_text: Lint, line: int, end: str) -> None:
    lines = SCRIPT.split("\n")
    assert lines[line - 1].endswith("\\")
    lines[line - 1] = lines[line - 1][:-1] + end
    assert _cuts(lint_text("\n".join(lines), "run.sh")) == [line]


@pytest.mark.parametrize(
    "text",
    [
        "A=1 \\\nB=2\nexport A B\npython train.py\n",
        "A=1\nB=2\npython train.py\n",
        "if true; then\n  srun hostname\n    python train.py\nfi\n",
        "for x in a \\\n    b; do\n    python train.py\ndone\n",
        'ARGS=(\n  --lr 1e-5 \\\n  --bf16\n  a.b=1\n)\npython train.py "${ARGS[@]}"\n',
        "srun --mpi=pmix hostname\nsrun \\\n  --mpi=pmix \\\n  bash a.sh\npython b.py\n",
        "docker run image\npython train.py\n",
        "python train.py \\\n  --lr 1e-5\n> empty.log\n",
        "cat <<EOF\nsrun \\\n  --mpi=pmix\n  bash a.sh\nEOF\n",
    ],
)
def test_commands_of_their_own_are_not_told(lint_text: Lint, text: str) -> None:
    assert _cuts(lint_text(text, "run.sh")) == []


PARTS = (
    'export LAUNCH="torchrun --nnodes 2 \\\n    --rdzv_conf "endpoint=$HEAD:1" \\\n'
    '    --max_restarts 1 \\\n    --tee 3 \\\n    "\n'
    'srun bash -c "$LAUNCH train.py --lr 1e-5"\n'
)


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("restarts 1 \\\n", "restarts 1\n", [3]),
        ("restarts 1 \\\n", "restarts 1 \\\n\n", [4]),
        ("\n", "\n", []),
    ],
)
def test_a_text_with_quotes_inside(lint_text: Lint, old: str, new: str, lines: list[int]) -> None:
    assert _cuts(lint_text(f"HEAD=a\n{PARTS}".replace(old, new), "run.sh")) == [
        n + 1 for n in lines
    ]


HANGING = """#!/bin/bash
WANDB_MODE=offline \\
accelerate launch --num_processes 8 \\
  scripts/sft.py \\
  ${MODEL_ARGS[@]} \\
  "data={kind: packed}" \\
  "$@"
docker exec -e OMP_NUM_THREADS=8 "$NAME" \\
  sh -c 'torchrun --standalone train.py --lr 1e-5'
srun --cpu-bind=cores \\
  singularity exec --nv image.sif \\
  bash -c 'torchrun \\
    --nnodes=4 --node_rank="$SLURM_NODEID" train.py'
tune run full_finetune_single_device --config llama3/1B \\
  output_dir=/out batch_size=4 \\
  seed=1
torchrun --nproc_per_node 8 \\
  --no-python bash -c 'exec python train.py --rank "$RANK"'
""".replace("\\\\", "\\")


def test_lines_that_hang_below_a_command_are_silent(lint_text: Lint) -> None:
    assert _cuts(lint_text(HANGING, "run.sh")) == []


@pytest.mark.parametrize("line", [2, 4, 5, 6, 8, 10, 14, 17])
@pytest.mark.parametrize("between", ["", "\\\n# why", "\\\n"])
def test_a_line_that_hangs_below_a_command_belongs_to_it(
    lint_text: Lint, line: int, between: str
) -> None:
    if line == 2 and not between:
        return  # a variable that is set for the script itself
    lines = HANGING.split("\n")
    lines[line - 1] = lines[line - 1][:-1] + between
    told = _cuts(lint_text("\n".join(lines), "run.sh"))
    assert told == [line + (1 if between else 0)]


def test_an_empty_line_in_a_quoted_command(lint_text: Lint) -> None:
    text = HANGING.replace("'torchrun \\\n", "'torchrun \\\n\n")
    assert _cuts(lint_text(text, "run.sh")) == [13]


@pytest.mark.parametrize(
    "text",
    [
        "torchrun a.py \\\n  --x 1 \\\n  # --y 2\n\necho done\n",
        "torchrun a.py \\\n  --x 1 \\\n\n$NEXT --z\n",
        "python a.py\n  echo done\n  python b.py\n",
        "case $1 in\n  a) X=1\n     Y=2 ;;\nesac\npython a.py\n",
        "A=(\n  python\n    --x 1\n)\n",
        "docker run image\n  cd /x\n",
        "X=1\n  export Y\npython a.py\n",
    ],
)
def test_what_stands_deeper_and_is_no_argument(lint_text: Lint, text: str) -> None:
    assert _cuts(lint_text("#!/bin/bash\n" + text, "run.sh")) == []
