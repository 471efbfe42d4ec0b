"""The file of an engine that a configuration names, beside files that were given with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
FACTORY = (
    "model_name_or_path: org/model\nstage: sft\ndo_train: true\nfinetuning_type: full\n"
    "dataset: mine\ntemplate: qwen\nper_device_train_batch_size: 1\nlearning_rate: 1.0e-5\n"
    "bf16: true\noutput_dir: out\ndeepspeed: {engine}\n"
)
ENGINE = '{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}\n'
ABSENT = "path-wrong-or-forbidden"


def lines(found: tuple[LintFinding, ...]) -> list[int]:
    return [f.line for f in found if f.name == ABSENT]


@pytest.mark.parametrize(
    ("engine", "beside", "told"),
    [
        ("ds_z4.json", "ds_z3.json", True),
        ("ds_z3.json", "ds_z3.json", False),
        ("ds_z4.json", "", False),  # where it starts is not known
        ("ds/ds_z4.json", "ds_z3.json", False),
        ("/etc/ds_z4.json", "ds_z3.json", False),
        ("$DS", "ds_z3.json", False),
    ],
)
def test_one_that_is_not_there_beside_one_that_nothing_names(
    lint_text: Lint, engine: str, beside: str, told: bool
) -> None:
    more = {beside: ENGINE} if beside else None
    found = lint_text(FACTORY.format(engine=engine), "sft.yaml", more)
    assert lines(found) == [11] * told


@pytest.mark.parametrize(("folder", "told"), [("deepspeed", True), ("elsewhere", False)])
def test_a_folder_that_is_there_without_it(
    lint_text: Lint, tmp_path: Path, folder: str, told: bool
) -> None:
    below = tmp_path.parent / folder
    (tmp_path.parent / "deepspeed").mkdir(exist_ok=True)
    (tmp_path.parent / "deepspeed" / "ds_z3.json").write_text(ENGINE)
    found = lint_text(FACTORY.format(engine=f"{below.name}/ds_z4.json"), "sft.yaml")
    assert lines(found) == [11] * told
