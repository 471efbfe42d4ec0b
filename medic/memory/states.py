"""Model states: bytes per parameter of weights, gradients and optimizer, and how they are sharded.

Sources: Rajbhandari et al. 2020 (ZeRO: 2 + 2 + 12 bytes with Adam, 4 + 12/d, 2 + 14/d, 16/d for
stages 1, 2, 3); torch autocast keeps fp32 weights, gradients and Adam moments (4 + 4 + 8).
"""

from __future__ import annotations

from typing import Literal

from medic.records import dataclass

# fp32: all in fp32. autocast: fp32 weights, low precision inside autocast. pure: everything in
# bf16. master: bf16 weights and an fp32 master copy beside the moments (Megatron, DeepSpeed).
# shards: fp32 shards that are gathered in bf16 (FSDP).
Style = Literal["fp32", "autocast", "pure", "master", "shards"]
Temporaries = Literal["all", "largest", "update", "wide", "none"]

WEIGHT: dict[Style, int] = {"fp32": 4, "autocast": 4, "pure": 2, "master": 2, "shards": 4}
MOMENT: dict[Style, int] = {"fp32": 4, "autocast": 4, "pure": 2, "master": 4, "shards": 4}
# Bytes of a quantised weight: 4 bits and a scale for each 64 (QLoRA: 0.5 bits a weight, 0.127 with
# the scales quantised again, Dettmers et al. 2023 section 3); int8 and an fp32 scale for each row.
QUANTIZED = {"4bit": 0.5625, "8bit": 1.002}
DOUBLE_QUANT = 0.516
ADAPTER = 4  # peft keeps adapters in fp32
# Adafactor keeps a row's and a column's sums for each matrix (Shazeer and Stern 2018): values for each
# parameter, in matrices of a few thousand.
FACTORED = 0.001
# bitsandbytes: a byte a moment and an fp32 scale for each 256 (Dettmers et al. 2022).
EIGHT_BIT = 1 + 4 / 256


@dataclass(frozen=True)
class Optimizer:
    """``moments``: values kept per parameter, as a multiple of the style's moment size, or of
    ``moment_bytes`` where that is not 0. ``outer_moments``: those of embeddings and head, where
    they differ (Muon leaves them to AdamW).

    ``temporaries``: torch's foreach step makes a copy of all second moments, its single-tensor step
    two of the largest parameter, torch's Adafactor one (its update, torch/optim/_adafactor.py),
    transformers' more of it in fp32 (see ``passing``), fused kernels none.
    """

    name: str
    moments: float
    temporaries: Temporaries
    moment_bytes: float = 0.0
    outer_moments: float | None = None

    def passing(self, style: Style) -> list[int]:
        """Bytes a value of what the step of one parameter makes and drops. transformers' Adafactor
        (optimization.py, ``step``): squared gradient and update, of 16-bit weights the weight and
        its gradient too."""
        if self.temporaries == "wide":
            return [4] * (4 if WEIGHT[style] < 4 else 2)
        return [WEIGHT[style]] * {"largest": 2, "update": 1}.get(self.temporaries, 0)

    @property
    def is_muon(self) -> bool:
        return self.outer_moments is not None

    def held(self, style: Style) -> float:
        """Bytes of moments per parameter of a matrix."""
        return self.moments * (self.moment_bytes or MOMENT[style])


ADAMW = Optimizer("adamw", 2.0, "all")
# In the names of optimizers whose moments are those that ``optimizer_of`` counts.
_COUNTED = ("adam", "adafactor", "muon", "lion", "momentum", "sgd", "rmsprop", "adagrad", "lamb",
            "galore", "apollo", "lomo", "schedule")  # fmt: skip


def counted(name: str) -> bool:
    """Whether it is known how many moments an optimizer of this name keeps: Prodigy, SOAP and one of a
    user's own keep others."""
    return any(word in name.lower() for word in _COUNTED)


def optimizer_of(name: str) -> Optimizer:
    """An optimizer by any framework's name for it."""
    word = name.lower()
    step: Temporaries = "all"
    if any(w in word for w in ("fused", "8bit", "apex", "deepspeed")):
        step = "none"
    elif any(w in word for w in ("foreach_off", "single")):
        step = "largest"
    if "8bit" in word or "8_bit" in word:
        kept = 1.0 if any(w in word for w in ("lion", "momentum", "rmsprop")) else 2.0
        return Optimizer(name, kept, "none", EIGHT_BIT)
    if "adafactor" in word:
        return Optimizer(name, FACTORED, "update" if "torch" in word else "wide")
    if "muon" in word:
        return Optimizer(name, 1.0, "none", outer_moments=2.0)
    if any(w in word for w in ("lion", "momentum", "sgdm", "rmsprop", "adagrad")):
        return Optimizer(name, 1.0, step if "sgd" not in word else "none")
    if "sgd" in word:
        return Optimizer(name, 0.0, "none")
    return Optimizer(name, 2.0, step)


@dataclass(frozen=True)
class States:
    """Bytes on one GPU."""

    weights: int
    gradients: int
    optimizer: int

    @property
    def total(self) -> int:
        return self.weights + self.gradients + self.optimizer


def model_states(
    parameters: float,
    style: Style,
    optimizer: Optimizer,
    *,
    gradient_bytes: int = 0,
    zero: int = 0,
    shards: int = 1,
    offloaded: bool = False,
    outer: float = 0.0,
) -> States:
    """States of ``parameters`` trained parameters of one rank, sharded by ZeRO stage ``zero``.

    FSDP is stage 3, Megatron's distributed optimizer stage 1. ``gradient_bytes`` overrides the
    style's own (Megatron adds up in fp32). ``offloaded`` optimizer states and master weights take
    nothing on the GPU. ``outer`` of the parameters are embeddings and head.
    """
    weight = WEIGHT[style]
    master = 4 if style == "master" else 0
    of = [shards if zero >= stage else 1 for stage in (3, 2, 1)]
    inner = parameters - outer if optimizer.outer_moments is not None else parameters
    held = inner * (optimizer.held(style) + master)
    if optimizer.outer_moments is not None:
        held += outer * (optimizer.outer_moments * MOMENT[style] + master)
    return States(
        int(parameters * weight / of[0]),
        int(parameters * (gradient_bytes or weight) / of[1]),
        0 if offloaded else int(held / of[2]),
    )
