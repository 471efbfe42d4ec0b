"""Prompts, generations, mini and micro batches of an RL run that do not divide."""

from __future__ import annotations

from collections.abc import Sequence

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .generation_groups import generation_groups
from .rollout_layout import (
    ACTOR,
    PROMPTS,
    is_on,
    is_verl_rl,
    number,
    responses_per_prompt,
    word,
    written,
)

NAME = "rl-batch-does-not-divide"
NEEDS: tuple[str, ...] = ()
_MINI = f"{ACTOR}.ppo_mini_batch_size"
_MICRO = f"{ACTOR}.ppo_micro_batch_size_per_gpu"
_ALL_MICRO = f"{ACTOR}.ppo_micro_batch_size"
_OPENRLHF = ("rollout.batch_size", "rollout_batch_size")
_ROLLOUT_MICRO = ("rollout.micro_batch_size", "micro_rollout_batch_size")
_SAMPLES = ("rollout.n_samples_per_prompt", "n_samples_per_prompt")
# What has to be whole parts of a batch: skyrl_train utils/trainer_utils.py validate_batch_sizes;
# prime_rl configs/orchestrator.py; EasyR1 verl/trainer/ray_trainer.py RayPPOTrainer.__init__.
_PARTS = {
    "skyrl": ("trainer.train_batch_size", ("trainer.policy_mini_batch_size",)),
    "prime-rl": (
        "orchestrator.batch_size",
        ("orchestrator.group_size", "orchestrator.rollouts_per_example"),
    ),
    "easyr1": ("data.rollout_batch_size", ("worker.actor.global_batch_size",)),
}
_PART = Text(
    "{batch} {size} does not divide by {key} {part}", "{batch} {size} 不能被 {key} {part} 整除"
)

_TOTAL = Text(
    "{prompts} prompts x {n} responses = {total} do not divide by {divisor}",
    "{prompts} 个 prompt x {n} 条回答 = {total}，不能被 {divisor} 整除",
)
_SHORT = Text(
    "ppo_mini_batch_size {mini} (prompts) is more than the {prompts} prompts of a step",
    "ppo_mini_batch_size {mini}（按 prompt 计）大于每步的 {prompts} 个 prompt",
)
_NONE = Text(
    "{mini} prompts x {n} responses on {dp} data parallel ranks leave a rank nothing",
    "{mini} 个 prompt x {n} 条回答分给 {dp} 个数据并行 rank，每个 rank 分不到一条",
)
_MICRO_SAY = Text(
    "{mini} prompts x {n} responses / {dp} ranks = {share} do not divide by the micro batch {micro}",
    "{mini} 个 prompt x {n} 条回答 / {dp} 个 rank = {share}，不能被 micro batch {micro} 整除",
)
_WHOLE_MICRO = Text(
    "ppo_mini_batch_size {mini} does not divide by ppo_micro_batch_size {micro}",
    "ppo_mini_batch_size {mini} 不能被 ppo_micro_batch_size {micro} 整除",
)
_FEW = Text(
    "{prompts} prompts x {n} responses / {micro} are fewer batches than the {ranks} actor ranks",
    "{prompts} 个 prompt x {n} 条回答 / {micro}，批次数少于 {ranks} 个 actor rank",
)


def check(config: RunConfig) -> LintResult | Sequence[Fires]:
    """verl utils/config.py validate_config, workers/config/actor.py ActorConfig.validate,
    workers/fsdp_workers.py ActorRolloutRefWorker.__init__; OpenRLHF cli/train_ppo_ray.py;
    trl trainer/grpo_config.py.
    """
    if is_verl_rl(config):
        return _verl(config)
    if "openrlhf" in config.frameworks and written(config, *_OPENRLHF):
        return _openrlhf(config)
    spoken = next((name for name in _PARTS if name in config.frameworks), None)
    return _parts(config, *_PARTS[spoken]) if spoken else generation_groups(config)


