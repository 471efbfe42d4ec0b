"""Files whose name says something else than their content, or of which a part alone is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.commands import main
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
BOTH = "conflicting-values"
SCRIPT = "#!{shell}\ntorchrun --nproc_per_node 8 train.py --bf16 True --fp16 {fp16}\n"


@pytest.mark.parametrize("name", ["run", "run.yaml", "run.toml", "run.sh"])
@pytest.mark.parametrize("shell", ["/bin/bash", "/usr/bin/env bash", " /bin/sh -x"])
def test_a_script_is_one_by_its_first_line(tmp_path: Path, name: str, shell: str) -> None:
    for fp16, fires in (("True", True), ("False", False)):
        (tmp_path / name).write_text(SCRIPT.format(shell=shell, fp16=fp16))
        found = lint(collect([str(tmp_path / name)]), load()).findings
        assert [f.line for f in found if f.name == BOTH] == ([2] if fires else [])


def test_yaml_may_begin_with_a_comment(lint_text: Lint) -> None:
    text = "#! a file of mine, run by bash\nper_device_train_batch_size: 2\noutput_dir: a\nfp16: {n}\nbf16: true\n"
    assert [f.line for f in lint_text(text.format(n="true")) if f.name == BOTH] == [5]
    assert lint_text(text.format(n="false")) == ()


ENGINE = (
    '{"zero_optimization": {"stage": 2},\n "fp16": {"enabled": %s}, "bf16": {"enabled": true}}\n'
)


@pytest.mark.parametrize("name", ["ds.json", "ds.yaml"])
def test_an_engines_json_by_another_name(lint_text: Lint, name: str) -> None:
    assert BOTH in [f.name for f in lint_text(ENGINE % "true", name)]
    assert BOTH not in [f.name for f in lint_text(ENGINE % "false", name)]


ONE = "model_name_or_path: gpt2\nbf16: true\nper_device_train_batch_size: 4\n"
OBJECT = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (ONE, 0, False),
        (f"---\n{ONE}...\n", 0, False),
        (f"{ONE}---\n{ONE}fp16: true\n", 1, True),
        (f"{OBJECT}---\n{OBJECT}", 0, False),
    ],
)
def test_a_second_document_is_not_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, code: int, said: bool
) -> None:
    (tmp_path / "a.yaml").write_text(text)
    assert main(["--lang", "en", "lint", str(tmp_path / "a.yaml")]) == code
    captured = capsys.readouterr()
    assert ("a second document begins here" in captured.out + captured.err) == said
