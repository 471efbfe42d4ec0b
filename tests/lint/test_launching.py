"""What commands of one script, and the files beside it, say of each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]

FLAGS = " --learning_rate 1e-4"
MISSING = "accelerate launch --config_file acc.yaml train.py --deepspeed conf/ds.json" + FLAGS


def _names(folder: Path, text: str) -> list[tuple[str, int, int]]:
    script = folder / "run.sh"
    script.write_text(text)
    found = lint(collect([str(script)]), load()).findings
    return [(f.name, f.line, f.column) for f in found]


def test_a_config_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print(1)\n")
    found = _names(tmp_path, MISSING + "\n")
    assert found == [
        ("path-wrong-or-forbidden", 1, 33),
        ("path-wrong-or-forbidden", 1, MISSING.index("conf/") + 1),
    ]


def test_only_the_folder_is_there(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    assert _names(tmp_path, MISSING + "\n") == [
        ("path-wrong-or-forbidden", 1, MISSING.index("conf/") + 1)
    ]


@pytest.mark.parametrize(
    "text",
    [
        MISSING,
        f"cd /work\n{MISSING}",
        f"echo '{{}}' > acc.yaml; cp x conf/ds.json\n{MISSING}",
        MISSING.replace("acc.yaml", "$ACC").replace("conf/ds.json", "/abs/ds.json"),
    ],
    ids=["start-unknown", "elsewhere", "made-here", "not-literal"],
)
def test_what_may_be_there(tmp_path: Path, text: str) -> None:
    if text != MISSING:
        (tmp_path / "train.py").write_text("print(1)\n")
    assert not [n for n in _names(tmp_path, text + "\n") if n[0] == "path-wrong-or-forbidden"]


@pytest.mark.parametrize(
    ("text", "there", "told"),
    [
        ("llamafactory-cli train sft.yaml", "ds_z3.json", [("path-wrong-or-forbidden", 2)]),
        ("llamafactory-cli train sft.yaml", "ds_zero3.json", []),
        ("llamafactory-cli train sft.yaml", "notes.txt", []),  # none was brought along
        ("cd /work\nllamafactory-cli train sft.yaml", "ds_z3.json", []),
        ("cp x/ds_zero3.json .\nllamafactory-cli train sft.yaml", "ds_z3.json", []),
    ],
)
def test_an_engines_file_that_a_config_names(
    tmp_path: Path, text: str, there: str, told: list[tuple[str, int]]
) -> None:
    (tmp_path / "sft.yaml").write_text(
        "stage: sft\ndeepspeed: ds_zero3.json\nfinetuning_type: full\n"
    )
    (tmp_path / there).write_text("{}")
    script = tmp_path / "run.sh"
    script.write_text(text + "\n")
    found = lint(collect([str(script), str(tmp_path / "sft.yaml")]), load()).findings
    assert [(f.name, f.line) for f in found if f.name == "path-wrong-or-forbidden"] == told


@pytest.mark.parametrize(
    ("text", "judged"),
    [
        ("python train.py --config a.yaml\n", True),
        ("cd /work\npython train.py --config a.yaml\n", False),
        ("python train.py --lr 1\n", False),
        ("python train.py --config $A\n", False),
        ("echo\n", False),
    ],
)
def test_a_check_that_passes_has_seen_a_path(tmp_path: Path, text: str, judged: bool) -> None:
    (tmp_path / "a.yaml").write_text("x: 1\n")
    (tmp_path / "run.sh").write_text(text)
    report = lint(collect([str(tmp_path / "run.sh")]), load())
    assert ("path-wrong-or-forbidden" in report.passed) == judged
    assert ("path-wrong-or-forbidden" in dict(report.not_checked)) != judged


@pytest.mark.parametrize(
    ("line", "cause", "column"),
    [
        ("export PYTORCH_CUDA_ALLOC_CONF=expandable_segment:True", "flag-value-not-accepted", 32),
        ("export PYTORCH_ALLOC_CONF=expandable_segments:true", "flag-value-not-accepted", 27),
        ("export PYTORCH_CUDA_ALLOC_CONF=max_split_size:128", "flag-value-not-accepted", 32),
        ("export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:12", "flag-value-not-accepted", 32),
        ("export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:²", "flag-value-not-accepted", 32),
        (
            "export PYTORCH_CUDA_ALLOC_CONF=max_non_split_rounding_mb:²",
            "flag-value-not-accepted",
            32,
        ),
        (
            'export PYTORCH_CUDA_ALLOC_CONF="backend:native,garbage_collection_threshold:80"',
            "flag-value-not-accepted",
            48,
        ),
        ("export CUDA_VISABLE_DEVICES=0,1", "option-without-effect", 8),
        ("#SBATCH --mem=64 GB", "shell-reads-otherwise", 15),
        ("#SBATCH --time=24 hours", "shell-reads-otherwise", 16),
    ],
)
def test_values_that_a_reader_is_strict_about(
    lint_text: Lint, line: str, cause: str, column: int
) -> None:
    (found,) = lint_text(f"#!/bin/bash\n{line}\ntorchrun train.py{FLAGS}\n", "run.sh")
    assert (found.name, found.line, found.column) == (cause, 2, column)


@pytest.mark.parametrize(
    "line",
    [
        "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
        'export PYTORCH_CUDA_ALLOC_CONF="roundup_power2_divisions:[256:1,512:2,>:4],'
        'garbage_collection_threshold:0.8,max_split_size_mb:128"',
        "export PYTORCH_CUDA_ALLOC_CONF=$CONF",
        "export PYTORCH_CUDA_ALLOC_CONF=some_later_option:7",
        "export NCCL_SOCKET_IFNAME2=eth0",
        "# PYTORCH_CUDA_ALLOC_CONF=expandable_segment:True",
        "echo hi  # MASTER_PORT=70000 PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:5",
        "echo 'PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:5'",
        "cat <<EOT\nexport PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:5\nEOT",
        "#SBATCH --mem=64GB",
        "#SBATCH --mem=64G --time=24:00:00",
    ],
)
def test_values_that_are_right(lint_text: Lint, line: str) -> None:
    assert not lint_text(f"#!/bin/bash\n{line}\ntorchrun train.py{FLAGS}\n", "run.sh")


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("expandable_segments=True", "expandable_segments:True"),
        (
            '"max_split_size_mb=128,expandable_segments=True"',
            '"max_split_size_mb:128,expandable_segments:True"',
        ),
        ("=True", None),
    ],
)
def test_a_colon_is_offered_for_an_equals_sign(
    lint_text: Lint, value: str, meant: str | None
) -> None:
    (found,) = lint_text(
        f"#!/bin/bash\nexport PYTORCH_CUDA_ALLOC_CONF={value}\ntorchrun train.py{FLAGS}\n", "run.sh"
    )
    assert (found.name, found.line) == ("option-without-effect", 2)
    if meant is None:
        assert found.fix is None
        return
    assert found.fix is not None
    assert found.fix.patch is not None
    assert [edit.text for edit in found.fix.patch.edits] == [meant]
    assert meant.strip('"') in found.message.en


@pytest.mark.parametrize(
    ("beside", "lines"),
    [("other.json", [1]), ("acc.json", []), ("other.yaml", [])],
    ids=["another", "itself", "another-kind"],
)
def test_a_config_given_under_another_name(tmp_path: Path, beside: str, lines: list[int]) -> None:
    (tmp_path / beside).write_text("{}\n" if beside.endswith("json") else "x: 1\n")
    (tmp_path / "run.sh").write_text("deepspeed train.py --deepspeed acc.json --lr 1\n")
    found = lint(collect([str(tmp_path / one) for one in ("run.sh", beside)]), load()).findings
    assert [one.line for one in found if one.name == "path-wrong-or-forbidden"] == lines
