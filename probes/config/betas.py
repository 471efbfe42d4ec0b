"""The betas of an optimizer of the Adam kind."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Document, Node
from medic.run_config import Origin, Setting

from .keys import parts_of

_NAMES = frozenset(("betas", "adam_betas"))
_MAX_SHOWN = 40
_PAIR = 2


def odd_betas(document: Document, framework: str) -> Iterator[Setting]:
    """Those that are one number, or of which one is not below 1: torch.optim.Adam, and what is like
    it, unpacks two and refuses what is outside."""
    if document.root is not None:
        yield from _below(document, document.root, (), framework)


def crossed_betas(document: Document, framework: str) -> Iterator[tuple[Setting, float]]:
    """(the pair, beta1 squared) of those whose beta2 is below it; see ``crossed``."""
    if document.root is not None:
        yield from (
            (one, limit)
            for one, first, second in _pairs(document, document.root, (), framework)
            if (limit := crossed(first, second)) is not None
        )


def crossed(first: float, second: float) -> float | None:
    """beta1 squared where beta2 is below it, else None: Adam need not converge then (beta1 < sqrt(beta2)
    in arXiv 2208.09632, theorem 3.1; beta1^2 < sqrt(beta2) in 1412.6980, theorem 4.1)."""
    return first * first if 0 <= second < first * first < 1 else None


def _pairs(
    document: Document, node: Node, above: tuple[str, ...], framework: str
) -> Iterator[tuple[Setting, float, float]]:
    for key, value in node.items:
        path = (*above, str(key.value if key.value is not None else key.raw))
        numbers = [one for one in value.elements if _number(one)]
        if parts_of(path)[-1:] and parts_of(path)[-1] in _NAMES and len(numbers) == _PAIR:
            origin = Origin("file", value.span, document.syntax, path, path[-1], framework)
            first, second = (float(str(one.value)) for one in numbers)
            yield Setting(parts_of(path), _shown(value), origin), first, second
        elif value.kind == "mapping":
            yield from _pairs(document, value, path, framework)


def _below(
    document: Document, node: Node, above: tuple[str, ...], framework: str
) -> Iterator[Setting]:
    for key, value in node.items:
        path = (*above, str(key.value if key.value is not None else key.raw))
        if parts_of(path)[-1:] and parts_of(path)[-1] in _NAMES and _odd(value):
            origin = Origin("file", value.span, document.syntax, path, path[-1], framework)
            yield Setting(parts_of(path), _shown(value), origin)
        elif value.kind == "mapping":
            yield from _below(document, value, path, framework)


def _odd(node: Node) -> bool:
    if node.kind == "scalar":
        return _number(node)
    numbers = node.kind == "sequence" and bool(node.elements) and all(map(_number, node.elements))
    return numbers and any(not 0 <= float(str(one.value)) < 1 for one in node.elements)


def _number(node: Node) -> bool:
    return isinstance(node.value, (int, float)) and not isinstance(node.value, bool)


def _shown(node: Node) -> str:
    if node.kind == "scalar":
        return node.raw
    return "[" + ", ".join(e.raw for e in node.elements)[:_MAX_SHOWN] + "]"
