"""Fused and split projections: which rows of one tensor are which tensors of the other model.

Only where names, shapes and the config prove it: the parts have the fused tensor's columns, their rows
add up to its rows, and the order is the one in which these names are always joined, or the side that
has the fused tensor is known to join them so (``row_orders``), one after another or by heads. Weights
called ``c_attn`` are left alone: some frameworks interleave them by head, others not, and no shape tells.
"""

from __future__ import annotations

from collections.abc import Mapping

from medic.records import dataclass

from .by_head import NAMES
from .row_orders import AMBIGUOUS, TOLD, Orders

Shape = tuple[int, ...]
# fused name -> its parts in order. vLLM, Phi-3, Baichuan, nn.MultiheadAttention, Llama forks.
JOINED: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "qkv_proj": (("q_proj", "k_proj", "v_proj"),),
    "W_pack": (("q_proj", "k_proj", "v_proj"),),
    "qkv": (("q", "k", "v"), ("q_proj", "k_proj", "v_proj")),
    "Wqkv": (("q_proj", "k_proj", "v_proj"), ("Wq", "Wk", "Wv")),
    "wqkv": (("wq", "wk", "wv"), ("q_proj", "k_proj", "v_proj")),
    "kv_proj": (("k_proj", "v_proj"),),
    "query_key_value": (("q_proj", "k_proj", "v_proj"), ("query", "key", "value")),
    "linear_qkv": (("q_proj", "k_proj", "v_proj"), ("linear_q", "linear_k", "linear_v")),
    "gate_up_proj": (("gate_proj", "up_proj"),),
    "w13": (("w1", "w3"),),
}
UNPROVEN = ("c_attn", "attn_qkv", "linear_fc1")


@dataclass(frozen=True)
class Cut:
    """The ``pieces`` of ``source``, each (first row, rows), in their order."""

    source: str
    pieces: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Join:
    """What makes a fused tensor: ``pieces`` of the ``sources``, each (number of the source, first row,
    rows), in their order."""

    sources: tuple[str, ...]
    pieces: tuple[tuple[int, int, int], ...]


def split_for(
    name: str, have: Mapping[str, Shape], wanted: Mapping[str, Shape], orders: Orders
) -> Cut | None:
    """The rows of a fused tensor of ``have`` that are the wanted tensor ``name``; None if none."""
    before, own, end = _parts(name)
    for fused, choices in JOINED.items():
        source = f"{before}{fused}{end}"
        whole = have.get(source)
        for parts in choices:
            if own not in parts or whole is None:
                continue
            shapes = [wanted.get(f"{before}{p}{end}") for p in parts]
            if not fits(whole, shapes):
                continue
            rows, at = [s[0] for s in shapes if s], parts.index(own)
            heads = orders.have_heads
            if heads is not None and heads.holds(fused, rows):
                return Cut(source, tuple(heads.places(at)))
            if _in_order(fused, told=orders.have):
                return Cut(source, ((sum(rows[:at]), rows[at]),))
    return None


def join_for(
    name: str, have: Mapping[str, Shape], wanted: Mapping[str, Shape], orders: Orders
) -> Join | None:
    """What of ``have`` makes the wanted fused tensor ``name``; None if nothing does."""
    before, own, end = _parts(name)
    for parts in JOINED.get(own, ()):
        sources = tuple(f"{before}{p}{end}" for p in parts)
        if not fits(wanted[name], [have.get(s) for s in sources]):
            continue
        rows, heads = [have[s][0] for s in sources], orders.wanted_heads
        if heads is not None and heads.holds(own, rows):
            return Join(sources, tuple(heads.order()))
        if _in_order(own, told=orders.wanted):
            return Join(sources, tuple((n, 0, count) for n, count in enumerate(rows)))
    return None


def _in_order(fused: str, *, told: bool) -> bool:
    """Whether the rows follow one another: by the name, or as is told of one of several orders."""
    return fused not in NAMES and (fused not in AMBIGUOUS or told)


def unordered(name: str, have: Mapping[str, Shape], wanted: Mapping[str, Shape]) -> str:
    """The fused tensor, of either side, that the wanted ``name`` would be made of or with if the order
    of its rows were known; "" if there is none. Asked where nothing makes it."""
    cut = split_for(name, have, wanted, TOLD)
    if cut is not None:
        return cut.source
    return name if join_for(name, have, wanted, TOLD) is not None else ""


def fits(whole: Shape, parts: list[Shape | None]) -> bool:
    """Whether the parts, stacked by rows, have the shape of the whole."""
    known = [p for p in parts if p]
    if len(known) != len(parts) or not whole or any(len(p) != len(whole) for p in known):
        return False
    return sum(p[0] for p in known) == whole[0] and all(p[1:] == whole[1:] for p in known)


def _parts(name: str) -> tuple[str, str, str]:
    """("layers.0.attn.", "q_proj", ".weight") of "layers.0.attn.q_proj.weight"."""
    head, dot, last = name.rpartition(".")
    if not dot:
        return "", name, ""
    before, dot, own = head.rpartition(".")
    return before + dot, own, f".{last}"


def is_unproven(name: str) -> bool:
    """A fused tensor whose order of rows no shape tells."""
    return any(part in UNPROVEN or part in AMBIGUOUS for part in name.split("."))
