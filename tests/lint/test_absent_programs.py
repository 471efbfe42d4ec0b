"""Programs and named configurations that are not where a command says."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintFinding

INDEX = load()
PATH = "path-wrong-or-forbidden"


def _lint(folder: Path, command: str, files: tuple[str, ...]) -> list[LintFinding]:
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("import argparse\n" if name.endswith("py") else "a: 1\n")
    script = folder / "job" / "run.sh"
    script.parent.mkdir(exist_ok=True)
    script.write_text(f"#!/bin/bash\n{command}\n")
    found = lint(collect([str(script)]), INDEX).findings
    return [f for f in found if f.name == PATH]


@pytest.mark.parametrize(
    ("command", "files", "path", "right"),
    [
        ("torchrun trian.py --lr 1e-4", ("job/train.py",), "trian.py", "train.py"),
        ("python src/trainn.py --lr 1e-4", ("job/src/train.py",), "src/trainn.py", "src/train.py"),
        (
            "python train.py --config-path conf --config-name gpt_big",
            ("job/train.py", "job/conf/gpt_small.yaml"),
            "conf/gpt_big.yaml",
            "",
        ),
        (
            "python train.py --config-path conf --config-name=gpt_smal",
            ("job/train.py", "job/conf/gpt_small.yaml"),
            "conf/gpt_smal.yaml",
            "gpt_small",
        ),
    ],
)
def test_what_is_not_there(
    tmp_path: Path, command: str, files: tuple[str, ...], path: str, right: str
) -> None:
    (found,) = _lint(tmp_path, command, files)
    assert found.line == 2
    assert found.message.en.startswith(path)
    assert (found.fix is not None) == bool(right)
    assert all(right in new for _, _, new in found.shown)


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("torchrun train.py --lr 1e-4", ("job/train.py", "job/trains.py")),
        ("torchrun train.py --lr 1e-4", ("job/other.py",)),  # no whole project
        ("torchrun train_v2.py --lr 1e-4", ("job/train_v1.py",)),
        ("torchrun train.py --lr 1e-4", ("train.py", "job/trains.py")),  # started from above
        ("torchrun $DIR/train.py --lr 1e-4", ("job/trains.py",)),
        ("python train.py --config-path conf --config-name a", ("job/train.py", "job/conf/a.yml")),
        ("python train.py --config-path conf --config-name a", ("job/train.py",)),
        ("python train.py --config-path conf --config-name a", ("job/conf/b.yaml",)),
    ],
)
def test_what_is_there_or_may_be(tmp_path: Path, command: str, files: tuple[str, ...]) -> None:
    assert _lint(tmp_path, command, files) == []
