"""Slips of a script that a shell, a parser or sbatch reads otherwise than they look."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.edits import changed
from medic.lint.found import LintFinding

Changed = Callable[[str, str, str, str], list[tuple[str, int]]]
Lint = Callable[..., tuple[LintFinding, ...]]

SCRIPT = """#!/bin/bash
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8

export OUT=/scratch/run
LR=1e-5
NAME="first"

torchrun --nproc_per_node 8 sft.py \\
  --model_name_or_path base --per_device_train_batch_size 4 \\
  --gradient_accumulation_steps 2 --learning_rate $LR --lr_scheduler_type cosine \\
  --num_train_epochs 3 --bf16 True --save_strategy steps --save_steps 400 \\
  --save_total_limit 2 --logging_steps 10 --report_to none --run_name "$NAME" \\
  --dataloader_num_workers 4 --output_dir "$OUT"
"""
SLIP, MISSPELT = "shell-reads-otherwise", "misspelt-flag"
NO_EFFECT, VALUE = "option-without-effect", "flag-value-not-accepted"
LATE, UNKNOWN = "slurm-directive-ignored", "slurm-option-unknown"
MUTATIONS = [
    ("--num_train_epochs 3", "\u2014num_train_epochs 3", SLIP, 13),
    ("--num_train_epochs 3", "\u2013\u2013num_train_epochs 3", SLIP, 13),
    ("--num_train_epochs 3", "--num_train_epochs = 3", SLIP, 13),
    ("--num_train_epochs 3", "-num_train_epochs 3", MISSPELT, 13),
    ("--num_train_epochs 3", "num_train_epochs 3", MISSPELT, 13),
    ("--num_train_epochs 3", "--num_train_epcohs 3", MISSPELT, 13),
    ("--num_train_epochs 3", "--NumTrainEpochs 3", MISSPELT, 13),
    ("export OUT=/scratch", "export OUT = /scratch", SLIP, 6),
    ("LR=1e-5", "LR = 1e-5", SLIP, 7),
    ("LR=1e-5", "$LR=1e-5", SLIP, 7),
    ('NAME="first"', "NAME=\u201cfirst\u201d", SLIP, 8),
    ("--report_to none", "--report_to \u201cnone\u201d", SLIP, 14),
    ("--learning_rate $LR", "--learning_rate '$LR'", SLIP, 12),
    ("torchrun", "torchurn", SLIP, 10),
    ("torchrun --nproc", "python --nproc", SLIP, 10),
    ('"first"', "'$OUT/first'", SLIP, 8),
    ('"first"', "$(OUT)", SLIP, 8),
    ("--learning_rate $LR", "--learning_rate LR", SLIP, 12),
    ("--learning_rate $LR", "--learning_rate {LR}", SLIP, 12),
    ("--learning_rate $LR", "--learning_rate=LR", SLIP, 12),
    ("--learning_rate $LR", "--learning_rate= $LR", SLIP, 12),
    ("--learning_rate $LR", "--learning_rate =$LR", SLIP, 12),
    ("--learning_rate $LR", "--learning_rate=", VALUE, 12),
    ("--learning_rate $LR", "--learning_rate\u00a0$LR", SLIP, 12),
    ("--learning_rate $LR", "--learning_rate\u200b $LR", SLIP, 12),
    ("--learning_rate $LR", "--learning_rate\uff1d1e-5", SLIP, 12),
    ('NAME="first"', 'NAME= "first"', SLIP, 8),
    ("LR=1e-5", "LR= 1e-5", SLIP, 7),
    ("LR=1e-5", "LR =1e-5", SLIP, 7),
    ("export OUT=/scratch", "export OUT= /scratch", SLIP, 6),
    ("LR=1e-5", "LR=1e-5\nfor i in {1..$LR}; do echo $i; done", SLIP, 8),
    ("LR=1e-5", "LR=1e-5\nif [$LR = 1 ]; then echo; fi", SLIP, 8),
    ("LR=1e-5", 'LR=1e-5\nif [ "$LR" = 1]; then echo; fi', SLIP, 8),
    ("LR=1e-5", "LR=1e-5\n[ $LR > 8 ] && echo", SLIP, 8),
    ("LR=1e-5", "LR=1e-5\nls a 2>1", SLIP, 8),
    ("LR=1e-5", "LR=1e-5\nexport CUDA_VISIBLE_DEVICES=0;1", SLIP, 8),
    ("LR=1e-5", "LR=1e-5\nexport OMP_NUM_THREADS=eight", NO_EFFECT, 8),
    ("LR=1e-5", "LR=1e-5\nNCCL_DEBUG=INFO", NO_EFFECT, 8),
    ("\ntorchrun", "\nCUDA_VISIBLE_DEVICES=0,1 sudo torchrun", NO_EFFECT, 10),
    ('--output_dir "$OUT"', '--output_dir "$OUT" &', SLIP, 15),
    ("cosine \\\n  --num_train_epochs", "cosine\\\n--num_train_epochs", SLIP, 12),
    ('--output_dir "$OUT"\n', '--output_dir "$OUT" \\\necho done\n', SLIP, 15),
    ("LR=1e-5", 'A=(--bf16 True --lr 2)\nsrun "${A[*]}"\nLR=1e-5', SLIP, 8),
    ("LR=1e-5", "A=(--bf16 True --lr 2)\nsrun $A\nLR=1e-5", SLIP, 8),
    ("LR=1e-5", 'A="--bf16 True --lr 2"\nsrun "$A"\nLR=1e-5', SLIP, 8),
    ("--gpus-per-node=8", "--gpus-per-node = 8", SLIP, 4),
    ("#SBATCH --gpus-per-node=8", "#SBATCH -gpus-per-node=8", SLIP, 4),
    ("#SBATCH --gpus-per-node=8", "#SBATCH gpus-per-node=8", SLIP, 4),
    ("#SBATCH --gpus-per-node=8", "# SBATCH --gpus-per-node=8", LATE, 4),
    ("--gpus-per-node=8", "--gpus-per-node=$GPUS", SLIP, 4),
    ("#!/bin/bash\n", "#/bin/bash\n", SLIP, 1),
    ("#!/bin/bash\n", "\n#!/bin/bash\n", SLIP, 1),
    ("#!/bin/bash\n", "\ufeff#!/bin/bash\n", SLIP, 1),
    ("LR=1e-5", "export NCCL_IB_DISALBE=1\nLR=1e-5", NO_EFFECT, 7),
    ("LR=1e-5", "export MASTER_PORT=129500\nLR=1e-5", "impossible-value", 7),
    ("--ntasks-per-node", "--ntask-per-node", UNKNOWN, 3),
    ("--nodes=1", "--node=1", UNKNOWN, 2),
    ("--gpus-per-node=8", "--gpu=8", UNKNOWN, 4),
    ("#SBATCH --nodes=1", "#SBATCH --tme=2:00:00", UNKNOWN, 2),
    ("#SBATCH --nodes=1", "#SBACTH --job-name=a", LATE, 2),
    ("LR=1e-5", "LR=1e-5\nmodule laod cuda/12.4", SLIP, 8),
    ("LR=1e-5", "LR=1e-5\nmdoule load cuda/12.4", SLIP, 8),
    ("LR=1e-5", "LR=1e-5\nmodule load cuda/12.4\nmodule purge\nconda activate a", SLIP, 9),
    ("LR=1e-5", "LR=1e-5\nconda actvate env", SLIP, 8),
    ("LR=1e-5", "LR=1e-5\nsource .venv/bin/activte", SLIP, 8),
    ("LR=1e-5", "LR=1e-5\nulimit -n unlimted", SLIP, 8),
    ("LR=1e-5", "LR=1e-5\nulimt -n 65535", SLIP, 8),
    ("--num_train_epochs 3", "--num_train_epochs: 3", SLIP, 13),
    ("--num_train_epochs 3", "--num_train_epochs 3,", SLIP, 13),
    ("--report_to none", "--report_to none --lr_scheduler_kwargs '{\"min_lr: 1}'", SLIP, 14),
    ("--report_to none", "--report_to none --lr_scheduler_kwargs '{\"min_lr\": 1,}'", SLIP, 14),
    ("LR=1e-5", 'LR=1e-5\nARGS="--seed 1\n# the next one\n--tf32 True"\ntorchrun t.py $ARGS', SLIP, 9),
    ("--save_steps 400", "--save_steps 400--seed 1", VALUE, 13),
    ("LR=1e-5", "export PYTORCH_NPU_ALLOC_CONF=expandable_segments:true\nLR=1e-5", VALUE, 7),
    ("--gpus-per-node=8\n\nexport", "--gpus-per-node=8\n\nmodule load cuda\n#SBATCH --time=1:00:00\nexport", LATE, 7),
]  # fmt: skip
QUIET = [
    # The beginning of one option stands for it; a plugin of the site may add others.
    ("#SBATCH --nodes=1", "#SBATCH --part=gpu"),
    ("#SBATCH --nodes=1", "#SBATCH --container-image=a.sqsh"),
    # The value of a flag, not a flag without its dashes.
    ('--run_name "$NAME"', "--run_name learning_rate"),
    # A comment, and a directive that is switched off.
    ("LR=1e-5", "# LR = 1e-5\nLR=1e-5"),
    ("LR=1e-5", "##SBATCH --time=1:00:00\nLR=1e-5"),
    ("LR=1e-5", '[ "$OUT" = /tmp ] && echo \u201cx\u201d > /dev/null\nLR=1e-5'),
    # A variable of the script's own.
    ("LR=1e-5", "WANDB_PROJET=x; echo $WANDB_PROJET\nLR=1e-5"),
    # A beginning of an option stands for it.
    ("--gpus-per-node=8", "--gpus-per-node=8\n#SBATCH --job-nam=a"),
    ("LR=1e-5", "awk '{ $a = 3 }' file\nLR=1e-5"),
    ("LR=1e-5", "LR=1e-5\nmodule purge\nmodule load cuda\nulimit -n $MOST; ulimit -s unlimited"),
    ("LR=1e-5", "LR=1e-5\nmodule load cuda\nmodule purge\nmodule load nccl\nmodule whatis nccl"),
    ("LR=1e-5", "LR=1e-5\nmodule load cuda\nmodule purge\nsource modules.sh\nray job list"),
    ("--report_to none", "--report_to none --lr_scheduler_kwargs '{\"min_lr\": 1}'"),
    ("--report_to none", "--report_to none --chat_template '{{ messages }}: {% x %}'"),
    ("--report_to none", "--report_to none --seed 0"),
    ("LR=1e-5", "LR=1e-5\nCUDA_VISIBLE_DEVICES= python a.py; IFS= read -r x; export A= B=2"),
    ("LR=1e-5", "LR=1e-5\nhostname=$(hostname); date=$(date); for i in {1..8}; do echo $i; done"),
    ("LR=1e-5", "LR=1e-5\n[[ $LR > 8 ]] && echo > x 2>&1; [ -f x ] || a[1]=3; [ a \\> b ]"),
    ("LR=1e-5", "LR=1e-5\nNCCL_DEBUG=INFO; export NCCL_DEBUG"),
    ("LR=1e-5", "LR=1e-5\nset -a\nNCCL_DEBUG=INFO"),
    ("LR=1e-5", "LR=1e-5\nCUDA_VISIBLE_DEVICES=0,1 sudo -E python a.py"),
    ('--output_dir "$OUT"', '--output_dir "$OUT" &\nwait'),
    ('--output_dir "$OUT"', '--output_dir "$OUT" > log 2>&1 &\npid=$!\nwait $pid'),
    (
        "LR=1e-5",
        "LR=1e-5\nsrun bash -c 'echo $LR'; echo \"\u201cquoted\u201d it\u2019s\" # \u201ca\u201d",
    ),
    ("LR=1e-5", 'A=(--bf16 True)\nsrun "${A[@]}" "${#A[@]}" ${A[0]}; echo "${A[*]}"\nLR=1e-5'),
    ("LR=1e-5", "LR=1e-5\necho a\u00a0b \u4f60\u597d\uff0c\uff1b"),
    ("LR=1e-5", "LR=1e-5\ntrap 'rm $OUT/x' EXIT; CMD='$OUT/x'; eval $CMD"),
    ("#SBATCH --gpus-per-node=8", "#SBATCH --gpus-per-node=8\n# SBATCH --gpus-per-node=4"),
    ("LR=1e-5", "LR=1e-5\ncat > notes.txt <<EOT\nA = 3\nEOT"),
]


def test_the_clean_script_is_silent(lint_text: Lint) -> None:
    assert lint_text(SCRIPT, "a.sh") == ()


@pytest.mark.parametrize(("old", "new", "cause", "line"), MUTATIONS)
def test_each_mutation_fires(
    lint_changed: Changed, old: str, new: str, cause: str, line: int
) -> None:
    assert (cause, line) in lint_changed(SCRIPT, "a.sh", old, new)


@pytest.mark.parametrize(("old", "new"), QUIET)
def test_what_may_be_right_is_left_alone(lint_changed: Changed, old: str, new: str) -> None:
    told = {name for name, _ in lint_changed(SCRIPT, "a.sh", old, new)}
    assert told.isdisjoint((SLIP, MISSPELT, LATE, UNKNOWN, NO_EFFECT))


TRAINS = """{head}torchrun --nproc_per_node 8 sft.py --model_name_or_path base \\
  --per_device_train_batch_size 4 --save_strategy steps --save_steps 400 \\
  --save_total_limit 2 --logging_steps 10 --learning_rtae 1e-5 \\
  --output_dir out{tail}
