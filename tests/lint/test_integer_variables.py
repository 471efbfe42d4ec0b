"""What ``declare -i`` and the sums of a loop's head make of names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.commands import main
from medic.syntax import parse

Lint = Callable[[str], str]


@pytest.fixture
def lint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Lint:
    def run(text: str) -> str:
        file = tmp_path / "run.sh"
        file.write_text(text)
        main(["lint", str(file), "--format", "concise", "--lang", "en"])
        return capsys.readouterr().out

    return run


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        ("declare -i N=2 P=8 W\nW=N*P", "16"),
        ("typeset -i W; W=2*8; W+=2", "18"),
        ("local -ri W='2 * 3'", "6"),
        ("declare -i W=010", "8"),
        ("declare -i W=$X", None),
        ("W=$X; declare -i W; W+=2", None),
        ("declare -i W=4\ndeclare +i W\nW=2*8", "2*8"),
        ("declare -x W=2*8", "2*8"),
        ("W=2*8", "2*8"),
        ("W=$((010))", "8"),
    ],
)
def test_an_integer_variable_is_a_sum(lines: str, value: str | None) -> None:
    (command,) = parse(f"{lines}\necho $W\n".encode(), "run.sh").commands
    assert command.words[1].value == value


def test_a_count_of_processes_may_be_a_sum(lint: Lint) -> None:
    start = "accelerate launch --num_processes $W train.py --output_dir o\n"
    assert "2*8" not in lint(f"typeset -i W; W=2*8\n{start}")
    assert "2*8" in lint(f"W=2*8\n{start}")


HEAD = (
    "#!/bin/bash\nRATES=(1e-5 2e-5)\nfor (({})); do\n  python train.py --lr ${{RATES[$i]}}\ndone\n"
)


@pytest.mark.parametrize("head", ["i=0;i<${#RATES[@]};++i", "i=0; i < ${#RATES[@]}; i++"])
def test_a_list_is_counted_in_the_head_of_a_loop(lint: Lint, head: str) -> None:
    assert "set nowhere" not in lint(HEAD.format(head))


def test_a_list_that_nothing_makes_is_told_there(lint: Lint) -> None:
    assert "RATS is set nowhere" in lint(HEAD.format("i=0;i<${#RATS[@]};++i"))
