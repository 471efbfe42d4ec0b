"""Names that a framework does not know, and the settings that are meant by them.

A setting whose name is misspelt is not absent: what it states is unknown, and neither a default
nor a rule about its absence speaks of the run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from medic.run_config import Setting

from ..flags.key_names import DOTTED, KNOWN, lost_word, names_of, nearest_name, normal, plain_key
from ..flags.meanings import meanings
from .keys import Framework

# Words that tell no key from another.
_PLAIN = frozenset(("size", "model", "num", "number", "use", "enable", "with", "of"))


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
    known = _known(framework, every) if field else frozenset()
    meant = meanings(every) if field else {}
    names = {s.path[-1] for s in settings if s.path} - known
    return any(meant.get(name, ("", ""))[1] == field for name in names) if field else False


def _misplaced(
    leaf: str, settings: Sequence[Setting], framework: Framework, every: Sequence[Framework]
) -> bool:
    tables = {f.name: f for f in every if f.name in KNOWN}
    if framework.name not in DOTTED or framework.name not in tables:
        return False
    names = names_of(tables[framework.name], tables)
    return any(s.path[-1] == leaf and not names.has(s.path) for s in settings if s.path)


def mistaken_fields(
    fields: Collection[str],
    settings: Sequence[Setting],
    framework: Framework,
    every: Sequence[Framework],
) -> frozenset[str]:
    """Those of the fields of which a key is meant by a setting that the framework does not know."""
    keys = [k for k in framework.keys if k.field in fields]
    leaves = {normal(plain_key(k)).rpartition(".")[2]: k.field for k in keys}
    near = {leaves[leaf] for leaf in _meant(leaves, settings, framework, every)}
    return frozenset(near | _by_meaning(set(fields) - near, settings, framework, every))


def _by_meaning(
    fields: Collection[str],
    settings: Sequence[Setting],
    framework: Framework,
    every: Sequence[Framework],
) -> set[str]:
    """Those that a name which the framework does not know sets in other ones."""
    meant = meanings(every) if fields else {}
    names = {s.path[-1] for s in settings if s.path}
    found = {name: field for name in names if (field := meant.get(name, ("", ""))[1]) in fields}
    known = _known(framework, every) if found else frozenset()
    return {field for name, field in found.items() if name not in known}


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


def _known(framework: Framework, every: Sequence[Framework]) -> frozenset[str]:
    """The names of a framework and of those that it builds on; of one whose names are not all
    known, those that it reads."""
    tables = {f.name: f for f in every if f.name in KNOWN}
    own = [f for f in every if f.name == framework.name or f.name in framework.builds_on]
    names = {normal(plain_key(k)).rpartition(".")[2] for f in own for k in f.keys}
    return frozenset(names).union(
        *(names_of(tables[f.name], tables).leaves for f in own if f.name in tables)
    )
