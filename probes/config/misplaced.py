"""The probe of keys that the framework knows, but not so: in another block, or in other letters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Document, GivenFile, Node, Releases, Renamed, Repair, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

from ..flags.fork_keys import names_in, strangers
from ..flags.forks import several, shown
from ..flags.key_names import (
    AT_TOP,
    BY_BLOCK,
    Framework,
    Names,
    known_tables,
    names_of,
    normal,
)
from ..flags.meanings import Dictionary, dictionary
from .documents import read_documents
from .keys import ASIDE

NAME = "misspelt-config-key"
_ELSEWHERE = Text(
    "{framework}: {key} does not belong {here} but {there}",
    "{framework}：{key} 不应写在{here}，而应写在{there}",
)
_TOP = Text("at the top level", "顶层")
_BELOW = Text("in {block}", "{block} 中")
_OR = Text("{one}, or {other}", "{one}或{other}")
_WHY = Text("the same name as the framework writes it", "框架所用的写法")
# Frameworks of most of whose keys it is known, beside those of all.
_PLACED = frozenset(("axolotl", "litgpt"))
# Those that have no blocks of settings.
_NOT_NESTED = frozenset(("llama-factory", "trl", "ms-swift"))
# Blocks of theirs that are handed on: what stands in them is read by another program.
_OPEN_BLOCK = regex(r"config|args|kwargs|params|settings")
# A block of which one key is known is one that a rule or a field names it of: it may have others.
_FEW = 2
# The places that a message can name; a key of three blocks or more may well be one of this, too.
_MOST_HOMES = 2
# Names that mean something in any block.
_EVERYWHERE = frozenset(
    """name path type enabled enable config kwargs args size data model seed mode dtype device
    _component_ _target_ value key class group version defaults hydra class_path init_args""".split()  # noqa: SIM905
)
# A key that the file itself reads: ${max_seq_len}.
_READ = regex(r"\$\{\s*(?:oc\.\w+:)?\.*([\w.]+)")


def run(look: Look) -> Iterator[Finding]:
    tables = known_tables(look.frameworks)
    for given, document, framework in read_documents(look, config_of(look)):
        if framework.name in tables and document.root is not None:
            releases = look.fact(Releases).packages if look.has(Releases) else {}
            fork = shown(framework, names_in(document.root), releases, file=given.path)
            if fork is not None and fork.sure:
                continue
            names = names_of(framework, tables)
            book = dictionary(framework, look.frameworks, names)
            yield from _of_file(given, document, framework, book)


def _of_file(
    given: GivenFile, document: Document, framework: Framework, book: Dictionary
) -> Iterator[Finding]:
    root, names = document.root, book.names
    assert root is not None
    read = _read_by_file(root)
    base = names.base([normal(str(key.value)) for key, _ in root.items])
    from .respelt import in_capitals, in_full, spelt_of

    spelt = spelt_of(framework)
    blocks = frozenset(".".join(parents) for parents, _, _, _ in _keys(root, base))
    for parents, key, value, siblings in _keys(root, base):
        found = in_capitals(key, parents, names, spelt, framework)
        if found is None:
            full = in_full(key, parents, names, framework, siblings)
            found = full if full and normal(str(key.value)) not in book.foreign else None
        what, meant = found or (None, "")
        if what is None and str(key.value) not in read:
            apart = _elsewhere(key, value, parents, names, blocks, siblings)
            other = _is_told(key, parents, siblings, book) if apart else False
            other = other or (apart is not None and several(strangers(siblings, parents, book)))
            what = None if other else apart
        if what is None:
            continue
        source = Source(given.name, key.span.line, text=key.raw)
        repair = None
        if meant:
            step = Renamed(key.span, document.syntax, normal(str(key.value)), meant)
            repair = Repair((step,), safe=False, why=_WHY)
        yield Finding(NAME, "fires", {"what": what}, source, span=key.span, repair=repair)


def _is_told(
    key: Node, parents: tuple[str, ...], siblings: frozenset[str], book: Dictionary
) -> bool:
    """Whether a key is told as another framework's name of what stands here by its own."""
    name = normal(str(key.value))
    meant = book.own(name, parents)
    return name in book.foreign and bool(meant) and meant not in siblings


def _read_by_file(root: Node) -> frozenset[str]:
    texts = (v.value for _, _, v in root.leaves() if isinstance(v.value, str))
    return frozenset(name for text in texts if "${" in text for name in _READ.findall(text))


def _keys(
    node: Node, parents: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Node, Node, frozenset[str]]]:
    """(parents, key, value, the names beside it)."""
    siblings = frozenset(normal(str(key.value)) for key, _ in node.items)
    for key, value in node.items:
        yield parents, key, value, siblings
        path = (*parents, normal(str(key.value)))
        for block in (value, *value.elements):
            if block.kind == "mapping":
                yield from _keys(block, path)


