"""Variables that a script sets nowhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.files import LintFinding

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


def test_what_the_flag_takes_is_named(lint_text: Lint) -> None:
    (found,) = lint_text(CLEAN.replace("$LEARNING_RATE", "$LEARING_RATE"), "launch.sh")
    assert "LEARNING_RATE is meant" in found.message.en
    assert "--lr takes --steps" in found.message.en