"""
INSIDE = [
    ("sbatch <<'EOT'\n#!/bin/bash\n", "\nEOT", 5),
    ("cat > job.sh <<EOT\n#!/bin/bash\n", "\nEOT", 5),
    ("bash -s <<EOT\n", "\nEOT", 4),
]


@pytest.mark.parametrize(("head", "tail", "line"), INSIDE)
def test_a_script_in_a_here_document_is_read(
    lint_text: Lint, head: str, tail: str, line: int
) -> None:
    found = lint_text(TRAINS.format(head=head, tail=tail), "a.sh")
    assert [(f.name, f.line) for f in found] == [(MISSPELT, line)]


@pytest.mark.parametrize("head", ["cat <<EOT\n", "python - <<EOT\n", "cat > notes.txt <<EOT\n"])
def test_other_here_documents_are_text(lint_text: Lint, head: str) -> None:
    assert lint_text(TRAINS.format(head=head, tail="\nEOT"), "a.sh") == ()


def test_a_function_hands_its_arguments_on(lint_text: Lint) -> None:
    text = """run() {
  torchrun --nproc_per_node 8 sft.py --save_strategy steps --save_total_limit 2 "$@"
}
run --model_name_or_path base --per_device_train_batch_size 4 --logging_steps 10 \\
  --learning_rtae 1e-5 --output_dir out
