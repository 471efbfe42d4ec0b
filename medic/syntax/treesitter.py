"""Syntax trees by tree-sitter, which is loaded when first used."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import tree_sitter


def _grammar(package: str) -> Any:
    """The module of a grammar. Its package only adds queries, and loads importlib.resources for
    them, which takes longer than to parse a config."""
    from importlib import import_module
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    found = PathFinder.find_spec(package)
    inside = found.submodule_search_locations if found is not None else None
    spec = PathFinder.find_spec(f"{package}._binding", inside) if inside else None
    if spec is None or spec.loader is None:
        return import_module(package)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@lru_cache(maxsize=4)
def _language(name: str) -> tree_sitter.Language:
    import tree_sitter

    return tree_sitter.Language(_grammar(f"tree_sitter_{name}").language())


def tree_of(language: str, data: bytes) -> tree_sitter.Node:
    """The root of the syntax tree of ``data``; it may hold error nodes."""
    import tree_sitter

    # A parser keeps state while it works, and probes read files in several threads.
    return tree_sitter.Parser(_language(language)).parse(data).root_node


def named(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The named children but comments. ``Node.named_children`` takes quadratic time."""
    return [child for child in node.children if child.is_named and child.type != "comment"]


def with_comments(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The named children, comments too."""
    return [child for child in node.children if child.is_named]


def with_fields(node: tree_sitter.Node) -> Iterator[tuple[tree_sitter.Node, str | None]]:
    """(child, the field that it is). ``Node.field_name_for_child`` takes quadratic time."""
    cursor = node.walk()
    more = cursor.goto_first_child()
    while more:
        child = cursor.node
        if child is not None:
            yield child, cursor.field_name
        more = cursor.goto_next_sibling()


def first_error(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The first error or missing node below ``node``, without recursion."""
    todo = [node]
    while todo:
        here = todo.pop()
        if here.is_error or here.is_missing:
            return here
        todo += [child for child in reversed(here.children) if child.has_error]
    return None
