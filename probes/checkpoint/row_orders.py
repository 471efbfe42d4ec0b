"""The order of the rows of fused projections, as far as the config beside a checkpoint tells it.

A fused ``qkv_proj`` holds all of q, then k, then v (Phi-3, OpenELM), or four blocks of q, v, k (CodeGen,
transformers/models/codegen), or each group's heads together (InternLM2's ``wqkv``, GPT-NeoX, BLOOM,
Falcon, Megatron-LM: ``by_head``). Names and shapes are the same in all of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from medic.errors import Unreadable, UsageError
from medic.probe import Look
from medic.records import dataclass

from . import by_head
from .by_head import Heads
from .source import open_file, read_all
from .units import Unit

MAX_CONFIG = 1 << 20  # bytes
# Names that models of either order have; W_pack (Baichuan) and Wqkv (MPT, DBRX, ModernBERT,
# flash-attn) are only used for rows one after another.
AMBIGUOUS = frozenset({"qkv_proj", "wqkv", "qkv", "kv_proj", *by_head.NAMES})
# ``model_type`` of models whose forward slices q, then k, then v off such a tensor: transformers'
# modeling_phi3, modeling_phi4_multimodal, modeling_mpt, modeling_dbrx and modeling_modernbert; of
# phi4mm, openelm and baichuan the code that is published with the weights; of phi3_v its MLX port.
IN_ORDER = frozenset(
    {
        "phi3",
        "phi3_v",
        "phi4mm",
        "phi4_multimodal",
        "openelm",
        "baichuan",
        "mpt",
        "dbrx",
        "modernbert",
    }
)
# Those of the order in which the rows do not follow one another.
OTHERWISE = frozenset(
    {
        "codegen",
        "internlm2",
        "gpt_neox",
        "gpt_neox_japanese",
        "bloom",
        "falcon",
        "persimmon",
        "fuyu",
    }
)


@dataclass(frozen=True)
class Orders:
    """Whether the rows of fused tensors are known to lie one after another, on either side; or by
    which groups of heads they lie."""

    have: bool = False
    wanted: bool = False
    have_heads: Heads | None = None
    wanted_heads: Heads | None = None


TOLD = Orders(have=True, wanted=True)


def orders_of(look: Look, have: Unit, wanted: Unit) -> Orders:
    sides = config_beside(look, have), config_beside(look, wanted)
    return Orders(
        _in_order(look, have), _in_order(look, wanted),
        by_head.heads_of(sides[0], sides[1]), by_head.heads_of(sides[1], sides[0]),
    )  # fmt: skip


def told_by_user(look: Look, *units: Unit) -> Orders:
    """In order, as the user says. Raises UsageError where a config.json says otherwise."""
    for unit in units:
        kind = config_beside(look, unit).get("model_type")
        if kind in OTHERWISE:
            raise UsageError(
                f"config.json says {kind}: its fused q, k and v do not follow one another",
                f"config.json 写明是 {kind}：其融合的 q、k、v 并非依次排列",
                at=unit.name,
            )
    return TOLD


def config_beside(look: Look, unit: Unit) -> Mapping[str, Any]:
    """The model's config.json beside the checkpoint; {} where none can be read."""
    path = Path(unit.folder) / "config.json"
    if not path.is_file():
        return {}
    try:
        with open_file(look, str(path)) as file:
            config = json.loads(read_all(file, MAX_CONFIG))
    except (Unreadable, ValueError, RecursionError):
        return {}
    return config if isinstance(config, dict) else {}


def _in_order(look: Look, unit: Unit) -> bool:
    return config_beside(look, unit).get("model_type") in IN_ORDER
