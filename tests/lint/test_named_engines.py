"""A JSON is DeepSpeed's by its keys, by its name, or because a launch hands it over."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
_BOTH = '{"bf16": {"enabled": true}, "fp16": {"enabled": true}}\n'


def _told(found: tuple[LintFinding, ...]) -> list[tuple[str, str]]:
    return [(f.name, f.file.rpartition("/")[2]) for f in found if f.severity == "error"]


@pytest.mark.parametrize("more", [{}, {"launch.sh": "deepspeed train.py --deepspeed ds.json\n"}])
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("", "", [("conflicting-values", "ds.json")]),
        ('{"bf16": {"enabled": true}', '{"bf16": {"enabled": false}', []),
        ('"fp16": {"enabled": true}', '"fp16": {"enabled": false}', []),
    ],
)
def test_both_precisions_of_one_file(
    lint_text: Lint, old: str, new: str, told: list[tuple[str, str]], more: dict[str, str]
) -> None:
    assert _told(lint_text(_BOTH.replace(old, new), "ds.json", more)) == told


@pytest.mark.parametrize(
    ("launch", "told"),
    [
        ("deepspeed train.py --deepspeed_config zero.json", True),
        ("torchrun train.py --deepspeed=conf/zero.json", True),
        ("accelerate launch --deepspeed_config_file zero.json train.py", True),
        ("torchrun train.py --data zero.json", False),
        ("deepspeed train.py --deepspeed --deepspeed_config other.json", False),
    ],
)
def test_a_file_that_a_launch_hands_over(lint_text: Lint, launch: str, told: bool) -> None:
    """No key tells whose it is: the only one is misspelt."""
    text = '{\n  "zero_optimisation": {"stage": 2}\n}\n'
    every = _told(lint_text(text, "zero.json", {"launch.sh": f"{launch}\n"}))
    found = [one for one in every if one[1] == "zero.json"]  # other.json is told not to be there
    assert found == ([("misspelt-config-key", "zero.json")] if told else [])
