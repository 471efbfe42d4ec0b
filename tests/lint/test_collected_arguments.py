"""Arguments that loops and files of flags give: read where they are plain, else nothing is said."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding
from medic.syntax import parse

Lint = Callable[..., tuple[LintFinding, ...]]
SCRIPT = """#!/bin/bash
args=()
{loop}
accelerate launch --num_processes 8 -m trl.scripts.sft --dataset_name d "${{args[@]}}"
"""
PAIRS = "learning_rate 1e-5\noutput_dir out\n{key} 4\n"
LOOPS = [
    'while read -r k v; do args+=("--$k" "$v"); done <<EOF\n' + PAIRS + "EOF",
    'while IFS== read -r k v; do args+=("--$k=$v"); done <<< "output_dir=o\n{key}=4"',
    'while read k v; do args+=(--$k "$v"); done < pairs.txt',
    "for kv in output_dir=out {key}=4; do args+=(--${{kv%%=*}} ${{kv#*=}}); done",
    "args=($(cat flags.txt))",
    "args=($(<flags.txt))",
]
RIGHT, WRONG = "per_device_train_batch_size", "per_device_train_batch_sizes"


def _misspelt(lint_text: Lint, loop: str, key: str) -> list[str]:
    flags = f"--output_dir out\n--{key} 4\n"
    beside = {"flags.txt": flags, "pairs.txt": PAIRS.format(key=key)}
    text = SCRIPT.format(loop=loop.format(key=key))
    return [f.name for f in lint_text(text, "run.sh", beside) if f.severity != "info"]


@pytest.mark.parametrize("loop", LOOPS)
def test_what_a_loop_or_a_file_gives_is_read(lint_text: Lint, loop: str) -> None:
    assert _misspelt(lint_text, loop, RIGHT) == []
    assert _misspelt(lint_text, loop, WRONG) == ["misspelt-flag"]


@pytest.mark.parametrize(
    "loop",
    [
        'while read -r k v; do [ -n "$v" ] || continue; args+=(--$k $v); done < <(sort pairs.txt)',
        "args=($(cat flags.txt | sort))",
        "args=($(cat elsewhere.txt))",
        "for kv in $(cat flags.txt) {key}=4; do run $kv; args+=(--${{kv%%=*}}); done",
        "for kv in {key}=*; do args+=(--${{kv%%=*}}); done",
    ],
)
def test_what_is_not_plain_says_nothing(lint_text: Lint, loop: str) -> None:
    assert _misspelt(lint_text, loop, WRONG) == []


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("${X%%.*}", "a"),
        ("${X%.*}", "a.b"),
        ("${X#*.}", "b.c"),
        ("${X##*.}", "c"),
        ("${X^^}", "A.B.C"),
        ("${X%%z}", "a.b.c"),
        ("${X#$Y}", None),
        ("${X%%*}", None),  # nothing is left: no word
    ],
)
def test_parts_of_a_text(written: str, value: str | None) -> None:
    document = parse(f"X=a.b.c\nrun --x={written}\n".encode(), "run.sh")
    word = document.commands[0].words[1]
    assert word.value == (None if value is None else f"--x={value}")


def test_no_repair_of_what_a_loop_makes(lint_text: Lint) -> None:
    loop = "for kv in lr=1 output_dir=out lr=2; do args+=(--${kv%%=*} ${kv#*=}); done"
    text = SCRIPT.format(loop=loop.replace("{", "{{").replace("}", "}}").format())
    found = lint_text(text.replace("lr=", "learning_rate="), "run.sh")
    assert all(f.fix is None for f in found if f.line < 4)
    assert "flag-given-twice" in {f.name for f in found}
