"""Values that no run can have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeGuard

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import NOBODYS, RunConfig, Scalar

from ..bounds import RULED, STATED
from .models import counted, key_number, label

NAME = "impossible-value"
NEEDS: tuple[str, ...] = ()
_ABOVE = Text("above 0: no step is trained", "大于 0：否则一步也不训练")
_SCALE = Text(
    "above 0: the adapter adds nothing and learns nothing",
    "大于 0：否则适配器不起作用，也学不到东西",
)
# Frameworks whose run has as many steps as this says; to the Trainer 0 is as if not written.
_COUNTS_STEPS = frozenset(("torchtitan", "nanotron", "gpt-neox"))
# Experts of a token, and of a layer, as a block of some framework or a command calls them.
_CHOSEN = (
    "moe_router_topk", "num_experts_per_tok", "num_experts_per_token", "moe_top_k", "moe_topk",
    "n_expert_per_token", "experts_per_token",
)  # fmt: skip
_EXPERTS = (
    "num_experts", "num_moe_experts", "n_routed_experts", "num_local_experts", "moe_num_experts",
    "n_expert", "n_experts",
)  # fmt: skip
# What a 0 under a name of one's own may be worked out of: elsewhere no factor of the batch is 0.
_ALONE = {
    "gradient_accumulation_steps": ("global_batch_size", "global_batch_tokens"),
    "sequence_length": ("global_batch_tokens",),
    "world_size": ("nodes", "gpus_per_node"),
}
_AT_MOST = Text("at most {key}, {experts}", "不大于 {key}，即 {experts}")
_NUMBER = Text("a stated number", "写明的数值")


def check(config: RunConfig) -> LintResult | Sequence[Fires]:
    known = [name for name in STATED if config.stated(name) and config.number(name) is not None]
    choice = list(_more_than_all(config))
    if not known and not choice:
        return NotChecked((_NUMBER,))
    found = [*_fields(config, known), *_no_step(config), *_no_adapter(config), *choice]
    return found or Passes()


def _fields(config: RunConfig, names: Sequence[str]) -> Iterator[Fires]:
    for name in names:
        value, bounds = config.number(name) or 0.0, STATED[name]
        ruled = any(name in RULED.get(framework, ()) for framework in config.frameworks)
        ruled |= (
            name == "warmup_ratio" and not config.nobodys
        )  # told with the key that counts steps
        if not bounds.allow(value) and not ruled and not _vague(config, name):
            shown = {"key": label(config, name), "value": config.get(name)}
            yield Fires(name, {**shown, "allowed": bounds.words})


def _no_step(config: RunConfig) -> Iterator[Fires]:
    """A run of no epoch, or of no step where 0 does not leave the length to something else."""
    epochs, steps = config.number("epochs"), config.number("total_steps")
    none = [name for name in ("epochs", "total_steps") if config.number(name) == 0]
    for name in none:
        other = steps if name == "epochs" else epochs
        counted = name == "epochs" or config.framework in _COUNTS_STEPS
        if config.stated(name) and counted and not other and not _vague(config, name):
            shown = {"key": label(config, name), "value": config.get(name)}
            yield Fires(name, {**shown, "allowed": _ABOVE})


def _no_adapter(config: RunConfig) -> Iterator[Fires]:
    """peft multiplies an adapter by alpha / rank: with an alpha of 0 neither its output nor its
    gradient is anything. To LLaMA-Factory 0 is as if not written (hparams/finetuning_args.py)."""
    alpha = key_number(config, "lora_alpha")
    if alpha == 0 and counted(config, "lora_rank") and "llama-factory" not in config.frameworks:
        shown = {"key": "lora_alpha", "value": f"{alpha:g}", "allowed": _SCALE}
        yield Fires("lora_alpha", shown)


def _more_than_all(config: RunConfig) -> Iterator[Fires]:
    """A token sent to more experts than a layer has: torch.topk refuses it in every router. Both stand
    side by side, in one block or in one command."""
    for name in _CHOSEN:
        chosen = config.setting(name)
        if chosen is None or not _counts(chosen.value):
            continue
        beside = (config.setting(one) for one in _EXPERTS)
        group = chosen.path[:-1]
        every = next((one for one in beside if one is not None and one.path[:-1] == group), None)
        if every is None or not _counts(every.value) or float(every.value) >= float(chosen.value):
            continue
        values = {"key": every.origin.key, "experts": int(every.value)}
        shown = {"key": chosen.origin.key, "value": int(chosen.value)}
        yield Fires(name, {**shown, "allowed": _AT_MOST.fill(values)})


def _counts(value: Scalar) -> TypeGuard[int | float]:
    """Whether it is a number of experts: 1 is a layer that is no mixture."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 1


def _stands_alone(config: RunConfig, name: str, key: str) -> bool:
    """Whether nothing stated lets a program work the value out, as some do that find a 0."""
    if "max" in key or "auto" in key or not config.number("micro_batch_size"):
        return False
    return not any(config.stated(other) for other in _ALONE[name]) and not any(
        setting.path[-1] in ("rank", "local_rank") for setting in config.settings
    )


def _vague(config: RunConfig, name: str) -> bool:
    """A name that no framework defines: there a 0 may be "off", but a share stays a share, and a
    batch that says of what it is."""
    origin = config.origin(name)
    if origin is None or origin.framework not in NOBODYS:
        return False
    if name in _ALONE and config.number(name) == 0:
        return not _stands_alone(config, name, origin.key)
    plain = name not in ("warmup_ratio", "adam_beta2")
    return plain and not any(
        word in origin.key for word in ("micro_batch", "per_device", "per_gpu")
    )
