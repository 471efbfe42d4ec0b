"""Programs whose flags tyro or Fire makes of a dataclass or of a function."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.lint.files import lint

INDEX = load()
TYRO = """import tyro
from dataclasses import dataclass, field
from typing import Optional

@dataclass
class Optim:
    weight_decay: float = 0.1

@dataclass
class Args:
    env_id: str = "a"
    total_timesteps: int = 500
    anneal: bool = True
    layers: tuple[int, ...] = (1,)
    gamma: Optional[float] = None
    optim: Optim = field(default_factory=Optim)

args = tyro.cli(Args)
"""
FIRE = """import fire

def train(base_model: str = "", data_path: str = "x", inputs: bool = True):
    print(base_model)

if __name__ == "__main__":
    fire.Fire(train)
"""
Told = Callable[[str, str], list[str]]


@pytest.fixture
def told(tmp_path: Path) -> Told:
    def run(source: str, flags: str) -> list[str]:
        (tmp_path / "train.py").write_text(source)
        (tmp_path / "run.sh").write_text(f"python train.py {flags}\n")
        paths = [str(tmp_path / name) for name in ("run.sh", "train.py")]
        found = lint(collect(paths), INDEX).findings
        return [
            f"{f.name}: {f.message.en}; {f.consequence.en}" for f in found if f.severity != "info"
        ]

    return run


@pytest.mark.parametrize(
    "flags",
    [
        "--env-id x --total_timesteps 5 --no-anneal --layers 1 2 3 --optim.weight-decay 0.2",
        "--anneal --gamma None --env_id x",
    ],
)
def test_both_spellings_of_a_field(told: Told, flags: str) -> None:
    assert told(TYRO, flags) == []


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        ("--env-di x", "--env-di"),
        ("--total-timestep 5", "--total-timestep"),
        ("--optim.weight-deacy 0.2", "--optim.weight-deacy"),
        ("--total-timesteps 5k", "5k"),
        ("--env-id --anneal", "--env-id needs a value"),
    ],
)
def test_what_tyro_refuses(told: Told, flags: str, word: str) -> None:
    found = told(TYRO, flags)
    assert len(found) == 1
    assert word in found[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("@dataclass\nclass Args:", "class Args:"),
        ("@dataclass\nclass Args:", "@more_fields\n@dataclass\nclass Args:"),
        ("@dataclass\nclass Optim:", "class Optim:"),
        ("    layers:", "    mode: Mode = Mode.FAST\n    layers:"),
        ("default_factory=Optim", "default_factory=lambda: Other()"),
        ("tyro.cli(Args)", "tyro.cli(Args, default=given)"),
        ("tyro.cli(Args)", "tyro.cli(Args, return_unknown_args=True)"),
        ("tyro.cli(Args)", "tyro.cli(Plain)"),
        ("    layers:", "    def __post_init__(self, brand): ...\n    layers:"),
    ],
)
def test_more_flags_than_the_fields_at_hand(told: Told, old: str, new: str) -> None:
    classes = "class Mode(Enum):\n    FAST = 1\n\nclass Plain:\n    pass\n\n@dataclass\nclass Args:"
    source = TYRO.replace("@dataclass\nclass Args:", classes)
    source = "from enum import Enum\n" + source.replace(old, new, 1)
    assert new in source
    assert told(source, "--env-id x --brand new --optim.nesterov 1 --mode FAST") == []


def test_a_class_without_fields_takes_no_flags(told: Told) -> None:
    source = (
        "import tyro\nfrom dataclasses import dataclass\n@dataclass\nclass C: ...\ntyro.cli(C)\n"
    )
    assert len(told(source, "--brand new")) == 1


def test_a_choice_of_classes_has_flags_of_its_own(told: Told) -> None:
    source = TYRO.replace("optim: Optim =", "optim: Optional[Optim] =")
    assert told(source, "--optim.weight-deacy 0.2 --brand-new 1") == []


@pytest.mark.parametrize(
    ("flags", "count"),
    [
        ("--base_model a --data-path=b --inputs", 0),
        ("--base_model a --noinputs -data_path b", 0),
        ("--base_model a --data_paht b", 1),
    ],
)
def test_parameters_of_a_function(told: Told, flags: str, count: int) -> None:
    assert len(told(FIRE, flags)) == count


def test_fire_trains_before_it_refuses(told: Told) -> None:
    (found,) = told(FIRE, "--base_model a --data_paht b")
    assert "trains without the setting" in found


def test_a_function_that_takes_any(told: Told) -> None:
    assert told(FIRE.replace("True):", "True, **more):"), "--data_pathology b --more 1") == []
