"""Characters that look like blanks or signs, and comments that look like commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.errors import Unreadable
from medic.lint.found import LintFinding
from medic.syntax import parse

Lint = Callable[..., tuple[LintFinding, ...]]
_YAML = (
    "model_name_or_path: a/b\nstage: sft\ndo_train: true\nfinetuning_type: lora\n"
    "dataset: identity\ntemplate: llama2\nsave_steps: 100\noutput_dir: out\n"
)


@pytest.mark.parametrize(
    ("old", "new", "name", "line"),
    [
        ("save_steps:", "save_steps\u200b:", "misspelt-config-key", 7),
        ("save_steps: 100", "save_steps: \u00a0100", "flag-value-not-accepted", 7),
        ("output_dir: out", "output_dir: o\u200but", "flag-value-not-accepted", 8),
    ],
)
def test_keys_and_values(lint_text: Lint, old: str, new: str, name: str, line: int) -> None:
    assert lint_text(_YAML) == ()
    found = lint_text(_YAML.replace(old, new))
    assert [(f.name, f.line, f.fix is not None) for f in found] == [(name, line, True)]


def test_prose_may_have_them(lint_text: Lint) -> None:
    assert lint_text(f"{_YAML}default_system: Tu es un assistant\u00a0! R\u00e9ponds.\n") == ()


@pytest.mark.parametrize(
    ("text", "name", "line", "said"),
    [
        ("a: 1\nlr:\u00a01e-4\n", "c.yaml", 2, "U+00A0"),
        ("a: 1\u2028b: 2\nlr\uff1a 3\nc: 4\n", "c.yaml", 2, "\uff1a"),
        ('{"a": 1,\n\u00a0"b": 2}', "c.json", 2, "U+00A0"),
        ("a = 1\nb =\u00a02\n", "c.toml", 2, "U+00A0"),
    ],
)
def test_what_breaks_a_file_is_named_at_its_line(
    text: str, name: str, line: int, said: str
) -> None:
    with pytest.raises(Unreadable) as caught:
        parse(text.encode(), name)
    assert caught.value.at == f"{name}:{line}"
    assert said in caught.value.en
    assert said in caught.value.zh


def test_lines_are_counted_as_editors_do(lint_text: Lint) -> None:
    found = lint_text(
        _YAML.replace("identity", "a\u2028seed: 1\u0085").replace("save_steps", "save_stpes")
    )
    assert [(f.name, f.line) for f in found] == [("misspelt-config-key", 7)]


def test_comments_in_backquotes(lint_text: Lint) -> None:
    text = (
        "torchrun --nproc_per_node 8 train.py \\\n  --lr 1e-4 `# isn't high` \\\n"
        "  --epochs 3 `# a (good) number` \\\n  --output_dir out \\ \n  --bf16\n"
    )
    found = lint_text(text, "run.sh")
    assert [(f.name, f.line) for f in found] == [("command-cut-short", 4)]


def test_not_a_number_and_no_end(lint_text: Lint) -> None:
    for value in (".inf", ".nan"):
        found = lint_text(f"{_YAML}learning_rate: {value}\n")
        assert [(f.name, f.line) for f in found] == [("impossible-value", 9)]
    assert lint_text(f"{_YAML}max_grad_norm: .inf\n") == ()


def test_a_script_beyond_all_sizes_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="not checked"):
        parse(b"#!/bin/bash\n" + b"python train.py --lr 1e-4\n" * 20_000, "run.sh")
