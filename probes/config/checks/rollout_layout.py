"""What an RL framework states about its rollout, as its keys name it.

verl counts prompts in ``data.train_batch_size`` and ``ppo_mini_batch_size`` and responses in the
micro batches; OpenRLHF has a dotted and an older name for each of its keys.
"""

from __future__ import annotations

from medic.run_config import RunConfig

ACTOR = "actor_rollout_ref.actor"
ROLLOUT = "actor_rollout_ref.rollout"
PROMPTS = "data.train_batch_size"
# Trainers built on verl that count their groups or lay out their GPUs otherwise.
_OTHERWISE = ("env.rollout.n", "async_training", "rollout.nnodes", "rollout.n_gpus_per_node")


def number(config: RunConfig, *names: str) -> int | None:
    """The first of the keys that has a whole number."""
    for name in names:
        setting = config.setting(name)
        value = setting.value if setting else None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        if value == int(value):
            return int(value)
    return None


def is_on(config: RunConfig, *names: str) -> bool:
    """Whether one of the switches is written and on."""
    found = [s for name in names if (s := config.setting(name))]
    return any(str(s.value).lower() == "true" for s in found)


def word(config: RunConfig, name: str) -> str:
    setting = config.setting(name)
    return str(setting.value) if setting and setting.value is not None else ""


def written(config: RunConfig, *names: str) -> str | None:
    """The first of the keys that is written."""
    return next((name for name in names if config.setting(name)), None)


def is_verl_rl(config: RunConfig) -> bool:
    """A verl policy training whose batches mean what verl's own trainer takes them for."""
    if "verl" not in config.frameworks or _begins(config, *_OTHERWISE):
        return False
    return _begins(config, "actor_rollout_ref")


def responses_per_prompt(config: RunConfig) -> int | None:
    """verl's rollout.n; 1 is its default, and what an estimator with a critic is left at."""
    n = number(config, f"{ROLLOUT}.n")
    if n is None and word(config, "algorithm.adv_estimator") == "gae":
        return 1 if written(config, f"{ROLLOUT}.n") is None else None
    return n


def _begins(config: RunConfig, *names: str) -> bool:
    heads = [tuple(name.split(".")) for name in names]
    return any(
        head == s.path[i : i + len(head)]
        for s in config.settings
        for head in heads
        for i in range(len(s.path) - len(head) + 1)
    )
