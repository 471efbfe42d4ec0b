"""What the key of a field needs beside it: keys without which its framework refuses it, and no other
key that says less."""

from __future__ import annotations

from medic.edits.insert import insert, put_value
from medic.edits.keys import KeyTable
from medic.edits.places import Place, spelt_like
from medic.edits.sources import Sources
from medic.edits.switches import flag_at, remove_flag
from medic.edits.trees import node_at
from medic.entries import Key
from medic.errors import EditRefused
from medic.records import replace
from medic.run_config import Change, Origin, RunConfig


def bring(
    change: Change,
    key: Key | None,
    place: Place,
    table: KeyTable,
    sources: Sources,
    config: RunConfig,
) -> None:
    """Adds the keys that ``key`` brings where nothing states them. Raises EditRefused."""
    alone = change.new is False or (change.new == 1 and change.new is not True)
    if key is None or alone or not _needed(key, config):
        return
    for name, value in key.brings.items():
        stated = config.setting(name, place.beside.framework)
        if stated is None or stated.value is None:
            last = spelt_like(place.path[-1], name, dashes="-" in place.path[-1].lstrip("-"))
            insert(replace(place, path=(*place.path[:-1], last)), value, table, sources)


def _needed(key: Key, config: RunConfig) -> bool:
    return not key.brings_for or (config.integer(key.brings_for) or 1) > 1


def place_of(origin: Origin, key: Key | None) -> Place | None:
    """The place of a key that is written already."""
    if origin.span is None:
        return None
    path = (origin.key,) if origin.syntax == "shell" else origin.path
    return Place(origin.span.file, path, origin.syntax, origin, key, frozenset((path,)))


def says_a_part(origin: Origin, change: Change, table: KeyTable) -> bool:
    """Whether an origin's key turns on less than the change asks for."""
    key = table.key_of(origin, change.field)
    return key is not None and key.partly and change.new is True


def take_back(origin: Origin, sources: Sources) -> None:
    """Takes out a switch that says a part. Raises EditRefused."""
    if origin.span is None:
        raise EditRefused("its place is not known", "位置未知")
    document = sources.open(origin.span.file, origin.syntax)
    if origin.syntax == "shell":
        found = flag_at(document, origin.span)
        if found is None:
            raise EditRefused("the flag comes from a variable", "该选项来自变量")
        remove_flag(found, sources)
        return
    node = node_at(document.root, origin.path)
    if node is None:
        raise EditRefused("the file changed since it was read", "文件在读取之后被改动")
    put_value(node, origin.path, False, origin.syntax, sources)
