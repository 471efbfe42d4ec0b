"""Commands of another framework than the run's are not shown."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from medic.index.knowledge import load
from medic.session.foreign import own_command

VERL = "python3 -m verl.trainer.main_ppo --cfg job"
KEYS = "# actor_rollout_ref.actor.optim.lr=1e-6"
IMPORTS = "python3 -c 'import torch, ray, vllm, verl, transformers; print(torch.__version__)'"
LISTS = 'pip list | grep -iE "^(vllm|trl|verl|ray)"'


def session(framework: str | None) -> Any:
    facts = {"framework": framework} if framework else {}
    return SimpleNamespace(
        index=load(), model=SimpleNamespace(context=SimpleNamespace(facts=facts))
    )


@pytest.mark.parametrize("command", [VERL, KEYS, IMPORTS])
def test_commands_of_verl(command: str) -> None:
    for framework in ("trl", "openrlhf", "slime"):
        assert own_command(session(framework), command) == ""
    own: tuple[str | None, ...] = ("verl", "verl-sft", "own-loop", None)
    for name in own:
        assert own_command(session(name), command) == command


@pytest.mark.parametrize("command", [LISTS, "nvidia-smi", "python -m pip list", "# --lr 1e-6", ""])
def test_commands_of_none(command: str) -> None:
    assert own_command(session("trl"), command) == command


def test_what_is_written_for_several_keeps_the_run_s_own() -> None:
    both = f"{KEYS}  |  --learning_rate 1e-6"
    assert own_command(session("trl"), both) == "# --learning_rate 1e-6"
    assert own_command(session("verl"), both) == both
