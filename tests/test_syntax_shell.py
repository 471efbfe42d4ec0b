"""Shell scripts: words as the shell would pass them, and where they are written."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medic.facts import Command, Document, Word
from medic.syntax import parse


def script(text: str) -> Document:
    return parse(text.encode(), "run.sh")


def last(text: str) -> Command:
    return script(text).commands[-1]


def values(text: str) -> list[str | None]:
    return [word.value for word in last(text).words]


def place(text: str, word: Word) -> tuple[int, str]:
    """Line and text of the bytes to edit for a word."""
    span = word.literal or word.span
    return span.line, text.encode()[span.start : span.end].decode()


SCRIPT = """#!/bin/bash
export GPUS=${GPUS:-8}
MBS=4
ARGS=(
  --lr 1e-4   # peak
  --mbs=$MBS
)
OPTS="
  --seq-length 2048 \\
  --micro $MBS
"
FOO=bar torchrun --nproc-per-node=$GPUS ${ARGS[@]} \\
  train.py $OPTS --name "run_${MBS}" 'a b' $(date) $UNSET > log.txt 2>&1 | tee out
"""


def test_words_of_a_launch() -> None:
    command = script(SCRIPT).commands[0]
    assert command.assignments == {"FOO": "bar"}
    assert [w.value for w in command.words] == [
        "torchrun", "--nproc-per-node=8", "--lr", "1e-4", "--mbs=4", "train.py",
        "--seq-length", "2048", "--micro", "4", "--name", "run_4", "a b", None, None,
    ]  # fmt: skip
    for word in command.words:
        assert SCRIPT.encode()[word.span.start : word.span.end].decode() == word.raw


def test_a_word_knows_where_it_is_written() -> None:
    words = {w.value: w for w in script(SCRIPT).commands[0].words}
    assert place(SCRIPT, words["--nproc-per-node=8"]) == (2, "8")
    assert place(SCRIPT, words["1e-4"]) == (5, "1e-4")
    assert place(SCRIPT, words["--mbs=4"]) == (3, "4")
    assert place(SCRIPT, words["2048"]) == (9, "2048")
    assert place(SCRIPT, words["4"]) == (3, "4")
    assert words["run_4"].literal is None


def test_variables() -> None:
    variables = script(SCRIPT).variables
    assert variables["GPUS"] == "8"
    assert variables["ARGS"] == "--lr 1e-4 --mbs=4"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A=2; B=$(( (A + 1) * $A / 4 )); f $B", ["f", "1"]),
        ("f $(( 7 / 0 )) $(( X * 2 ))", ["f", None, None]),
        ("A=x; f ${A:+y} ${B:-z} ${A:-z} ${B-} end", ["f", "y", "z", "x", "end"]),
        (": ${P:=29500}; f $P", ["f", "29500"]),
        ("A=abc; f ${#A} ${A%c} ${A/b/x}", ["f", None, "ab", None]),
        ("A=(1 2); A+=(3); f ${A[@]} ${#A[@]}", ["f", "1", "2", "3", "3"]),
        ("A=('--x 1' --y); f ${A[@]}; f \"${A[@]}\"", ["f", "--x 1", "--y"]),
        ("A=('--x 1' --y); f ${A[@]}", ["f", "--x", "1", "--y"]),
        ('A="x  y"; f $A "$A"', ["f", "x", "y", "x  y"]),
        ('A=; f $A "$A"', ["f", ""]),
        ("A=1; A+=2; f $A; unset A; f $A", ["f", None]),
        ('CMD="f --x 1"; eval $CMD --y', ["f", "--x", "1", "--y"]),
        ("L='f --n 2'; srun bash -c '$L --rank $R'",
         ["srun", "bash", "-c", "f", "--n", "2", "--rank", None]),
        ("g() { f --lr $1 $2; }; g 3e-4", ["f", "--lr", "3e-4", None]),
        ("(A=2; f $A); f $A", ["f", None]),
        ("#SBATCH --nodes=4\n#SBATCH --gres=gpu:a100:8\nf $SLURM_NNODES $SLURM_GPUS_ON_NODE",
         ["f", "4", "8"]),
        ("cat > x.json <<EOF\nf 1\nEOF\nf 2", ["f", "2"]),
        ('A="\r\n --x 1 \\\r\n --y"\r\nf $A \\\r\n  b\r\n', ["f", "--x", "1", "--y", "b"]),
        ("f {1..3} $'a\\tb' `date`", ["f", None, None, None]),
    ],
)  # fmt: skip
def test_expansion(text: str, expected: list[str | None]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("if x; then A=1; else A=2; fi; f $A", None),
        ("if x; then A=1; else A=1; fi; f $A", "1"),
        ("if x; then A=1; fi; f $A", None),
        ("if [ -z \"$A\" ]; then A=1; fi; f $A", "1"),
        ("[ -z \"$A\" ] && A=1; f $A", "1"),
        ("[ -n \"$A\" ] || A=1; f $A", "1"),
        ("M=7; if [[ $M == 3 ]]; then A=1; elif [ $M -gt 5 ]; then A=2; else A=3; fi; f $A", "2"),
        ("M=b; if [[ $M == a ]]; then A=1; elif x; then A=2; else A=2; fi; f $A", "2"),
        ("M=b; if [[ $M == [a-c]* ]]; then A=1; else A=2; fi; f $A", None),
        ("M=1; [ $M = 2 ] && A=1; f $A", None),
        ("for i in 1 2; do A=$i; done; f $A", None),
        ("case $1 in a) A=1;; *) A=2;; esac; f $A", None),
        ("A=1; while read A; do x; done; f $A", None),
        ("A=1; ((A++)); f $A", None),
        ("A=1; read A; f $A", None),
    ],
)  # fmt: skip
def test_what_branches_and_loops_leave_known(text: str, expected: str | None) -> None:
    assert values(text) == ["f", expected]


def test_a_loop_runs_its_commands_with_an_unknown_variable() -> None:
    (command,) = script("for lr in 1e-4 3e-4; do torchrun t.py --lr $lr; done").commands
    assert [w.value for w in command.words] == ["torchrun", "t.py", "--lr", None]


def test_a_broken_script_is_read_as_far_as_possible() -> None:
    document = script("torchrun a.py --lr 1\nif then ((\n")
    assert [w.value for w in document.commands[0].words] == ["torchrun", "a.py", "--lr", "1"]
    assert [p.kind for p in document.problems] == ["syntax", "refused"]


@pytest.mark.parametrize(
    "text",
    [
        "A=xx\n" + "A=$A$A\n" * 60 + "f $A",
        "".join(f"f{i}() {{ f{i + 1}; f{i + 1}; }}\n" for i in range(40)) + "f0",
        "(" * 5000,
        "if a; then " * 2000,
        "f $" + "((" * 3000 + "1",
        "f() { f; }; f",
    ],
)
def test_hostile_scripts_end(text: str) -> None:
    document = script(text)
    assert all(len(command.words) < 20_000 for command in document.commands)


safe = st.text(st.sampled_from("ab1-_=./,:@ \"'$\\{}é"), max_size=8)


@given(st.lists(safe, min_size=1, max_size=3))
def test_quoted_text_is_read_as_the_shell_reads_it(texts: list[str]) -> None:
    single = " ".join("'" + t.replace("'", "'\\''") + "'" for t in texts)
    assert values(f"f {single}") == ["f", *texts]
    escaped = ["".join("\\" + c if c in '"$\\`' else c for c in t) for t in texts]
    double = " ".join(f'"{t}"' for t in escaped)
    assert values(f"f {double}") == ["f", *texts]


CASES = [
    'A=1\nB="--x $A --y"\nC=(a "b c" $A)\nshow $B ${C[@]} "${C[@]}" "$B" ${A:-2}${D:-3} a"$A"b',
    'A="x y"\nB="$A"\nshow $A$B "$A"$A pre$A',
    "N=3\nT=$((N * 2 + 1))\nshow $T $((-N)) $((N % 2)) $((2 ** 4))",
    'E=\nshow a $E b "$E" "" c',
    "S=\"a \\\n b\"\nshow $S \"x\\\"y\" 'it'\\''s'",
]


@pytest.mark.parametrize("text", CASES)
def test_agrees_with_a_real_shell(text: str) -> None:
    """The scripts are the ones above; they only print their arguments."""
    real = subprocess.run(
        ["bash", "-c", f"show() {{ printf '%s\\0' \"$@\"; }}\n{text}"],
        capture_output=True, check=True, timeout=10,
    ).stdout.decode().split("\0")[:-1]  # fmt: skip
    assert values(text)[1:] == real


def test_an_assignment_in_a_quoted_document_of_a_substitution() -> None:
    text = (
        "RUN=$(python - <<'PY'\nwrite(\n    PYTHONPATH=\"/a:/b\",\n)\n"
        'print(json.dumps({"a": b}))\nPY\n)\npython train.py --lr 1\n'
    )
    assert values(text) == ["python", "train.py", "--lr", "1"]


def test_a_function_that_calls_itself_is_entered_once() -> None:
    calls = "  usage a\n" * 12
    found = script(f"usage() {{\n{calls}}}\nusage\npython train.py\n").commands
    assert [c.words[0].value for c in found].count("usage") == 13
    assert found[-1].words[-1].value == "train.py"