"""
    assert [(f.name, f.line) for f in lint_text(text, "a.sh")] == [(MISSPELT, 5)]


@pytest.mark.parametrize(
    ("line", "fixed"),
    [
        ('if [ "$N"=1 ]; then echo; fi', 'if [ "$N" = 1 ]; then echo; fi'),
        ("if [[ $N=1 ]]; then echo; fi", "if [[ $N = 1 ]]; then echo; fi"),
        ('test "$N"!=1 && echo', 'test "$N" != 1 && echo'),
        ("if [ -z$N ]; then echo; fi", "if [ -z $N ]; then echo; fi"),
        ('while [ "$N"-gt 1 ]; do N=1; done', None),
    ],
)
def test_a_test_without_blanks_is_told(lint_text: Lint, line: str, fixed: str | None) -> None:
    text = "N=1\n{}\npython train.py\n"
    (found,) = [f for f in lint_text(text.format(line), "run.sh") if f.line == 2]
    assert found.name == SLIP
    assert (found.fix is None) == (fixed is None)
    if found.fix is None or fixed is None:
        return
    assert found.fix.patch is not None
    (path,) = {edit.file for edit in found.fix.patch.edits}
    after = changed(path, found.fix.patch.edits, Path(path).read_bytes())
    assert after.decode() == text.format(fixed)


@pytest.mark.parametrize("option", ["-nodes=2", "-time=24:00:00", "-gres=gpu:8"])
def test_a_long_option_with_one_dash_is_told_once(lint_text: Lint, option: str) -> None:
    text = f"#!/bin/bash\n#SBATCH {option} -n two\npython train.py\n"
    found = [(f.line, f.column) for f in lint_text(text, "run.sh")]
    assert found == [(2, 9), (2, text.splitlines()[1].index("two") + 1)]


@pytest.mark.parametrize(
    "line",
    [
        'if [ "$N" = 1 ]; then echo; fi',
        'if [[ "$N" =~ ^[0-9]+$ ]]; then echo; fi',
        'if [ -n "$N" ]; then echo; fi',
        '[ "$N" ] && echo',
        "cat <<<EOF",
        'grep x <<< "$N"',
        "M=$((N << N))",
        "shuf --random-source=<(yes) a",
        "accelerate launch --config_file=<(envsubst < a.yaml) --num_processes $N sft.py",
    ],
)
def test_right_tests_and_here_strings_are_silent(lint_text: Lint, line: str) -> None:
    text = f"N=1\n{line}\nOUT = /scratch\npython train.py\n"
    found = [f.line for f in lint_text(text, "run.sh") if f.severity != "info"]
    assert found == [3]  # what follows is still read


@pytest.mark.parametrize(
    ("directive", "right"),
    [
        ("--nodes=two", "--nodes=2-4"),
        ("--gres=gpus:8", "--gres=gpu:a100:8"),
        ("--mem=64 GB", "--mem=64G"),
        ("--cpus-per-task=eight", "--cpus-per-task=8"),
        ("--time=24h", "--time=1-00:00:00"),
        ("-t 1d", "-t 30:00"),
        ("--gpus-per-node=all", "--gpus-per-node=a100:4"),
    ],
)
def test_values_of_directives(lint_text: Lint, directive: str, right: str) -> None:
    text = "#!/bin/bash\n#SBATCH {}\npython train.py\n"
    found = lint_text(text.format(directive), "run.sh")
    assert [(f.name, f.line) for f in found] == [(SLIP, 2)]
    assert not lint_text(text.format(right), "run.sh")


@pytest.mark.parametrize(
    "text",
    [
        "run.pl LMWT=1:10 best.LMWT.log \\\n  scale --inv-scale=LMWT in out\npython train.py\n",
        ". ./cmd.sh\ntrain=x\nsteps/mono.sh --cmd $train_cmd $train\npython train.py\n",
        "N=8\nG=$[($N-1)/2] # half\npython train.py\n",
    ],
)
def test_what_other_programs_and_files_fill_in(lint_text: Lint, text: str) -> None:
    assert [f.name for f in lint_text(text, "run.sh") if f.severity != "info"] == []
