"""Overrides of a command whose key the framework almost knows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
NAME = "misspelt-config-key"
VERL = (
    "#!/bin/bash\n"
    "python3 -m verl.trainer.main_ppo \\\n"
    "    data.max_prompt_length=512 \\\n"
    "    data.max_response_length=1024 \\\n"
    "    actor_rollout_ref.actor.optim.lr=1e-6 \\\n"
    "    actor_rollout_ref.actor.ppo_mini_batch_size=64 \\\n"
    "    actor_rollout_ref.rollout.gpu_memory_utilization=0.6 \\\n"
    "    +actor_rollout_ref.actor.my_total_epoch=1 \\\n"
    "    +trainer.total_epoch=1 \\\n"
    "    my.own.total_epoch=1 \\\n"
    "    trainer.total_epochs=3\n"
)
TUNE = (
    "tune run --nproc_per_node 4 full_finetune_distributed --config llama3/8B_full \\\n"
    "  optimizer.lr=2e-5 \\\n"
    "  batch_size=4 \\\n"
    "  enable_activation_checkpointing=True\n"
)
NEMO = (
    "python megatron_gpt_pretraining.py --config-name=mine \\\n"
    "  trainer.devices=8 trainer.num_nodes=2 trainer.val_check_interval=100 \\\n"
    "  model.micro_batch_size=4 model.global_batch_size=64 \\\n"
    "  +model.data.data_prefixx=1 \\\n"
    "  model.optim.sched.warmup_steps=50\n"
)
MUTATIONS = [
    (NEMO, "val_check_interval", "val_check_intervall", 2, 49, "trainer.val_check_interval"),
    (NEMO, "sched.warmup_steps", "sched.warmup_stesp", 5, 21, "warmup_steps is meant"),
    (VERL, "max_prompt_length", "max_promt_length", 3, 10, "data.max_prompt_length is meant"),
    (VERL, "ppo_mini_batch_size", "ppo_minibatch_size", 6, 29, "ppo_mini_batch_size is meant"),
    (VERL, "gpu_memory_util", "gpu_memroy_util", 7, 31, "gpu_memory_utilization is meant"),
    (VERL, ".rollout.", ".rolout.", 7, 23, "actor_rollout_ref.rollout is meant"),
    (VERL, " trainer.total_epochs", " trainer.total_epoch", 11, 13, "trainer.total_epochs"),
    (TUNE, "batch_size", "batch_sise", 3, 3, "batch_size is meant"),
    (TUNE, "optimizer.lr", "lr", 2, 3, "optimizer.lr is meant"),
    (TUNE, "enable_activation_ch", "enable_activaton_ch", 4, 3, "enable_activation_checkpointing"),
]


@pytest.mark.parametrize("text", [VERL, TUNE, NEMO])
def test_clean_commands(lint_text: Lint, text: str) -> None:
    assert NAME not in [f.name for f in lint_text(text, "run.sh")]


@pytest.mark.parametrize(("text", "old", "new", "line", "column", "says"), MUTATIONS)
def test_a_misspelt_override_is_told_where_it_is(
    lint_text: Lint, text: str, old: str, new: str, line: int, column: int, says: str
) -> None:
    assert old in text
    found = [f for f in lint_text(text.replace(old, new, 1), "run.sh") if f.name == NAME]
    assert [(f.line, f.column) for f in found] == [(line, column)]
    assert says in found[0].message.en


def test_a_key_at_the_top_of_ones_own_configuration_is_none(lint_text: Lint) -> None:
    text = TUNE.replace("llama3/8B_full", "mine.yaml").replace("optimizer.lr", "lr")
    assert NAME not in [f.name for f in lint_text(text, "run.sh")]


@pytest.mark.parametrize("key", ["actor_rollout_ref.actor.optim.lr", "data.max_prompt_length"])
def test_a_key_that_is_there_takes_no_plus(lint_text: Lint, key: str) -> None:
    assert f" {key}=" in VERL
    line = VERL[: VERL.index(f" {key}=")].count("\n") + 1
    text = VERL.replace(f" {key}=", f" +{key}=")
    assert [(f.name, f.line) for f in lint_text(text, "a.sh")] == [("override-syntax-wrong", line)]


def test_two_signs_set_or_add(lint_text: Lint) -> None:
    assert (
        lint_text(
            VERL.replace(
                "    actor_rollout_ref.actor.optim.lr", "    ++actor_rollout_ref.actor.optim.lr"
            ),
            "a.sh",
        )
        == ()
    )


@pytest.mark.parametrize(("value", "line"), [("64,", 6), ("64", 0), ("[64,128]", 0), ("'64,'", 0)])
def test_a_comma_that_nothing_follows(lint_text: Lint, value: str, line: int) -> None:
    text = VERL.replace("ppo_mini_batch_size=64", f"ppo_mini_batch_size={value}")
    told = [(f.name, f.line) for f in lint_text(text, "a.sh")]
    assert (("override-syntax-wrong", line) in told) is bool(line)


OLMO = (
    "run_name: a\nmodel:\n  d_model: 512\n  max_sequence_length: 2048\n"
    "optimizer:\n  name: adamw\n  learning_rate: 3.0e-4\nscheduler:\n  t_warmup: 100\n"
    "global_train_batch_size: 64\ndevice_train_microbatch_size: 2\nsave_overwrite: true\n"
)


@pytest.mark.parametrize(
    ("flag", "at", "says"),
    [
        ("--device_train_micro_batch_size=4", 2, "device_train_microbatch_size is meant"),
        ("--optimizer.learning_rat=1e-4", 12, "optimizer.learning_rate is meant"),
        ("--device_train_microbatch_size=4", 0, ""),
        ("--optimizer.learning_rate=1e-4", 0, ""),
        ("--my_own=1", 0, ""),
    ],
)
def test_flags_behind_the_file_of_olmo(lint_text: Lint, flag: str, at: int, says: str) -> None:
    script = f"torchrun --nproc_per_node=8 scripts/train.py olmo2.yaml {flag}\n"
    found = lint_text(script, "run.sh", {"olmo2.yaml": OLMO})
    told = [(f.column, f.message.en) for f in found if f.name == NAME]
    assert [column for column, _ in told] == ([script.index(flag) + at + 1] if says else [])
    assert all(says in message for _, message in told)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("actor.optim.lr", "actor.optimizer.lr", "actor_rollout_ref.actor.optim is meant"),
        ("actor_rollout_ref.actor.optim.lr", "actor.optimizer.lr", "_ref.actor.optim.lr is meant"),
        ("actor_rollout_ref.actor.optim.lr", "actor.optim.lr", "_ref.actor.optim.lr is meant"),
        (
            "actor_rollout_ref.actor.optim.lr",
            "rollout.optim.lr",
            "",
        ),  # of one's own: below no block
    ],
)
def test_a_key_in_a_block_of_another_name(lint_text: Lint, old: str, new: str, says: str) -> None:
    found = [f for f in lint_text(VERL.replace(old, new), "run.sh") if f.name == NAME]
    assert [f.severity for f in found] == (["error"] if says else [])
    assert all(says in f.message.en for f in found)


@pytest.mark.parametrize(
    "own",
    [
        "max_turns=2 algorithm.no_think_rl=false",  # Search-R1
        "env.env_name=alfworld env.seed=0 agent.first=1 memory.second=2",  # one that nobody knows
        "--config-name=mine",  # a configuration of one's own
    ],
)
def test_a_fork_s_blocks_are_its_own(lint_text: Lint, own: str) -> None:
    text = VERL.replace("main_ppo \\\n", f"main_ppo {own} \\\n", 1)
    text = text.replace("actor_rollout_ref.actor.optim.lr", "actor.optimizer.lr")
    assert text != VERL
    assert NAME not in [f.name for f in lint_text(text, "run.sh")]
