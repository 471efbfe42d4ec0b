"""Fused and split projections: which rows of one tensor are which tensors of the other model.

Only where names, shapes and the config prove it: the parts have the fused tensor's columns, their rows
add up to its rows, and the order is the one in which these names are always joined, or the side that
has the fused tensor is known to join them so (``row_orders``). Weights called ``query_key_value`` or
``c_attn`` are left alone: some frameworks interleave them by head, others not, and no shape tells.
"""

from __future__ import annotations

from collections.abc import Mapping

from medic.records import dataclass

from .row_orders import AMBIGUOUS, TOLD, Orders

Shape = tuple[int, ...]
# fused name -> its parts in order. vLLM, Phi-3, Baichuan, nn.MultiheadAttention, Llama forks.
JOINED: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "qkv_proj": (("q_proj", "k_proj", "v_proj"),),
    "W_pack": (("q_proj", "k_proj", "v_proj"),),
    "qkv": (("q", "k", "v"), ("q_proj", "k_proj", "v_proj")),
    "Wqkv": (("q_proj", "k_proj", "v_proj"), ("Wq", "Wk", "Wv")),
    "wqkv": (("wq", "wk", "wv"),),
    "kv_proj": (("k_proj", "v_proj"),),
    "gate_up_proj": (("gate_proj", "up_proj"),),
    "w13": (("w1", "w3"),),
}
UNPROVEN = ("query_key_value", "c_attn", "linear_qkv", "attn_qkv", "linear_fc1")


@dataclass(frozen=True)
class Cut:
    """``rows`` of ``source`` from ``first`` on; all of it where ``rows`` is its first dimension."""

    source: str
    first: int
    rows: int


def split_for(
    name: str, have: Mapping[str, Shape], wanted: Mapping[str, Shape], orders: Orders
) -> Cut | None:
    """The rows of a fused tensor of ``have`` that are the wanted tensor ``name``; None if none."""
    before, own, end = _parts(name)
    for fused, choices in JOINED.items():
        if fused in AMBIGUOUS and not orders.have:
            continue
        source = f"{before}{fused}{end}"
        whole = have.get(source)
        for parts in choices:
            if own not in parts or whole is None:
                continue
            shapes = [wanted.get(f"{before}{p}{end}") for p in parts]
            if not fits(whole, shapes):
                continue
            rows = [s[0] for s in shapes if s]
            at = parts.index(own)
            return Cut(source, sum(rows[:at]), rows[at])
    return None


def join_for(
    name: str, have: Mapping[str, Shape], wanted: Mapping[str, Shape], orders: Orders
) -> tuple[str, ...]:
    """The tensors of ``have`` that make the wanted fused tensor ``name``, in order; () if none."""
    before, own, end = _parts(name)
    if own in AMBIGUOUS and not orders.wanted:
        return ()
    for parts in JOINED.get(own, ()):
        sources = tuple(f"{before}{p}{end}" for p in parts)
        if fits(wanted[name], [have.get(s) for s in sources]):
            return sources
    return ()


def unordered(name: str, have: Mapping[str, Shape], wanted: Mapping[str, Shape]) -> str:
    """The fused tensor, of either side, that the wanted ``name`` would be made of or with if the order
    of its rows were known; "" if there is none. Asked where nothing makes it."""
    cut = split_for(name, have, wanted, TOLD)
    if cut is not None:
        return cut.source
    return name if join_for(name, have, wanted, TOLD) else ""


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
