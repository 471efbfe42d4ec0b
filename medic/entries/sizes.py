"""Sizes that short names stand for: of open models and of GPUs."""

from __future__ import annotations

from collections.abc import Mapping

from medic.entries.evidence import Source
from medic.entries.words import CONFIG
from medic.records import dataclass, field


@dataclass(frozen=True)
class Model:
    """An open model. ``says`` are its other names; ``family`` is the ``model_type`` of its
    config.json; the numbers are canonical fields of a run config."""

    __pydantic_config__ = CONFIG
    name: str
    family: str
    hidden_size: int
    num_layers: int
    num_heads: int
    num_kv_heads: int
    ffn_size: int
    vocab_size: int
    tied_embeddings: bool
    sources: tuple[Source, ...]
    says: tuple[str, ...] = ()
    head_dim: int = 0
    # Of a model with experts: how many, used by a token, their width and that of those that every
    # token uses (both 0: the feed-forward width, none), and layers without experts.
    num_experts: int = 0
    experts_per_token: int = 0
    expert_ffn: int = 0
    shared_ffn: int = 0
    dense_layers: int = 0
    # What it was made for at most: of ``any`` of its names, and of those that begin with a name.
    positions: Mapping[str, int] = field(default_factory=dict)
    parameters: int = 0  # where the sizes do not tell it: other attention, biases


@dataclass(frozen=True)
class Gpu:
    """A GPU. ``memory``: bytes that the driver lets a process see, less than what it is sold as.

    ``bf16_flops``: dense bf16 operations a second by the data sheet, without sparsity.
    """

    __pydantic_config__ = CONFIG
    name: str
    memory: int
    sources: tuple[Source, ...]
    says: tuple[str, ...] = ()
    bf16_flops: float | None = None
