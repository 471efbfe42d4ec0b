"""How many GPUs each node has where a text counts the nodes and all the cards: "4 nodes, 32 GPUs", 4 机 32 卡."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from medic.text.patterns import regex

if TYPE_CHECKING:
    from medic.told.stated import Stated

NODES, CARDS, EACH = "nodes", "world_size", "gpus_per_node"
MANY = 8  # cards of one node at the most usual: more than these beside a count of nodes are all of them
USUAL = (1, 2, 4, 8, 16)
_BETWEEN = regex(r"(?:[\s,，、xX×*]|and|with|共|总)*")
_OF_ALL = regex(r"共|总|total|in all|altogether")
Found = tuple["Stated", tuple[int, int]]


def shared_out(text: str, found: Sequence[Found]) -> list[Found]:
    """What was ``found``, with the cards of a node where right behind a count of nodes stands one of
    cards; without so small a count of them that it may be each node's."""
    by = {item.field: (item, place) for item, place in found}
    if NODES not in by or CARDS not in by or EACH in by:
        return list(found)
    (nodes, (start, end)), (cards, (behind, last)) = by[NODES], by[CARDS]
    many, all_of = nodes.value, cards.value
    if not (isinstance(many, int) and isinstance(all_of, int)) or end > behind or many < 2:
        return list(found)
    if _BETWEEN.fullmatch(text[end:behind]) is None:
        return list(found)
    if all_of <= MANY:
        told = _OF_ALL.search(text[end:last])
        return list(found) if told else [one for one in found if one[0].field != CARDS]
    each, rest = divmod(all_of, many)
    if rest or each not in USUAL:
        return list(found)
    words = text[start:last].strip()
    return [*found, (nodes._replace(field=EACH, value=each, quote=words), (start, end))]
