"""The config.yaml of a W&B run: each value stands below a key ``value`` of its own."""

from __future__ import annotations

from medic.facts import Document, Node
from medic.records import replace

_MARKS = ("wandb_version", "_wandb")
_SHAPE = {"value", "desc"}


def unwrapped(document: Document) -> Document:
    """The settings as the script had them; any other file stays as it is."""
    root = document.root
    if root is None or document.syntax != "yaml" or not any(root.get(m) for m in _MARKS):
        return document
    items = tuple((key, _value(value)) for key, value in root.items if str(key.value) not in _MARKS)
    return replace(document, root=replace(root, items=items))


def _value(node: Node) -> Node:
    """What stands at ``value`` of ``{desc: …, value: …}``."""
    names = {str(key.value) for key, _ in node.items}
    inner = node.get("value")
    return inner if inner is not None and names <= _SHAPE else node
