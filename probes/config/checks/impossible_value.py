"""Values that no run can have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.records import dataclass
from medic.run_config import RunConfig

from .models import label

NAME = "impossible-value"
NEEDS: tuple[str, ...] = ()
_NUMBER = Text("a stated number", "写明的数值")


@dataclass(frozen=True)
class Bounds:
    """Allowed are ``low`` to ``high``, or -1 with ``auto``: it stands for "found out" or "off"."""

    low: float
    high: float
    words: Text
    open_low: bool = False
    open_high: bool = False
    auto: bool = True

    def allow(self, value: float) -> bool:
        below = value <= self.low if self.open_low else value < self.low
        above = value >= self.high if self.open_high else value > self.high
        return not (below or above) or (self.auto and value == -1)


_ANY = float("inf")
_ONE = Text("at least 1", "至少为 1")
_COUNT = Bounds(1, _ANY, _ONE)
_EXACT = Bounds(1, _ANY, _ONE, auto=False)
_NONE = Bounds(0, _ANY, Text("0 or more", "不小于 0"))
_SHARE = Bounds(0, 1, Text("between 0 and 1", "在 0 与 1 之间"), auto=False)
# DataLoader, torch.optim.AdamW and Dropout refuse what is outside, Megatron-LM and DeepSpeed batches
# below one; a rate of zero trains nothing.
_BOUNDS = {
    "micro_batch_size": _EXACT,
    "gradient_accumulation_steps": _COUNT,
    "global_batch_size": _COUNT,
    "sequence_length": _COUNT,
    "hidden_size": _COUNT,
    "num_layers": _COUNT,
    "num_heads": _COUNT,
    "world_size": _COUNT,
    "nodes": _COUNT,
    "tensor_parallel_size": _NONE,
    "pipeline_parallel_size": _NONE,
    "context_parallel_size": _NONE,
    "expert_parallel_size": _NONE,
    "warmup_steps": _NONE,
    "total_steps": _NONE,
    "num_workers": _NONE,
    "lora_rank": _NONE,
    "epochs": _NONE,
    "learning_rate": Bounds(0, _ANY, Text("above 0", "大于 0"), open_low=True, auto=False),
    "adam_beta2": Bounds(
        0, 1, Text("at least 0 and below 1", "不小于 0 且小于 1"), open_high=True, auto=False
    ),
    "warmup_ratio": _SHARE,
    "zero_stage": Bounds(0, 3, Text("0, 1, 2 or 3", "0、1、2 或 3"), auto=False),
    "master_port": Bounds(0, 65535, Text("at most 65535", "不大于 65535")),
}
# Fields of which the framework's own rules tell it.
_RULED = {
    "hf-trainer": ("warmup_ratio", "warmup_steps", "micro_batch_size"),
    "ms-swift": ("warmup_ratio",),
    "deepspeed": ("zero_stage", "gradient_accumulation_steps", "global_batch_size",
                  "micro_batch_size"),
}  # fmt: skip
_DROPOUTS = (
    "dropout", "hidden_dropout", "attention_dropout", "lora_dropout", "embedding_dropout",
    "attn_dropout", "resid_dropout", "residual_dropout", "embd_dropout", "adapter_dropout",
)  # fmt: skip
# Keys that mean the same everywhere, also where they state no canonical field.
_KEYS = {
    **dict.fromkeys(_DROPOUTS, _SHARE),
    **dict.fromkeys(("weight_decay", "adam_epsilon", "adam_eps", "learning_rate", "lr"),
                    Bounds(0, _ANY, Text("0 or more", "不小于 0"), auto=False)),
}  # fmt: skip


def check(config: RunConfig) -> LintResult | Sequence[Fires]:
    known = [name for name in _BOUNDS if config.stated(name) and config.number(name) is not None]
    if not known:
        return NotChecked((_NUMBER,))
    return [*_fields(config, known), *_keys(config)] or Passes()


def _fields(config: RunConfig, names: Sequence[str]) -> Iterator[Fires]:
    for name in names:
        value, bounds = config.number(name) or 0.0, _BOUNDS[name]
        ruled = any(name in _RULED.get(framework, ()) for framework in config.frameworks)
        if not bounds.allow(value) and not ruled and not _vague(config, name):
            shown = {"key": label(config, name), "value": config.get(name)}
            yield Fires(name, {**shown, "allowed": bounds.words})


def _vague(config: RunConfig, name: str) -> bool:
    """A name that no framework defines: there a 0 may be "off", but a share stays a share."""
    origin = config.origin(name)
    plain = origin is not None and origin.framework in ("plain", "hydra")
    return plain and name not in ("warmup_ratio", "adam_beta2")


def _keys(config: RunConfig) -> Iterator[Fires]:
    for setting in config.settings:
        name = setting.path[-1] if setting.path else ""
        number, bounds = setting.value, _KEYS.get(name)
        if bounds is None or isinstance(number, (bool, str)) or number is None:
            continue
        if not bounds.allow(number):
            values = {"key": name, "value": number, "allowed": bounds.words}
            yield Fires(".".join(setting.path), values)
