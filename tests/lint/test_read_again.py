"""``eval`` and ``bash -c "$CMD"`` read their words once more: operators in them hold."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding
from medic.syntax import parse

LAUNCH = "torchrun --nproc_per_node 8 train.py --lr 1e-4"


def commands(text: str) -> list[list[str]]:
    found = parse(text.encode(), "run.sh").commands
    return [[word.text for word in one.words] for one in found]


@pytest.mark.parametrize("before", ["cd /w &&", "cd /w;", "cd /w ;", "mkdir -p o && cp a o/ &&"])
@pytest.mark.parametrize("call", ['eval "$CMD"', "eval $CMD", 'srun bash -c "$CMD"'])
def test_operators_part_what_a_shell_reads_again(before: str, call: str) -> None:
    found = commands(f'CMD="{before} {LAUNCH} | tee log"\n{call}\n')
    outer = ["srun", "bash", "-c"] if "srun" in call else []
    assert [*outer, *LAUNCH.split()] in found
    first = before.replace(";", "").split("&&")[0].split()
    assert found[0] == [*outer, *first]


def test_a_word_before_a_semicolon_has_the_place_of_the_word() -> None:
    text = 'eval "cd /work; torchrun a.py"\n'
    word = parse(text.encode(), "run.sh").commands[0].words[1]
    assert (word.text, text[word.span.start : word.span.end]) == ("/work", "/work")


def test_between_quotes_and_without_a_second_reading_nothing_is_parted() -> None:
    assert len(commands("eval \"torchrun a.py --say 'x ; y'\"\n")) == 1
    assert len(commands(f'CMD="cd /w && {LAUNCH}"\n$CMD\n')) == 1
    assert len(commands('bash -c "$CMD" "&&" b\n')) == 1


@pytest.mark.parametrize(("call", "told"), [('eval "$CMD"', 0), ("$CMD", 1)])
def test_only_the_bare_variable_starts_nothing(
    lint_text: Callable[..., tuple[LintFinding, ...]], call: str, told: int
) -> None:
    found = lint_text(f'CMD="cd /w && {LAUNCH}"\n{call}\n', "run.sh")
    assert len([one for one in found if one.code == "FLG-020"]) == told


ARGS = 'A=(--lr 1e-4 "$X")\n'


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ('srun bash -c \'python a.py "$@"\' _ "${A[@]}" --x', ["--lr", "1e-4", '"$X"', "--x"]),
        ("srun bash -c 'python a.py $2 $1' _ --b --a", ["--a", "--b"]),
        ("srun bash -c 'python a.py \"$@\"'", []),
    ],
)
def test_what_stands_behind_the_script_is_given_to_it(call: str, words: list[str]) -> None:
    assert commands(ARGS + call + "\n") == [["srun", "bash", "-c", "python", "a.py", *words]]


def test_a_command_of_ssh_is_given_nothing() -> None:
    found = commands("f() { ssh host 'python a.py \"$@\"' _ --x; }\nf --y\n")
    assert all("--x" not in one for one in found if "a.py" in one)
    assert commands("set -- --z\npython a.py $1\n")[-1] == ["python", "a.py", "$1"]


def test_a_head_of_a_launch_behind_the_script_is_judged(
    lint_text: Callable[..., tuple[LintFinding, ...]],
) -> None:
    def names(heads: int) -> list[str]:
        text = (
            "srun bash -c 'torchrun --nproc_per_node=8 pretrain_gpt.py \"$@\"' _ "
            f"--num-layers 24 --hidden-size 2048 --num-attention-heads {heads}\n"
        )
        return [one.name for one in lint_text(text, "run.sh")]

    assert names(15) == ["hidden-size-not-divisible-by-heads"]
    assert names(16) == []
