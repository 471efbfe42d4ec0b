"""Overrides whose key is known but for a block: ``actor.optimizer.lr`` for ``actor.optim.lr``."""

from __future__ import annotations

from collections.abc import Iterator

from .key_names import Names

_SHORTEST = 4  # letters that a block and the name that stands for it have in common


def block_apart(path: tuple[str, ...], at: int, names: Names) -> str:
    """The one block that begins as the step ``at`` does, or with which that begins, and that has the
    rest of the path; "" if none or several do."""
    above, rest = path[:at], path[at + 1 :]
    known = names.below.get(".".join(above), ())
    found = [one for one in known if _alike(one, path[at]) and _has((*above, one), rest, names)]
    return found[0] if rest and len(found) == 1 else ""


def below_a_block(path: tuple[str, ...], names: Names) -> str:
    """The one key below a block at the top that ends as a path does, which has no such beginning."""
    tops = names.below.get("", ())
    if len(path) < len(("block", "key")) or path[0] in tops:
        return ""
    found = {key for top in tops for key in _fitted((top,), path, names)}
    return found.pop() if len(found) == 1 else ""


def _fitted(above: tuple[str, ...], rest: tuple[str, ...], names: Names) -> Iterator[str]:
    """The known key that the rest of a path is below a block, but for blocks of like names."""
    path = above
    for at, step in enumerate(rest):
        known = step in names.below.get(".".join(path), ())
        right = step if known else block_apart((*path, *rest[at:]), len(path), names)
        if not right:
            return
        path = (*path, right)
    yield ".".join(path)


def _alike(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= _SHORTEST and long.startswith(short)


def _has(above: tuple[str, ...], rest: tuple[str, ...], names: Names) -> bool:
    path = above
    for step in rest:
        if step not in names.below.get(".".join(path), ()):
            return False
        path = (*path, step)
    return True
