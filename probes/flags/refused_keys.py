"""Keys near none that a framework has, where it stops at any that it does not know."""

from __future__ import annotations

from medic.facts import GivenFile, Node, Source
from medic.i18n import Text
from medic.probe import Finding

from .key_names import Framework, Names, normal
from .key_slips import of_family, of_own_model

_REFUSED = Text(
    "{framework} stops at a key that it does not know, and no release that medic knows has {key}",
    "{framework} 遇到不认识的键会报错退出，而 medic 已知的版本都没有 {key}",
)
# Of a block with fewer others, or fewer of them known, it is not known whose it is.
_FEW, _NEARLY_ALL = 3, 0.9


def is_opened(root: Node, framework: Framework) -> bool:
    """Whether a key of the file brings keys that the entry does not have."""
    blocks = [root, *(value for _, value in root.items if value.kind == "mapping")]
    return any(spelt(key) in framework.opened_by for block in blocks for key, _ in block.items)


def is_refused(key: Node, parents: tuple[str, ...], siblings: frozenset[str], names: Names) -> bool:
    """Whether the framework stops at a key near none that it has: in a block whose keys are all known,
    and in which nearly all others are the framework's."""
    name = spelt(key)
    if ".".join(parents) not in names.framework.refuses or name in names.leaves:
        return False
    of_own = of_own_model({name, *siblings}, names) or of_family(name, siblings, names)
    from ..config.respelt import in_full

    if in_full(key, parents, names, names.framework, siblings):
        return False  # told with what is meant
    plain = name.isidentifier() and not name.startswith("_")
    others = siblings - {name}
    known = sum(names.has((*parents, other)) for other in others)
    return plain and not of_own and len(others) >= _FEW and known >= len(others) * _NEARLY_ALL


def refusal(name: str, given: GivenFile, key: Node, framework: Framework) -> Finding:
    """Of the check ``name``; a later release may know the key."""
    what = _REFUSED.fill(framework=framework.title, key=str(key.value))
    source = Source(given.name, key.span.line, text=key.raw)
    return Finding(name, "fires", {"what": what, "unsure": True}, source, span=key.span)


def spelt(key: Node) -> str:
    """A key as the names of a framework are written."""
    return normal(key.raw if key.value is None else str(key.value))
