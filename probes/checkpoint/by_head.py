"""Fused q, k and v whose rows lie head by head, or by groups of heads that share a key and a value.

Group after group: the rows of the group's queries, then those of its key, then of its value. So view
them GPT-NeoX (modeling_gpt_neox: heads, 3 * head_size), BLOOM (modeling_bloom _reshape: heads, 3,
head_dim), Falcon (modeling_falcon _split_heads: groups, queries + 2, head_dim; one group where it is
multi-query), InternLM2 (modeling_internlm2: "(h gs d)", gs = 2 + queries) and Megatron-LM
(megatron/core/transformer/attention.py: groups, (queries + 2) * head size).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from medic.records import dataclass

# Fused names of which no order is known but by the model.
NAMES = ("query_key_value", "linear_qkv")
# Megatron-LM's own: no other order has it. Its sizes stand in no file beside the weights.
_ALWAYS = "linear_qkv"
_FUSED = {
    "gpt_neox": "query_key_value",
    "bloom": "query_key_value",
    "falcon": "query_key_value",
    "internlm2": "wqkv",
}


@dataclass(frozen=True)
class Heads:
    """``groups`` of ``queries`` heads, one key and one value, each of ``size`` rows; ``names``: the
    fused tensors that are laid out so."""

    groups: int
    queries: int
    size: int
    names: tuple[str, ...]

    def holds(self, name: str, rows: Sequence[int]) -> bool:
        """Whether a fused tensor of these parts (rows of q, k and v) is laid out so."""
        keys = self.groups * self.size
        return name in self.names and [*rows] == [keys * self.queries, keys, keys]

    def places(self, part: int) -> list[tuple[int, int]]:
        """(first row, rows) of the pieces that make the queries (0), the keys (1) or the values."""
        whole = (self.queries + 2) * self.size
        first = 0 if part == 0 else (self.queries + part - 1) * self.size
        rows = self.queries * self.size if part == 0 else self.size
        return [(group * whole + first, rows) for group in range(self.groups)]

    def order(self) -> list[tuple[int, int, int]]:
        """(part, its first row, rows) in the order in which the parts make the fused tensor."""
        counts = (self.queries * self.size, self.size, self.size)
        return [(p, g * n, n) for g in range(self.groups) for p, n in enumerate(counts)]


def heads_of(config: Mapping[str, Any], other: Mapping[str, Any]) -> Heads | None:
    """How the model of a config lays out its fused tensor; without one, what a name of Megatron's
    says by the sizes of the ``other`` side's config. None where that is not known."""
    kind = config.get("model_type")
    fused = _FUSED.get(kind) if isinstance(kind, str) else None
    if fused is not None:
        return _heads(config, (fused,), _groups(config))
    return _heads(other, (_ALWAYS,), _groups(other)) if not config else None


def _heads(config: Mapping[str, Any], names: tuple[str, ...], groups: int) -> Heads | None:
    heads, hidden = (
        _number(config, "num_attention_heads", "n_head"),
        _number(config, "hidden_size", "n_embed"),
    )
    size = _number(config, "head_dim") or (hidden // heads if heads and hidden % heads == 0 else 0)
    if not (heads and size and groups) or heads % groups:
        return None
    return Heads(groups, heads // groups, size, names)


def _groups(config: Mapping[str, Any]) -> int:
    """Heads of keys: as many as of queries where the config names none."""
    heads = _number(config, "num_attention_heads", "n_head")
    if config.get("model_type") == "falcon":
        if config.get("new_decoder_architecture"):
            return _number(config, "num_kv_heads", "n_head_kv") or heads
        return 1 if config.get("multi_query", True) else heads
    if config.get("model_type") in ("gpt_neox", "bloom"):
        return heads
    return _number(config, "num_key_value_heads") or heads


def _number(config: Mapping[str, Any], *names: str) -> int:
    """The first whole number above zero under one of the names; 0 where there is none."""
    values = (config.get(name) for name in names)
    return next((v for v in values if type(v) is int and v > 0), 0)
