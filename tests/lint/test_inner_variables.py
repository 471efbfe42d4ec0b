"""Variables that another shell, or a Python program, is to find in its environment."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
SLIP, NO_EFFECT = "shell-reads-otherwise", "option-without-effect"
HEAD = "#!/bin/bash\nMODEL=/models/one\n"
TRAINS = "torchrun --nproc_per_node 8 train.py --model $MODEL --lr 1e-5"


def _told(found: tuple[LintFinding, ...]) -> list[tuple[str, int]]:
    return [(f.name, f.line) for f in found if f.name in (SLIP, NO_EFFECT)]


@pytest.mark.parametrize(
    "command",
    [
        f"srun --ntasks=2 bash -c '{TRAINS}'",
        f"nohup sh -c '{TRAINS}' > log 2>&1 &\nwait",
        f"ssh node2 'cd /work && {TRAINS}'",
        f"tmux new -d -s one '{TRAINS}'",
        f"docker run --gpus all image bash -c '{TRAINS}'",
        f"srun --ntasks=2 \\\n  bash -c '\n  export X=1\n  {TRAINS}'",
    ],
)
def test_single_quotes_leave_it_to_a_shell_that_lacks_it(lint_text: Lint, command: str) -> None:
    text = f"{HEAD}{command}\n"
    line = next(n for n, one in enumerate(text.split("\n"), 1) if "$MODEL" in one)
    assert _told(lint_text(text, "run.sh")) == [(SLIP, line)]


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}export MODEL\nsrun bash -c '{TRAINS}'\n",
        f"set -a\n{HEAD}srun bash -c '{TRAINS}'\n",
        f'{HEAD}srun bash -c "{TRAINS}"\n',
        f"{HEAD}srun bash -c 'MODEL=/other; {TRAINS}'\n",
        f"{HEAD}srun bash -c '\nfor MODEL in a b; do\n{TRAINS}\ndone'\n",
        f"{HEAD}MODEL=$MODEL srun bash -c '{TRAINS}'\n",
        f"{HEAD}docker run -e MODEL=$MODEL image bash -c '{TRAINS}'\n",
        f"{HEAD}eval '{TRAINS}'\ntrap 'rm $MODEL/train.sh' EXIT\n",
        f"srun bash -c '{TRAINS}'\n",
        f"{HEAD}srun bash -c 'python train.py --model '\"$MODEL\"' --lr 1e-5'\n",
        f"{HEAD}{TRAINS}\nsrun bash -c 'echo $MODEL'\nawk '{{print $MODEL}}' train.py\n",
    ],
)
def test_what_it_has_is_not_told(lint_text: Lint, text: str) -> None:
    assert _told(lint_text(text, "run.sh")) == []


PROGRAM = 'import os\nroot = os.environ["DATA_ROOT"]\nname = os.getenv("RUN_NAME", "x")\n'


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("DATA_ROOT=/data", True),
        ("RUN_NAME=one", True),
        ("PYTHONPATH=/srv/Megatron-LM", True),
        ("OTHER=/data", False),
        ("export DATA_ROOT=/data", False),
        ("PYTHONPATH=/work:$PYTHONPATH", False),
        ("DATA_ROOT=/data\nexport DATA_ROOT", False),
    ],
)
def test_what_the_program_asks_its_environment_for(lint_text: Lint, line: str, told: bool) -> None:
    text = f"#!/bin/bash\n{line}\ntorchrun --nproc_per_node 2 train.py\n"
    found = lint_text(text, "run.sh", {"train.py": PROGRAM})
    assert _told(found) == [(NO_EFFECT, 2)] * told


def test_ranks_that_a_plain_program_is_to_find(lint_text: Lint) -> None:
    text = "WORLD_SIZE=2\nRANK=0\npython train.py --lr 1e-4\n"
    assert _told(lint_text(text, "run.sh")) == [(NO_EFFECT, 1), (NO_EFFECT, 2)]
    assert _told(lint_text(text.replace("python", "torchrun"), "run.sh")) == []