def _parts(config: RunConfig, batch: str, names: Sequence[str]) -> LintResult:
    """A batch that is cut into whole parts, where both are written."""
    key = written(config, *names)
    size, part = number(config, batch), number(config, *names)
    if not key or not size or not part:
        return NotChecked((batch, names[0]))
    if size % part == 0:
        return Passes()
    leaves = (batch.rpartition(".")[2], key.rpartition(".")[2])
    shown = {"batch": leaves[0], "size": size, "key": leaves[1], "part": part}
    return Fires(key, {"what": _PART.fill(shown)})


def _verl(config: RunConfig) -> LintResult | Sequence[Fires]:
    """Dynamic batches are cut by tokens: verl asks nothing of their numbers."""
    if is_on(config, f"{ACTOR}.use_dynamic_bsz"):
        return Passes()
    found = [
        f for f in (_total(config), _mini(config), _share(config), _of_all(config)) if f is not None
    ]
    if found:
        return found[:1]  # the first assertion that the run meets
    lacking = [key for key in (PROMPTS, _MINI) if number(config, key) is None]
    return NotChecked(tuple(lacking)) if lacking else Passes()


def _total(config: RunConfig) -> Fires | None:
    prompts, n = number(config, PROMPTS), responses_per_prompt(config)
    gpus, dp = config.integer("world_size"), config.integer("data_parallel_size")
    divisor = gpus
    if word(config, f"{ACTOR}.strategy") == "megatron":
        micro = number(config, _MICRO)
        divisor = dp * micro if dp and micro else None
    if not prompts or not n or not divisor or prompts * n % divisor == 0:
        return None
    values = {"prompts": prompts, "n": n, "total": prompts * n, "divisor": divisor}
    return Fires(PROMPTS, {"what": _TOTAL.fill(values)})


def _mini(config: RunConfig) -> Fires | None:
    prompts, mini = number(config, PROMPTS), number(config, _MINI)
    if not prompts or not mini or mini <= prompts:
        return None
    return Fires(_MINI, {"what": _SHORT.fill(mini=mini, prompts=prompts)})


def _share(config: RunConfig) -> Fires | None:
    mini, micro = number(config, _MINI), number(config, _MICRO)
    n, dp = responses_per_prompt(config), config.integer("data_parallel_size")
    if not mini or not n or not dp:
        return None
    share = mini * n // dp
    values = {"mini": mini, "n": n, "dp": dp}
    if share == 0:
        return Fires(_MINI, {"what": _NONE.fill(values)})
    if not micro or share % micro == 0 or word(config, f"{ACTOR}.strategy") == "megatron":
        return None
    return Fires(_MICRO, {"what": _MICRO_SAY.fill(values, share=share, micro=micro)})


def _of_all(config: RunConfig) -> Fires | None:
    """The older micro batch, of all ranks: both numbers are asked to divide as they are written, and
    as every rank has them (fsdp_workers.py), before or after the mini batch counts responses."""
    mini, micro = number(config, _MINI), number(config, _ALL_MICRO)
    dp = config.integer("data_parallel_size")
    if not mini or not micro or not dp or mini % micro == 0 or micro < dp:
        return None
    shares = (mini // dp, mini * (responses_per_prompt(config) or 1) // dp)
    if any(share % (micro // dp) == 0 for share in shares):
        return None
    return Fires(_ALL_MICRO, {"what": _WHOLE_MICRO.fill(mini=mini, micro=micro)})


def _openrlhf(config: RunConfig) -> LintResult:
    prompts, micro = number(config, *_OPENRLHF), number(config, *_ROLLOUT_MICRO)
    nodes = number(config, "actor.num_nodes", "actor_num_nodes")
    gpus = number(config, "actor.num_gpus_per_node", "actor_num_gpus_per_node")
    if not prompts or not micro or not nodes or not gpus:
        return NotChecked(("rollout.micro_batch_size", "actor.num_nodes"))
    n = number(config, *_SAMPLES) or 1
    ring = config.integer("context_parallel_size") or 1
    ranks = nodes * gpus // ring // (config.integer("tensor_parallel_size") or 1)
    if prompts * n // micro >= ranks:
        return Passes()
    values = {"prompts": prompts, "n": n, "micro": micro, "ranks": ranks}
    return Fires(written(config, *_OPENRLHF) or "", {"what": _FEW.fill(values)})
