"""Places of a script that are still to be filled in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
INDEX = load()
SCRIPT = (
    "#!/bin/bash\n"
    "#SBATCH --account=team\n"
    "cd /srv/code\n"
    "MODEL=/models/one\n"
    'DATA="/data/one"\n'
    "torchrun --nproc_per_node 8 train.py --model $MODEL --data $DATA \\\n"
    "  --out=/srv/out --lr 1e-5\n"
)


def _told(found: tuple[LintFinding, ...]) -> list[tuple[str, int, str]]:
    return [(f.name, f.line, f.message.en.partition(" is a placeholder")[0]) for f in found]


@pytest.mark.parametrize(
    ("old", "new", "line", "word"),
    [
        ("--out=/srv/out", "--out=<PATH>", 7, "<PATH>"),
        ("--lr 1e-5", "--lr <LR>", 7, "<LR>"),
        ("--account=team", "--account=<your account>", 2, "<your account>"),
        ("cd /srv/code", "cd <path to the code>", 3, "<path to the code>"),
        ("MODEL=/models/one", "MODEL=<模型路径>", 4, "<模型路径>"),
        ('"/data/one"', '"<data folder>/one"', 5, "<data folder>"),
        ("/models/one", "your_model", 4, "your_model"),
        ("--model $MODEL", "--model YOUR_MODEL_PATH; echo $MODEL", 6, "YOUR_MODEL_PATH"),
    ],
)
def test_a_placeholder_is_one_finding(
    lint_text: Lint, old: str, new: str, line: int, word: str
) -> None:
    assert old in SCRIPT
    text = SCRIPT.replace(old, new)
    assert _told(lint_text(text, "run.sh")) == [("shell-reads-otherwise", line, word)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("--lr 1e-5", '--lr 1e-5 --pad "<pad>" --eos="<|user_path|>" --turn "<user>"'),
        ("--lr 1e-5", "--lr 1e-5 <in.txt >out.txt"),
        ("--lr 1e-5", "--lr 1e-5 --verbose < in.txt > out.txt  # --out=<PATH>"),
        ("cd /srv/code", 'echo "usage: run.sh --data <path>"'),
        ("cd /srv/code", "cat <<EOF\nrun.sh --data=<path>\nEOF"),
        ("cd /srv/code", "while read -r YOUR_NAME; do :; done <names.txt"),
    ],
)
def test_what_has_such_signs_and_is_none(lint_text: Lint, old: str, new: str) -> None:
    assert old in SCRIPT
    assert _told(lint_text(SCRIPT.replace(old, new), "run.sh")) == []


def test_the_rest_of_the_script_is_read(tmp_path: Path) -> None:
    file = tmp_path / "run.sh"
    text = SCRIPT.replace("MODEL=/models/one", "MODEL=<path/to/model>")
    file.write_text(text.replace("--nproc_per_node 8", "--nproc_per_node [8]"))
    report = lint(collect([str(file)]), INDEX)
    assert report.not_read == ()
    assert [f.line for f in report.findings] == [4, 6]


def test_in_a_pasted_command_it_is_what_its_author_leaves_out() -> None:
    case = collect([], text="torchrun train.py --model=<my model> --lr 1e-5\nit hangs", index=INDEX)
    assert [f.line for f in lint(case, INDEX).findings] == []


_KEY = "export WANDB_API_KEY=your_key\n{}python train.py --lr 1e-5 {}\n"
_TOKEN = "{}python train.py --lr 1e-5 --hub_token your-token {}\n"


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        (_KEY.format("", "--report_to tensorboard wandb"), "error"),
        (_KEY.format("", "--report_to all"), "error"),
        (_KEY.format("export WANDB_PROJECT=one\n", ""), "error"),
        (_KEY.format("wandb login\n", ""), "error"),
        (_KEY.format("", ""), "info"),
        (_KEY.format("# wandb login\n", ""), "info"),
        (_KEY.format("export WANDB_MODE=offline\n", "--report_to wandb"), ""),
        (_KEY.format("export WANDB_DISABLED=true\n", ""), ""),
        (_KEY.format("", "--report_to none"), ""),
        (_TOKEN.format("", "--push_to_hub true"), "error"),
        (_TOKEN.format("", "--push_to_hub"), "error"),
        (_TOKEN.format("", ""), "info"),
        (_TOKEN.format("", "--push_to_hub false"), ""),
        (_TOKEN.format("export HF_HUB_OFFLINE=1\n", ""), ""),
        ("export HF_TOKEN=your_token\npython train.py --lr 1e-5\n", "info"),
        ("export OPENAI_API_KEY=your_key\npython train.py --lr 1e-5\n", "info"),
        ("python train.py --lr 1e-5 --model your_model\n", "error"),
    ],
)
def test_a_key_counts_as_far_as_it_is_read(lint_text: Lint, text: str, severity: str) -> None:
    found = [f for f in lint_text(text, "run.sh") if "placeholder" in f.message.en]
    assert [f.severity for f in found] == ([severity] if severity else [])
