"""nanoGPT's configurator takes a value only of the type that the global has."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
CONFIG = (
    "out_dir = 'out'\neval_iters = 20\nbatch_size = 12\nblock_size = 1024\nmax_iters = 6000\n"
    "lr_decay_iters = 6000\nwarmup_iters = 200\n"
)


@pytest.mark.parametrize(
    ("flag", "check"),
    [
        ("--weight_decay=0.0", ""),
        ("--weight_decay=0", "flag-value-not-accepted"),
        ("--compile=False", ""),
        ("--compile=false", "flag-value-not-accepted"),
        ("--n_layer=12.0", "flag-value-not-accepted"),
        ("--dataset=mine", ""),
        ("--learning_rat=1e-3", "misspelt-config-key"),
        ("--my_own=3", ""),
    ],
)
def test_types_and_names(lint_text: Lint, flag: str, check: str) -> None:
    launch = f"torchrun --standalone --nproc_per_node=4 train.py config.py \\\n  {flag}\n"
    found = lint_text(launch, "go.sh", {"config.py": CONFIG})
    assert [(f.name, f.line) for f in found] == ([(check, 2)] if check else [])


def test_another_program_has_types_of_its_own(lint_text: Lint) -> None:
    launch = "python pretrain.py --weight_decay=0 --batch_size=12 --block_size=8 --n_embd=64\n"
    names = [f.name for f in lint_text(launch, "go.sh")]
    assert "flag-value-not-accepted" not in names
