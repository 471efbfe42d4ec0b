"""Commands that end before their last flags."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
CLEAN = (
    "#!/bin/bash\n"
    "# torchrun train.py \\ \n"
    "cat <<EOF > note.txt\n"
    "run.sh \\ \n"
    "  --text\n"
    "EOF\n"
    'EXTRA="--seed 1 \\\n'
    '  --fast"\n'
    "torchrun --nproc_per_node 8 \\\n"
    "  train.py \\\n"
    "  --steps 10 \\\n"
    "  --lr 1e-4 \\\n"
    "  $EXTRA\n"
    "\n"
    "echo done\n"
)
MUTATIONS = [
    ("  --steps 10 \\\n", "  --steps 10 \\ \n", 11),
    ("  --steps 10 \\\n", "  --steps 10 \\\t\n", 11),
    ("  --steps 10 \\\n", "  --steps 10\n", 11),
    ("  --lr 1e-4 \\\n", "  --lr 1e-4\n", 12),
    ("  --lr 1e-4 \\\n", "  --lr 1e-4 \\ \n", 12),
    ("  --lr 1e-4 \\\n", "  # --lr 1e-4 \\\n  --more 1 \\\n", 12),
    ("  --steps 10 \\\n", "  --steps 10 \\\n\n", 12),
    ("--nproc_per_node 8 \\\n", "--nproc_per_node 8\n", 9),
    ('"--seed 1 \\\n', '"--seed 1 \\ \n', 7),
    ("  --steps 10 \\\n", "  --steps 10 /\n", 11),
    ("  --steps 10 \\\n", "  --steps 10 \\\\\n", 11),
    ("  --steps 10 \\\n", "  --steps 10  # tuned \\\n", 11),
    ("  --steps 10 \\\n", "  --steps 10; \\\n", 11),
]


def test_the_clean_script_is_silent(lint_text: Lint) -> None:
    assert lint_text(CLEAN, "launch.sh") == ()


@pytest.mark.parametrize(("old", "new", "line"), MUTATIONS)
def test_a_cut_is_told_where_it_is(lint_text: Lint, old: str, new: str, line: int) -> None:
    assert old in CLEAN
    found = lint_text(CLEAN.replace(old, new), "launch.sh")
    assert [(f.name, f.line) for f in found] == [("command-cut-short", line)]


def test_the_column_is_the_backslash(lint_text: Lint) -> None:
    text = CLEAN.replace("  --steps 10 \\\n", "  --steps 10 \\  \n")
    (found,) = lint_text(text, "launch.sh")
    assert (found.column, found.end_column) == (14, 17)


def test_windows_line_ends_are_told_once_at_the_first_line(lint_text: Lint) -> None:
    (found,) = lint_text(CLEAN.replace("\n", "\r\n"), "launch.sh")
    assert (found.name, found.line) == ("command-cut-short", 1)
    assert "CRLF" in found.message.en


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("a.b=1 \\\n", "a.b=1\n", 3),  # the next line is a command of a name that none has
        ("DEVICES=0 \\\n", "DEVICES=0 \\ \n", 1),
    ],
)
def test_a_cut_before_an_override_or_a_variable(
    lint_text: Lint, old: str, new: str, line: int
) -> None:
    clean = (
        "CUDA_VISIBLE_DEVICES=0 \\\nNPROC_PER_NODE=1 \\\n"
        "python train.py a.b=1 \\\n  trainer.nnodes=1 \\\n  +trainer.epochs=2\n"
    )
    assert lint_text(clean, "run.sh") == ()
    found = lint_text(clean.replace(old, new), "run.sh")
    assert [(f.name, f.line) for f in found] == [("command-cut-short", line)]


WITHIN = (
    'ARGS=" \\\n  --steps 10 \\\n  --lr 1e-4\n  --more 1 \\\n  --bf16 \\\n"\n'
    'CMD=" \\\n  train.py \\\n  $ARGS \\\n"\n'
)


@pytest.mark.parametrize(
    ("run", "lines"),
    [
        ('srun bash -c "torchrun --node_rank \\$SLURM_PROCID $CMD"', [3]),
        ('eval "torchrun $CMD"', [3]),
        ("torchrun $CMD", []),  # as words of a command the end of a line only parts them
    ],
)
def test_a_cut_within_a_variable_that_a_shell_reads_again(
    lint_text: Lint, run: str, lines: list[int]
) -> None:
    found = lint_text(f"#!/bin/bash\n{WITHIN}{run}\n".removeprefix("#!/bin/bash\n"), "run.sh")
    assert [one.line for one in found if one.name == "command-cut-short"] == lines
