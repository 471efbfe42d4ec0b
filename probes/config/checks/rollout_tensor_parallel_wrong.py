"""Engines of a rollout that do not divide the GPUs they run on."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .rollout_layout import ROLLOUT, is_verl_rl, number, word

NAME = "rollout-tensor-parallel-wrong"
NEEDS: tuple[str, ...] = ()
_TP = f"{ROLLOUT}.tensor_model_parallel_size"
_EASY_TP = "worker.rollout.tensor_parallel_size"
_EP = f"{ROLLOUT}.expert_parallel_size"

_GPUS = Text(
    "{gpus} GPUs do not divide into rollout engines of {size}",
    "{gpus} 张 GPU 不能均分为每个 {size} 卡的 rollout 引擎",
)
_HEADS = Text(
    "the {heads} attention heads of the model do not divide into rollout engines of {tensor}",
    "模型的 {heads} 个注意力头不能被 rollout 的张量并行 {tensor} 整除",
)
_EXPERTS = Text(
    "rollout.expert_parallel_size {experts} is not tensor x data parallel size {size}",
    "rollout.expert_parallel_size {experts} 不等于 张量并行 x 数据并行 = {size}",
)


def check(config: RunConfig) -> LintResult:
    """verl workers/fsdp_workers.py _build_rollout: rollout world_size is not divisible by
    infer_world_size; vLLM ModelConfig.verify_with_parallel_config (heads); verl
    workers/config/rollout.py RolloutConfig.__post_init__ (experts).
    """
    if "easyr1" in config.frameworks:
        return _easyr1(config)
    if not is_verl_rl(config) or word(config, f"{ROLLOUT}.name") == "hf":
        return NotChecked((_TP,))
    tensor, gpus = number(config, _TP), config.integer("world_size")
    heads = config.integer("num_heads")
    if tensor and heads and heads % tensor:
        return Fires(_TP, {"what": _HEADS.fill(heads=heads, tensor=tensor), "of_ranks": False})
    if not tensor or not gpus:
        return NotChecked((_TP, "world_size"))
    engine = tensor * (number(config, f"{ROLLOUT}.data_parallel_size") or 1)
    size = engine * (number(config, f"{ROLLOUT}.pipeline_model_parallel_size") or 1)
    if gpus % size:
        return Fires(_TP, {"what": _GPUS.fill(gpus=gpus, size=size)})
    experts = number(config, _EP) or 1
    if experts > 1 and experts != engine:
        return Fires(_EP, {"what": _EXPERTS.fill(experts=experts, size=engine), "of_ranks": False})
    return Passes()


def _easyr1(config: RunConfig) -> LintResult:
    """EasyR1 verl/workers/fsdp_workers.py _build_rollout: every GPU trains and generates."""
    tensor, gpus = number(config, _EASY_TP), config.integer("world_size")
    if not tensor or not gpus:
        return NotChecked((_EASY_TP, "world_size"))
    if gpus % tensor:
        return Fires(_EASY_TP, {"what": _GPUS.fill(gpus=gpus, size=tensor)})
    return Passes()
