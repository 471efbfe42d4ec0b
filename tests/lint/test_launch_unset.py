"""Variables that a script sets nowhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
CLEAN = (
    "#!/bin/bash\n"
    "LEARNING_RATE=1e-4\n"
    "STEPS=100\n"
    "FOLDER=out\n"
    "torchrun --nproc_per_node 8 --master_port $MASTER_PORT train.py \\\n"
    "  --lr $LEARNING_RATE --steps $STEPS \\\n"
    "  --out $FOLDER --fast $EXTRA_ARGS\n"
)
MUTATIONS = [
    ("$LEARNING_RATE", "$LEARING_RATE", 6),
    ("LEARNING_RATE=1e-4", "LEARNING_RAET=1e-4", 6),
    ("STEPS=100\n", "", 5),
    ("$FOLDER", "${FOLDRE}", 7),
    ("$FOLDER", '"$FOLDRE"', 7),
    ("--out $FOLDER", "--out /data/$FOLDER_v2", 7),
    ("FOLDER=out\n", "FOLDER=out\nmkdir -p $FOLDR\n", 5),
]
SILENT = [
    ("STEPS=100\n", "STEPS=${1:-100}\n"),
    ("STEPS=100\n", "# STEPS is to be set by the caller\n"),
    ("STEPS=100\n", "read STEPS\n"),
    ("STEPS=100\n", "source settings.sh\n"),
    ("$STEPS", '"$OTHER"'),
    ("$STEPS", "$SLURM_STEPS"),
    ("--fast", "--fast $(awk '{print $FOLDE}' x)"),
    ("STEPS=100\nFOLDER=out\n", ""),
]


def test_the_clean_script_is_silent(lint_text: Lint) -> None:
    assert lint_text(CLEAN, "launch.sh") == ()


@pytest.mark.parametrize(("old", "new", "line"), MUTATIONS)
def test_a_variable_without_value_is_told(lint_text: Lint, old: str, new: str, line: int) -> None:
    assert old in CLEAN
    found = lint_text(CLEAN.replace(old, new, 1), "launch.sh")
    assert [(f.name, f.line) for f in found] == [("unset-variable-takes-flag", line)]


@pytest.mark.parametrize(("old", "new"), SILENT)
def test_what_others_may_set_is_not_told(lint_text: Lint, old: str, new: str) -> None:
    assert old in CLEAN
    assert lint_text(CLEAN.replace(old, new, 1), "launch.sh") == ()


# A script that sets all its variables but one: behind quotes, within a path, in a list of options.
OWN = (
    "#!/bin/bash\n"
    "source venv/bin/activate\n"
    "MODEL=/job/model\n"
    "DATA=/job/data\n"
    "RUN=first\n"
    "WANDB_PROJECT=tests\n"
    "WANDB_RUN_DIR=/job/wandb\n"
    "size=8\n"
    "ARGS=(\n"
    '  --wandb-project $WANDB_PROJECT --wandb-save-dir "$WANDB_RUN_DIR"\n'
    ")\n"
    'torchrun --nproc_per_node $size train.py --model "$MODEL" \\\n'
    '  --out "/job/$RUN/last" --data=$DATA/train "${ARGS[@]}"\n'
)
FORGOTTEN = [
    ("MODEL=/job/model\n", 11),
    ("RUN=first\n", 12),
    ("DATA=/job/data\n", 12),
    ("WANDB_RUN_DIR=/job/wandb\n", 9),
]
SMALL = (
    "MASTER_ADDR=localhost\nBASE=/job/out\nNAME=first\n"
    'SAVE="$BASE/$NAME"\n'
    "torchrun --master_addr $MASTER_ADDR --master_port 29500 train.py \\\n"
    '  --out "$SAVE" --lr 1e-4\n'
)
# Each leaves one variable of a complete script without its line.
LEFT = [
    ("BASE=/job/out\n", "", 3),  # within another one's value
    ("29500", "$MASTER_PORT", 5),  # beside an address that the script sets itself
    ("29500", "29500 --nproc_per_node=$n_gpus", 5),  # no environment is in small letters
    ("1e-4", "1e-4 --epochs=$NUM_EPOCHS", 6),  # NUM_GPUS may be a cluster's, NUM_EPOCHS is not
]
GIVEN = [
    ("DATA=/job/data\nRUN=first\n", ""),
    ("source venv/bin/activate\nMODEL=/job/model", "source paths.sh"),
    ("MODEL=/job/model", "export X=$(cat x)\n: ${MODEL:?}"),
    ("WANDB_PROJECT=tests\nWANDB_RUN_DIR=/job/wandb\n", ""),
    ('"$MODEL"', '"$MODEL" --key "$HF_TOKEN"'),
]


def test_a_script_with_all_its_variables_is_silent(lint_text: Lint) -> None:
    assert lint_text(OWN, "launch.sh") == ()


@pytest.mark.parametrize(("old", "line"), FORGOTTEN)
def test_the_one_forgotten_variable_is_told(lint_text: Lint, old: str, line: int) -> None:
    assert old in OWN
    found = lint_text(OWN.replace(old, "", 1), "launch.sh")
    assert [(f.name, f.line) for f in found] == [("unset-variable-takes-flag", line)]


@pytest.mark.parametrize(("old", "new", "line"), [("", "", 0), *LEFT])
def test_what_a_cluster_and_what_a_script_gives(
    lint_text: Lint, old: str, new: str, line: int
) -> None:
    found = lint_text(SMALL.replace(old, new, 1), "launch.sh")
    assert [(f.name, f.line) for f in found] == [("unset-variable-takes-flag", line)] * bool(line)


@pytest.mark.parametrize(("old", "new"), GIVEN)
def test_several_or_fetched_ones_are_not(lint_text: Lint, old: str, new: str) -> None:
    assert old in OWN
    assert lint_text(OWN.replace(old, new, 1), "launch.sh") == ()


def test_what_the_flag_takes_is_named(lint_text: Lint) -> None:
    (found,) = lint_text(CLEAN.replace("$LEARNING_RATE", "$LEARING_RATE"), "launch.sh")
    assert "LEARNING_RATE is meant" in found.message.en
    assert "--lr takes --steps" in found.message.en


BATCH = (
    "#!/bin/bash\n"
    "#SBATCH --nodes=2\n"
    "#SBATCH --gpus-per-node=8\n"
    'source "$(dirname "$0")/cluster.sh"\n'
    "MODEL=${MODEL:-some/model}\n"
    "OUT=/job/out\n"
    "WORLD_SIZE=16\n"
    "TP=2\n"
    "CONFIG=conf/one.yaml\n"
    'TEXT="\n'
    "  train.py --config $CONFIG --model $MODEL\n"
    '  "\n'
    "export WORLD_SIZE OUT\n"
    "files=\"['$OUT/a']\"\n"
    'accelerate launch --num_processes $WORLD_SIZE $TEXT data.files="$files" --save $OUT \\\n'
    "  --tp $TP --dp $((WORLD_SIZE / TP)) > ${LOG_FILE}\n"
)
CLUSTER = "LOG_FILE=/job/log\n"
GONE = [
    ("OUT=/job/out\n", 14),
    ("WORLD_SIZE=16\n", 14),
    ("TP=2\n", 15),
    ("CONFIG=conf/one.yaml\n", 10),
    ("files=\"['$OUT/a']\"\n", 14),
]


def _of_batch(lint_text: Lint, text: str, cluster: str = CLUSTER) -> list[int]:
    found = lint_text(text, "launch.sh", {"cluster.sh": cluster})
    return [f.line for f in found if f.name == "unset-variable-takes-flag"]


def test_a_batch_script_with_the_file_that_it_reads_is_silent(lint_text: Lint) -> None:
    assert _of_batch(lint_text, BATCH) == []


@pytest.mark.parametrize(("gone", "line"), GONE)
def test_the_one_that_neither_sets(lint_text: Lint, gone: str, line: int) -> None:
    assert gone in BATCH
    assert _of_batch(lint_text, BATCH.replace(gone, "")) == [line]


def test_a_file_to_write_to_has_no_name(lint_text: Lint) -> None:
    assert _of_batch(lint_text, BATCH, "true\n") == [16]


def test_another_file_that_is_not_here_may_set_it(lint_text: Lint) -> None:
    text = BATCH.replace("TP=2\n", "")
    assert _of_batch(lint_text, text, CLUSTER + "source /etc2/site.sh\n") == []
    assert _of_batch(lint_text, text.replace("OUT=", "source other.sh\nOUT=")) == []


def test_two_letters_of_a_short_name_swapped(lint_text: Lint) -> None:
    text = 'CFG=a.yaml\ncat "$CFG"\ntorchrun train.py --config "$CGF"\n'
    found = lint_text(text, "launch.sh")
    assert [(f.name, f.line) for f in found] == [("unset-variable-takes-flag", 3)]
    assert lint_text(text.replace("$CGF", "$CPU_CFG"), "launch.sh") == ()
