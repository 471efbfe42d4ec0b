"""Commands of another framework than the run's are not shown."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from medic.commands import main
from medic.index.knowledge import load
from medic.run_config import RunConfig
from medic.session.foreign import own, own_command, walk_files

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


SCRIPT = """from trl import GRPOConfig, GRPOTrainer
cfg = GRPOConfig(output_dir="out", learning_rate=1e-6, num_generations=8)
GRPOTrainer(model="Qwen/Qwen2.5-3B", reward_funcs=[len], args=cfg).train()
"""
SHOWN = "import torch, ray, vllm, verl"


def test_a_walk_shows_the_run_s_own_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "grpo.py"
    script.write_text(SCRIPT, "utf-8")
    main(["walk", "staged-validation", "--restart"])
    assert SHOWN in capsys.readouterr().out
    main(["walk", "staged-validation", "--restart", str(script)])
    out = capsys.readouterr().out
    assert SHOWN not in out
    assert "versions and" in out


def test_the_files_that_a_walk_is_given() -> None:
    def given(framework: str, *names: str) -> Any:
        files = [SimpleNamespace(name=n, kind="log" if "log" in n else "script") for n in names]
        made = session(framework)
        made.evidence = SimpleNamespace(fact=lambda _: RunConfig(framework=framework))
        made.case = SimpleNamespace(files=files)
        return walk_files(made, load().procedures["staged-validation"])

    assert given("trl", "run.sh", "train.log") == ["run.sh"]
    assert given("verl", "run.sh") == []  # it shows them anyway
    assert given("trl", "a.sh", "b.sh", "c.sh", "d.sh") == []


def test_snippets_of_several_lines() -> None:
    snippet = "import torch\nx = actor_rollout_ref.model.path\n"
    assert own(load(), "trl", snippet) == ""
    assert own(load(), "verl", snippet) == snippet
    assert own(load(), "", snippet) == snippet


def test_a_class_of_settings_is_of_its_trainer() -> None:
    snippet = "TrainingArguments(per_device_train_batch_size=8)"
    assert own_command(session("megatron"), snippet) == ""
    for name in ("hf-trainer", "trl", "llama-factory", "plain", None):
        assert own_command(session(name), snippet) == snippet
    assert own_command(session("megatron"), "scaler = GradScaler()") == "scaler = GradScaler()"