def _elsewhere(
    key: Node,
    value: Node,
    parents: tuple[str, ...],
    names: Names,
    blocks: frozenset[str],
    siblings: frozenset[str],
) -> Text | None:
    """What is wrong with a known key that stands in a block whose keys are known without it.

    ``blocks``: those that the file has; of many that may hold the key only they are named.
    """
    framework, name = names.framework, normal(str(key.value))
    if value.kind == "mapping" or _is_copy(name, value):
        return None
    homes = _homes(name, parents, names, framework) or _slid(name, parents, names, siblings)
    if len(homes) > _MOST_HOMES:
        homes = [home for home in homes if home in blocks]
    if not 0 < len(homes) <= _MOST_HOMES:
        return None
    if name in _EVERYWHERE and (parents or len(homes) > 1 or framework.unknown_key != "error"):
        return None
    here = _BELOW.fill(block=".".join(parents)) if parents else _TOP
    there = [_BELOW.fill(block=home) if home else _TOP for home in homes]
    to = there[0] if len(there) == 1 else _OR.fill(one=there[0], other=there[1])
    return _ELSEWHERE.fill(framework=framework.title, key=str(key.value), here=here, there=to)


def _is_placed(framework: Framework) -> bool:
    """Whether it is known which block its keys stand in."""
    return framework.keys_stand == BY_BLOCK or framework.name in _PLACED


def _is_copy(name: str, value: Node) -> bool:
    """Whether a value is that of the same key elsewhere: ``precision: ${trainer.precision}``."""
    read = _READ.fullmatch(value.value.removesuffix("}")) if isinstance(value.value, str) else None
    return read is not None and normal(read[1].rpartition(".")[2]) == name


def _homes(
    name: str, parents: tuple[str, ...], names: Names, framework: Framework
) -> Sequence[str]:
    """The blocks that a key belongs to; none where it may stand in this one."""
    if framework.keys_stand == AT_TOP:
        return _flat_homes(name, parents, framework)
    if framework.prefixed:
        return _prefixed_homes(name, parents, framework)
    if not _is_placed(framework):
        return ()
    block = names.below.get(".".join(parents), ())
    if name in block or len(block) < _FEW:
        return ()
    homes = _not_alike([parent for parent, own in names.below.items() if name in own], names)
    # A block of the same name elsewhere has it: this one may have it in another release.
    twins = [h for h in homes if parents and h.rpartition(".")[2] == parents[-1]]
    return () if twins else homes


def _slid(
    name: str, parents: tuple[str, ...], names: Names, siblings: frozenset[str]
) -> Sequence[str]:
    """The block of the key above, where that is no block itself and all that stands in it belongs
    beside it: a blank too many before a key makes it the value of an empty one above.
    """
    level = ".".join(parents[:-1])
    beside = names.below.get(level, ())
    if not _is_placed(names.framework) or not parents or _OPEN_BLOCK.search(parents[-1]):
        return ()
    above, own = parents[-1], names.below.get(".".join(parents), ())
    if own or len(beside) < _FEW or above not in beside or name in _EVERYWHERE:
        return ()
    # What sets something of its own stands in no block of options, whatever that is called.
    sets = {normal(one.key) for one in names.framework.keys}
    given = siblings.issubset(beside) and not siblings.isdisjoint(
        own_name.rpartition(".")[2] for own_name in sets if own_name.rpartition(".")[0] == level
    )
    return (level,) if given else ()


def _not_alike(homes: Sequence[str], names: Names) -> list[str]:
    """The first of blocks that hold the same: ``datasets`` stands for ``test_datasets``."""
    kept: list[str] = []
    for home in homes:
        own = set(names.below[home])
        if not any(own == set(names.below[other]) for other in kept):
            kept.append(home)
    return kept


def _flat_homes(name: str, parents: tuple[str, ...], framework: Framework) -> Sequence[str]:
    """The top level, for a key of it that sets something which every framework has."""
    if framework.name not in _NOT_NESTED or not parents or _OPEN_BLOCK.search(parents[-1]):
        return ()
    if any(step in ASIDE for step in parents):
        return ()
    own = {normal(k.key) for k in framework.keys if "." not in k.key}
    return ("",) if name in own else ()


def _prefixed_homes(name: str, parents: tuple[str, ...], framework: Framework) -> Sequence[str]:
    """Those of a framework that lists what stands at the top."""
    prefixes = framework.prefixed
    listed = framework.known_below
    top = listed.get("", ())
    if not parents:
        named = [b for prefix, b in prefixes.items() if name.startswith(prefix) and name not in top]
        return named or [b for b in listed if b and name in listed[b] and name not in top]
    prefix = next((p for p, block in prefixes.items() if parents == (block,)), "")
    own = listed.get(".".join(parents), ())
    if name not in top or name in own or not (own or prefix):
        return ()
    return () if prefix and name.startswith(prefix) else ("",)


PROBE = Probe(
    name="config-places",
    title=Text("places of the keys", "键的位置"),
    files=("config",),
    tells=(NAME,),
    run=run,
    wants=(RunConfig, Releases),
    seconds=0.03,
    limit_seconds=10,
)
