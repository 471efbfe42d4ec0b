"""Scripts that bash refuses: what is open, missing or out of place, at its line."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.lint.found import LintFinding
from medic.session.consultation import Session
from medic.syntax import parse

INDEX = load()
Lint = Callable[..., tuple[LintFinding, ...]]
REFUSED = "script-syntax-error"
CLEAN = """#!/bin/bash
set -e
NAME="first"
DATA='/data/a b'
if [ -z "$SEED" ]; then
  SEED=1
elif [[ $SEED =~ ^(1|2)$ && -n "${X:-}" ]]; then
  SEED=2
else
  SEED=3
fi
SIZES=(1 2 # small
  4)
start() {
  case "$1" in
    a|b) echo "it's $(date '+%F (%H)')" ;;
    *) cat <<EOF > note.txt
don't (
EOF
      ;;
  esac
}
for i in 1 2; do
  while read -r line; do
    echo "$line" `hostname` $((i * 2))
  done < list.txt
done
( cd /tmp && ls ) > log 2>&1 &
torchrun --nproc_per_node 8 train.py \\
  --lr 1e-4 \\
  --name "$NAME" --data "$DATA" && echo done || { echo failed; exit 1; }
"""
MUTATIONS = [
    ('NAME="first"', 'NAME="first', 3, '"'),
    ('NAME="first"', 'NAME=first"', 3, '"'),
    ("DATA='/data/a b'", "DATA='/data/a b", 4, "'"),
    ('"$SEED" ]; then\n', '"$SEED" ]\n', 5, "then"),
    ('"$SEED" ]; then\n', '"$SEED" ] then\n', 5, "then"),
    ("  SEED=3\nfi\n", "  SEED=3\n", 5, "fi"),
    ("  SEED=3\nfi\n", "  SEED=3\nfi\nfi\n", 12, "fi"),
    ("  SEED=1\n", "  # SEED=1\n", 7, "elif"),
    ("  4)\n", "  4\n", 12, ")"),
    ("  4)\n", "  4))\n", 13, ")"),
    ('"$1" in', '"$1"', 15, "in"),
    ("  esac\n", "", 15, "esac"),
    ("}\nfor", "for", 14, "}"),
    ("in 1 2; do", "in 1 2", 23, "do"),
    ("in 1 2; do", "in 1 2 do", 23, "do"),
    ("  done < list.txt\n", "", 24, "done"),
    ("done\n( cd", "( cd", 23, "done"),
    ("`hostname`", "`hostname", 25, "`"),
    ("$((i * 2))", "$((i * 2)", 25, "(("),
    ("${X:-}", "${X:-", 7, '"'),
    ("EOF\n      ;;", "  EOF\n      ;;", 17, "EOF"),
    ("( cd /tmp", "cd /tmp", 28, ")"),
    ("  --lr 1e-4 \\\n", "  --betas (0.9, 0.95) \\\n", 30, "("),
    ("exit 1; }", "exit 1;", 31, "}"),
    ('"$DATA" && echo', '"$DATA"\n  && echo', 32, "&&"),
    ("\nfor i", "\nelse\nfor i", 23, "else"),
    ("  --lr 1e-4 \\\n", "  betas=(0.9 0.95) \\\n", 30, "("),
    ("2>&1 &\n", "2 > &1\n", 28, "2>&1"),
    (" || { echo failed; exit 1; }", " ||", 31, "||"),
    ("EOF\n      ;;", "EOF \n      ;;", 17, "EOF"),
]


def test_the_clean_script_is_silent(lint_text: Lint) -> None:
    assert lint_text(CLEAN, "a.sh") == ()


@pytest.mark.parametrize(("old", "new", "line", "word"), MUTATIONS)
def test_the_refusal_is_told_where_it_is_mended(
    lint_text: Lint, old: str, new: str, line: int, word: str
) -> None:
    assert CLEAN.count(old) == 1
    text = CLEAN.replace(old, new)
    found = [f for f in lint_text(text, "a.sh") if f.name == REFUSED]
    assert [f.line for f in found] == [line]
    assert word in found[0].message.en or word == "("
    if word != "EOF":  # bash only warns, and reads on to the end of the file
        assert subprocess.run(["bash", "-n"], input=text.encode(), check=False).returncode


VALID = [
    "case $1 in (a) echo;; b) esac",
    "if true; then { echo; } fi",
    "f() if true; then :; fi\nfunction g { :; }",
    "for ((i = 0; i < 3; i++)); do :; done",
    "for x; do :; done; select y in a b; do break; done",
    "a=(1 [3]=x \"y)\" # )\n 2); a+=(3)",
    "echo ${a[@]:1:2} ${#a[*]} ${b//\\'/\\\"} $'it\\'s'",
    "cat <<-'E' <<F | tr a b\n\tx'\n\tE\ny\"\nF",
    "[[ $a == *(x|y) && ! ( $b < 3 ) ]] || (( 1 < 2 )) && let i++",
    "diff <(sort a) <(sort b) >&2 2>&- &>> log; x=$(case a in a) echo;; esac)",
    "echo a#b \\# '#' # it's\n\\\ntrue",
    "if ! time [ -f x ]\nthen\n:\nfi\nwhile :\ndo\n:\ndone &\nwait",
    "echo if then fi done esac } { ; echo done",
    "x=`echo \\`date\\` 'a'`",
    "a && # why\n\n b",
    "a=(1) b=(2)\nf() { local -a c=(1) d=(2); }\nexport e=(1)",
    "cat <<E\nx\nE ",
]  # fmt: skip


@pytest.mark.parametrize("text", VALID)
def test_what_bash_reads_is_not_refused(text: str) -> None:
    assert subprocess.run(["bash", "-n"], input=text.encode(), check=False).returncode == 0
    assert not [p for p in parse(text.encode(), "a.sh").problems if p.kind == "refused"]


def test_places_to_fill_in_and_prose_are_no_fault_of_the_syntax(lint_text: Lint) -> None:
    assert lint_text("Load the model (once)\n", "a.sh") == ()
    found = lint_text("python train.py --data <path to (the) data>\n", "a.sh")
    assert [f.name for f in found] == ["shell-reads-otherwise"]


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("python train.py --foo 1 (the trainer's default)\nexport X=1\n", False),
        ("export X=1\npython train.py --foo 1\nit doesn't start\npython eval.py\n", False),
        ("torchrun --nproc_per_node 8 train.py --output_dir 'out\n", True),
        ("#!/bin/bash\n# it's\nexport A='x\ntorchrun train.py --lr 1e-4\n", True),
    ],
)
def test_an_apostrophe_in_pasted_words_opens_no_quote(text: str, refused: bool) -> None:
    session = Session(INDEX, collect([], text=text, this_host=False, index=INDEX))
    session.look()
    fires = {h.seen.name for h in session.found if h.seen.outcome == "fires"}
    assert ("script-syntax-error" in fires) == refused
