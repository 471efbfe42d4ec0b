"""Models of an RL run that share GPUs and are given different numbers of them."""

from __future__ import annotations

from collections.abc import Sequence

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .rollout_layout import is_on, number, written

NAME = "colocated-sizes-differ"
NEEDS: tuple[str, ...] = ()
_ALL = ("train.colocate_all", "colocate_all_models")
_ACTOR_REF = ("train.colocate_actor_ref", "colocate_actor_ref")
_CRITIC_REWARD = ("train.colocate_critic_reward", "colocate_critic_reward")
_ASYNC = ("train.async_enable", "async_train")
_KL = ("algo.kl.init_coef", "init_kl_coef")
_ENGINES = ("vllm.num_engines", "vllm_num_engines")
_ENGINE_TP = ("vllm.tensor_parallel_size", "vllm_tensor_parallel_size")

_DIFFER = Text(
    "{one} has {a} and {other} {b} (nodes x GPUs), but they share their GPUs",
    "{one} 为 {a}，{other} 为 {b}（节点数 x 卡数），但两者共用 GPU",
)
_COVER = Text(
    "{engines} engines x {tensor} GPUs do not cover the {gpus} GPUs of the actor",
    "{engines} 个引擎 x {tensor} 卡，与 actor 的 {gpus} 张 GPU 不相等",
)


def check(config: RunConfig) -> LintResult | Sequence[Fires]:
    """OpenRLHF cli/train_ppo_ray.py train: num_nodes and num_gpus_per_node must be the same when
    colocated, and those of the actor equal num_engines x tensor_parallel_size.
    """
    shares = (*_ALL, *_ACTOR_REF, *_CRITIC_REWARD)
    if "openrlhf" not in config.frameworks or not written(config, *shares):
        return NotChecked(_ALL[:1])
    found = []
    if is_on(config, *_ALL, *_ACTOR_REF) and not _without_reference(config):
        found += _pair(config, "actor", "ref")
    if is_on(config, *_CRITIC_REWARD):
        found += _pair(config, "critic", "reward")
    if is_on(config, *_ALL) and not is_on(config, *_ASYNC):
        found += _engines(config)
    return found or Passes()


def _without_reference(config: RunConfig) -> bool:
    """A KL coefficient of zero: no reference model is built."""
    key = written(config, *_KL)
    setting = config.setting(key) if key else None
    return setting is not None and setting.value in (0, 0.0)


def _sizes(config: RunConfig, role: str) -> tuple[int, int] | None:
    nodes = number(config, f"{role}.num_nodes", f"{role}_num_nodes")
    gpus = number(config, f"{role}.num_gpus_per_node", f"{role}_num_gpus_per_node")
    return (nodes, gpus) if nodes and gpus else None


def _pair(config: RunConfig, one: str, other: str) -> list[Fires]:
    a, b = _sizes(config, one), _sizes(config, other)
    if a is None or b is None or a == b:
        return []
    at = written(config, f"{other}.num_gpus_per_node", f"{other}_num_gpus_per_node") or ""
    what = _DIFFER.fill(one=one, other=other, a=_size(a), b=_size(b))
    return [Fires(at, {"what": what})]


def _size(size: tuple[int, int]) -> str:
    return f"{size[0]} x {size[1]}"


def _engines(config: RunConfig) -> list[Fires]:
    actor, engines = _sizes(config, "actor"), number(config, *_ENGINES)
    tensor = number(config, *_ENGINE_TP) or 1
    if actor is None or not engines or actor[0] * actor[1] == engines * tensor:
        return []
    values = {"engines": engines, "tensor": tensor, "gpus": actor[0] * actor[1]}
    return [Fires(written(config, *_ENGINES) or "", {"what": _COVER.fill(values)})]
