"""Numbers that nothing refuses and no published run has: a digit slipped, or another key's number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from medic.i18n import Text
from medic.learning_rates import adam_like
from medic.run_config import NOBODYS, RunConfig, Setting
from medic.text.patterns import regex

from .betas import crossed
from .values import as_number

NAME = "value-beyond-published"


class Far(NamedTuple):
    """A number from ``least`` on, or below ``most``, is far from all that is published, within what
    the framework accepts: ``low`` to ``high``."""

    least: float
    most: float
    low: float
    high: float
    usual: Text


_ANY = float("inf")
_BETA1 = 0.9
CROSSED = Text(
    "below beta1 squared, {limit}, Adam need not converge; 0.95 to 0.999 are usual",
    "小于 beta1 的平方（{limit}）时 Adam 不保证收敛；通常为 0.95 到 0.999",
)


def _from(least: float, usual: Text, high: float = _ANY) -> Far:
    return Far(least, -_ANY, 0, high, usual)


_DROPOUT = _from(
    0.8,
    Text("published runs drop 0 to 0.5 of the values", "公开训练的丢弃比例在 0 到 0.5 之间"),
    1,
)
_BASE = Far(
    _ANY, 1000, 1, _ANY,
    Text("published models take 10,000 or more", "公开模型取 10000 或更大"),
)  # fmt: skip
_SMOOTHING = _from(
    0.5,
    Text(
        "0.1 is usual; from 0.5 on the right token has less than half of the target",
        "通常为 0.1；达到 0.5 时正确 token 在目标中的占比已不到一半",
    ),
    1,
)
_EPSILON = _from(0.01, Text("1e-5 and 1e-6 are usual", "通常为 1e-5 或 1e-6"))
_SPREAD = _from(0.5, Text("0.006 to 0.02 are usual", "通常为 0.006 到 0.02"))
_BALANCE = _from(1, Text("0.0001 to 0.01 are usual", "通常为 0.0001 到 0.01"))
_KL = _from(
    1,
    Text(
        "0 to 0.2 are published: the policy hardly leaves the reference",
        "公开取值为 0 到 0.2：策略几乎无法离开参考模型",
    ),
)
_BETA = _from(
    5,
    Text(
        "0.01 to 0.5 are published for this loss", "该损失的公开取值为 0.01 到 0.5"
    ),
)  # fmt: skip
_WARM = _from(
    2.001,
    Text(
        "0.6 to 1.2 are usual: the completions are noise",
        "通常为 0.6 到 1.2：采样结果近乎噪声",
    ),
)
_HELD_OUT = _from(
    0.501,
    Text(
        "more is held out than trained on; 0.01 to 0.1 are usual",
        "留作验证的数据比训练的还多；通常为 0.01 到 0.1",
    ),
    0.999,
)
_BY_NAME: Mapping[str, Far] = {
    **dict.fromkeys(("rotary_base", "rope_theta", "rotary_emb_base", "rope_base"), _BASE),
    **dict.fromkeys(("label_smoothing", "label_smoothing_factor", "dpo_label_smoothing"), _SMOOTHING),
    **dict.fromkeys(
        ("layernorm_epsilon", "layer_norm_eps", "layer_norm_epsilon", "rms_norm_eps", "norm_eps",
         "rms_norm_epsilon", "norm_epsilon", "layernorm_eps"),
        _EPSILON,
    ),
    **dict.fromkeys(("init_method_std", "initializer_range", "init_std"), _SPREAD),
    **dict.fromkeys(
        ("moe_aux_loss_coeff", "moe_aux_loss_coef", "router_aux_loss_coef", "aux_loss_alpha"), _BALANCE
    ),
    **dict.fromkeys(("val_size", "val_set_size", "split_dataset_ratio"), _HELD_OUT),
}  # fmt: skip
_DROPS = ("dropout", "pdrop", "dropout_prob", "dropout_rate")
# disable_dropout: 1 is a switch.
_SWITCH = regex(r"(?:disable|enable|use|no|with|apply|is|has|do|skip|keep)_")
# What counts only where a policy is trained on its own completions, or on preferences.
_OF_POLICIES = frozenset(("verl", "easyr1", "trl", "openrlhf", "nemo-rl", "slime", "ms-swift"))
_KL_NAMES = frozenset(("kl_coef", "kl_loss_coef", "init_kl_coef", "kl_coeff"))
_TEMPERATURES = frozenset(("temperature", "rollout_temperature"))
_GROUPS = ("num_generations", "n_samples_per_prompt", "ppo_mini_batch_size")
# The same names of parts that see pictures or hear, or that score.
_OTHER_PARTS = regex(r"vis|vit|image|audio|speech|val|eval|test|swin|clip|siglip")
_BETAS_OF: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    # framework -> (key of beta, key of the loss, losses whose beta is of another kind)
    "llama-factory": ("pref_beta", "pref_loss", ("simpo", "orpo")),
    "axolotl": ("rl_beta", "rl", ("simpo", "orpo")),
    "trl": ("beta", "loss_type", ("simpo",)),
    "gpt-neox": ("dpo_beta", "train_impl", ()),
}


def far(setting: Setting, config: RunConfig) -> Text | None:
    """What is usual in the place of a number that is far from it; None of any other."""
    number = None if isinstance(setting.value, bool) else as_number(setting.value)
    if number is None or not setting.path or setting.origin.framework in NOBODYS:
        return None
    name = setting.path[-1]
    found = _BY_NAME.get(name) or _of_policy(setting, config)
    found = found or (_DROPOUT if name.endswith(_DROPS) and not _SWITCH.match(name) else None)
    if found is None or any(_OTHER_PARTS.search(step) for step in setting.path[:-1]):
        return None
    beyond = number >= found.least or number < found.most
    return found.usual if beyond and found.low <= number <= found.high else None


def _of_policy(setting: Setting, config: RunConfig) -> Far | None:
    name, framework = setting.path[-1], setting.origin.framework
    of_policies = framework in _OF_POLICIES
    if of_policies and name in _KL_NAMES:
        return _KL
    samples = of_policies and _samples(config)
    if samples and name in _TEMPERATURES:
        return _WARM
    if samples and name == "beta":
        return _KL  # of GRPO
    key, loss, others = _BETAS_OF.get(framework, ("", "", ()))
    kind = config.setting(loss) if loss else None
    other = kind is not None and str(kind.value).lower() in others
    return _BETA if name == key and not other else None


def _samples(config: RunConfig) -> bool:
    """Whether a policy answers each prompt itself."""
    return any(config.setting(name) is not None for name in _GROUPS)


def crossed_pair(setting: Setting, config: RunConfig) -> float | None:
    """beta1 squared of a beta2 below it; beta1 is 0.9 where nothing states it (torch.optim.Adam)."""
    second = None if isinstance(setting.value, bool) else as_number(setting.value)
    key = setting.path[-1] if setting.path else ""
    if key not in ("adam_beta2", "beta2") or second is None or not adam_like(config):
        return None
    beside = config.setting(".".join((*setting.path[:-1], key.replace("2", "1"))))
    first = as_number(beside.value) if beside is not None else _BETA1
    return crossed(first, second) if first is not None else None


def greedy(setting: Setting, config: RunConfig) -> bool:
    """A temperature of 0 where several completions of a prompt are compared: they are all the same
    (vLLM sampling_params.py refuses n > 1 then; transformers a temperature of 0)."""
    rollout = setting.path[-1] in _TEMPERATURES and setting.origin.framework in _OF_POLICIES
    aside = any(_OTHER_PARTS.search(step) for step in setting.path[:-1])
    return rollout and not aside and _samples(config) and as_number(setting.value) == 0
