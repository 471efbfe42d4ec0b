"""Names that a framework does not know, and the settings that are meant by them.

A setting whose name is misspelt is not absent: what it states is unknown, and neither a default
nor a rule about its absence speaks of the run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from medic.run_config import PLAIN, Setting

from ..flags.key_names import (
    BLOCKS_DIFFER,
    BY_BLOCK,
    Names,
    known_tables,
    lost_word,
    names_of,
    nearest_name,
    normal,
    plain_key,
)
from .keys import Framework

# Words that tell no key from another.
_PLAIN = frozenset(("size", "model", "num", "number", "use", "enable", "with", "of"))
# Kept for further files, with the entry that they are of.
_LEAVES: dict[str, tuple[Framework, Sequence[tuple[str, str]]]] = {}
_KNOWN: dict[str, tuple[Framework, frozenset[str]]] = {}


def mistaken(
    key: str, settings: Sequence[Setting], framework: Framework, every: Sequence[Framework]
) -> bool:
    """Whether one of the settings stands for this key: it is no name that the framework knows, or
    the key itself in a block that has no such key."""
    leaf = normal(key).rpartition(".")[2]
    return (
        bool(_meant({leaf}, settings, framework, every))
        or _misplaced(leaf, settings, framework, every)
        or _foreign(leaf, settings, framework, every)
    )


def _foreign(
    leaf: str, settings: Sequence[Setting], framework: Framework, every: Sequence[Framework]
) -> bool:
    """Whether a setting has another framework's name of what the key sets."""
    field = next((k.field for k in framework.keys if normal(plain_key(k)) == leaf), "")
    if not field:
        return False
    from ..flags.meanings import meanings

    meant = meanings(every)
    names = {s.path[-1] for s in settings if s.path} - _known(framework, every)
    names |= _of_a_block(settings, framework, every)
    return any(meant.get(name, ("", ""))[1] == field for name in names)


def _of_a_block(
    settings: Sequence[Setting], framework: Framework, every: Sequence[Framework]
) -> set[str]:
    """Names that the framework has in a block alone, and that stand at the top: lr of lr_groups."""
    names = _names(framework, every) if BLOCKS_DIFFER in framework.traits else None
    if names is None:
        return set()
    top = frozenset(names.below.get("", ()))
    return {s.path[0] for s in settings if len(s.path) == 1} & names.leaves - top


def _misplaced(
    leaf: str, settings: Sequence[Setting], framework: Framework, every: Sequence[Framework]
) -> bool:
    names = _names(framework, every) if framework.keys_stand == BY_BLOCK else None
    if names is None:
        return False
    return any(s.path[-1] == leaf and not names.has(s.path) for s in settings if s.path)


def _names(framework: Framework, every: Sequence[Framework]) -> Names | None:
    """The names of a framework and of those that it builds on; None if they are not all known."""
    tables = known_tables(every)
    return names_of(tables[framework.name], tables) if framework.name in tables else None


def mistaken_fields(
    fields: Collection[str],
    settings: Sequence[Setting],
    framework: Framework,
    every: Sequence[Framework],
) -> frozenset[str]:
    """Those of the fields of which a key is meant by a setting that the framework does not know."""
    leaves = {leaf: field for leaf, field in _leaves(framework) if field in fields}
    near = {leaves[leaf] for leaf in _meant(leaves, settings, framework, every)}
    return frozenset(near | _by_meaning(set(fields) - near, settings, framework, every))


def _by_meaning(
    fields: Collection[str],
    settings: Sequence[Setting],
    framework: Framework,
    every: Sequence[Framework],
) -> set[str]:
    """Those that a name which the framework does not know sets in other ones."""
    names = {s.path[-1] for s in settings if s.path} if fields else set()
    names = names.difference(leaf for leaf, _ in _leaves(framework))
    unknown = names - _known(framework, every) if names else names
    if not unknown:
        return set()
    from ..flags.meanings import meanings

    unknown -= {name for name, field in _everybodys(every) if field not in fields}
    # Made of every key of every framework: few files have a name that they do not know.
    meant = meanings(every) if unknown else {}
    return {field for name in unknown if (field := meant.get(name, ("", ""))[1]) in fields}


def _everybodys(every: Sequence[Framework]) -> Iterator[tuple[str, str]]:
    """(name at the top, its field) of the entry of names that most scripts share: what it reads as
    one field means no other (``meanings``)."""
    keys = (key for one in every if one.name == PLAIN for key in one.keys)
    return ((normal(plain_key(k)), k.field) for k in keys if "." not in plain_key(k))


def _meant(
    leaves: Iterable[str],
    settings: Sequence[Setting],
    framework: Framework,
    every: Sequence[Framework],
) -> frozenset[str]:
    """The last steps of keys that unknown settings are near to."""
    wanted = sorted(leaves)
    written = {s.path[-1] for s in settings if s.path}
    near = {
        name: meant
        for name in written.difference(wanted)
        if (meant := nearest_name(name, wanted) or lost_word(name, wanted) or _named(name, wanted))
    }
    if not near:
        return frozenset()
    known = _known(framework, every)
    return frozenset(meant for name, meant in near.items() if name not in known)


def _named(name: str, wanted: Sequence[str]) -> str:
    """The one key all of whose telling words the name has: tensor_parallel_degree."""
    words = set(name.split("_"))
    telling = {key: set(key.split("_")) - _PLAIN for key in wanted}
    found = [key for key, own in telling.items() if len(own) > 1 and own <= words]
    return found[0] if len(found) == 1 else ""


def _leaves(framework: Framework) -> Sequence[tuple[str, str]]:
    """(last step of a key, its field), the keys of a framework in their order."""
    kept = _LEAVES.get(framework.name)
    if kept is None or kept[0] is not framework:
        rows = [(normal(plain_key(k)).rpartition(".")[2], k.field) for k in framework.keys]
        kept = _LEAVES[framework.name] = (framework, rows)
    return kept[1]


def _known(framework: Framework, every: Sequence[Framework]) -> frozenset[str]:
    """The names of a framework and of those that it builds on; of one whose names are not all
    known, those that it reads."""
    kept = _KNOWN.get(framework.name)
    if kept is None or kept[0] is not framework:
        kept = _KNOWN[framework.name] = (framework, _known_names(framework, every))
    return kept[1]


def _known_names(framework: Framework, every: Sequence[Framework]) -> frozenset[str]:
    tables = known_tables(every)
    own = [f for f in every if f.name == framework.name or f.name in framework.builds_on]
    names = {leaf for f in own for leaf, _ in _leaves(f)}
    return frozenset(names).union(
        *(names_of(tables[f.name], tables).leaves for f in own if f.name in tables)
    )
