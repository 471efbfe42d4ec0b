"""Which of two answers, the chosen or the rejected one, a part of a preference loss is made of."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from medic.text.patterns import regex

from .code import Code, last
from .flow import held

_CHOSEN, _REJECTED = regex(r"(?i)chosen|win|preferred|\bcho\b"), regex(r"(?i)reject|lose|\brej\b")
_REFERENCE = regex(r"(?i)(?<!p)ref")
_DEPTH = 6
CHOSEN, REJECTED = "chosen", "rejected"


def named(name: str) -> set[str]:
    """What a name, or a key, says."""
    kinds = ((CHOSEN, _CHOSEN), (REJECTED, _REJECTED))
    return {kind for kind, pattern in kinds if pattern.search(name)}


def turned(code: Code, terms: Iterable[tuple[int, ast.AST]]) -> bool:
    """Whether a margin, of terms with their signs, rises with the rejected answer and falls with the
    chosen one. What an answer was read by (``pack(rows, "rejected")``) says more than its name."""
    sides: dict[int, set[str]] = {1: set(), -1: set()}
    for sign, term in terms:
        others: set[str] = set()
        references: set[str] = set()
        for node in ast.walk(term):
            if isinstance(node, (ast.Name, ast.Attribute, ast.Constant)):
                of = bool(_REFERENCE.search(_word(node)))
                (references if of else others).update(_made_of(code, node, set(), _DEPTH))
        model = any(isinstance(n, ast.Name) and _REFERENCE.search(n.id) for n in ast.walk(term))
        if others and not references and model:
            references, others = others, references  # ``logps(ref, ids)``
        sides[sign] |= others
        sides[-sign] |= references
    return sides == {1: {REJECTED}, -1: {CHOSEN}}


def _word(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return last(node)


def _made_of(code: Code, node: ast.AST, seen: set[ast.AST], depth: int) -> set[str]:
    """The answers that a name is made from, each value asked once; by the name itself where its
    making does not tell."""
    word = named(_word(node))
    if not isinstance(node, ast.Name) or depth == 0:
        return word
    found = held(code, node.id, node)
    if found is None or found.value in seen:
        return word
    seen.add(found.value)
    inner = list(ast.walk(found.value))
    parts = [n for n in inner if isinstance(n, (ast.Name, ast.Attribute, ast.Constant))]
    made = {one for part in parts for one in _made_of(code, part, seen, depth - 1)}
    return made if len(made) == 1 else word or made
