"""Configurations that a script writes by a here-document, and the script's own parser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
_WRITES = """cat > ds.json <<EOF
{
  "train_micro_batch_size_per_gpu": 4,
  "gradient_accumulation_steps": 2,
  "train_batch_size": 64,
  "zero_optimization": {"stage": 2, "overlap_comm": true},
  "wall_clock_breakdown": $VERBOSE
}
EOF
deepspeed --num_gpus 8 train.py --deepspeed ds.json --output_dir out
"""


def _told(found: tuple[LintFinding, ...]) -> list[tuple[str, int]]:
    return [(f.name, f.line) for f in found if f.severity == "error"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"stage": 2', '"stage": 2', []),
        (": 64", ": 60", [("batch-not-divisible", 5), ("train-batch-mismatch", 5)]),
        ("overlap_comm", "overlap_com", [("misspelt-config-key", 6)]),
        ('"stage": 2', '"stage": 5', [("impossible-value", 6)]),
    ],
)
def test_it_is_read_in_place(
    lint_text: Lint, old: str, new: str, told: list[tuple[str, int]]
) -> None:
    found = lint_text(_WRITES.replace(old, new), "run.sh")
    assert _told(found) == told
    assert {PurePath(f.file).name for f in found} <= {"run.sh"}, "ds.json need not exist"


_PARSER = """import argparse
p = argparse.ArgumentParser()
p.add_argument("--lr", type=float, required=True)
p.add_argument("--steps", type=int, default=1)
p.add_argument("--name")
args = p.parse_args()
"""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--lr 1e-4 --steps 4 --name 5x", []),
        ("--lr 1e-4x --steps 4", [("flag-value-not-accepted", 1)]),
        ("--lr=1e-4 --steps 4.5", [("flag-value-not-accepted", 1)]),
        ("--steps 4", [("flag-value-not-accepted", 1)]),
        ("--steps 4 $MORE", []),
        ("--lr $LR", []),
    ],
)
def test_what_the_scripts_own_parser_refuses(
    lint_text: Lint, words: str, told: list[tuple[str, int]]
) -> None:
    found = lint_text(f"python train.py {words}\n", "run.sh", {"train.py": _PARSER})
    assert [one for one in _told(found) if one[0] == "flag-value-not-accepted"] == told


def test_what_nobody_can_read_is_a_finding_and_the_rest_is_checked(lint_text: Lint) -> None:
    quoted = _WRITES.replace("<<EOF", "<<'EOF'").replace("$VERBOSE", "True")
    assert _told(lint_text(quoted, "run.sh")) == [("config-syntax-error", 7)]
    more = (
        "torchrun --nproc_per_node 8 sft.py --model_name_or_path a --output_dir out \\\n"
        "  --per_device_train_batch_size -4 --bf16 True\n"
    )
    assert _told(lint_text(quoted + more, "run.sh"))[1:] == [("impossible-value", 12)]


def test_what_another_program_fills_in_is_not_judged(lint_text: Lint) -> None:
    for text in ("{{ verbose }}", "@VERBOSE@"):
        quoted = _WRITES.replace("<<EOF", "<<'EOF'").replace("$VERBOSE", text)
        assert _told(lint_text(quoted, "run.sh")) == []
