"""The probe of configuration keys that their framework does not know, but almost does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from medic.facts import Document, GivenFile, Node, Release, Releases, Renamed, Repair, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of
from medic.records import replace
from medic.run_config import NOBODYS, PLAIN, RunConfig, Syntax

from ..config.documents import read_document, readers_of
from ..config.hydra_parts import parts_of
from ..config.unseen import unseen_in_key
from ..config.written import written
from .fork_keys import lone_key, names_in, strangers
from .forks import several, shown
from .key_names import (
    AT_TOP,
    Framework,
    Names,
    guess,
    known_tables,
    lost_word,
    names_of,
    nearest_name,
    normal,
)
from .key_slips import (
    another_name,
    dashed,
    keys_as_text,
    of_document,
    of_family,
    of_own_model,
    spelt_like,
    word_apart,
)
from .meanings import Dictionary, dictionary
from .refused_keys import is_opened, is_refused, refusal
from .refused_keys import spelt as _spelt

MISSPELT = "misspelt-config-key"
NEEDS_KEYS = Text("a configuration whose framework's keys are known", "键名已知的框架的配置文件")

_MAX_DEPTH = 6
_NEARLY_ALL = 0.9
_WITH_OTHERS = ("hf-trainer", "loop-scripts", "nanogpt")
_FEW = 3  # fewer keys do not tell whose they are, nor whose block they stand in

NEAR = Text(
    "{framework} has no key {key}; {meant} is meant", "{framework} 没有 {key} 这个键，应为 {meant}"
)
_FOREIGN = Text(
    "{framework} has no key {key}, it is {other}'s name; here it is {meant}",
    "{framework} 没有 {key} 这个键（那是 {other} 的叫法），这里应写 {meant}",
)
_ELSEWHERE = Text(
    "{framework} has no key {key}; here it is {meant}",
    "{framework} 没有 {key} 这个键，这里应写 {meant}",
)
_UNSEEN = Text(
    "a character that is not seen, or a blank that is none ({code}), stands in the key {key}: it "
    "is another name than {meant}",
    "键名 {key} 里有不可见字符或不是普通空格的空白（{code}），与 {meant} 不是同一个键",
)
RENAMED = Text("the only name that is near", "唯一相近的键名")


def run(look: Look) -> Iterator[Finding | Skip]:
    config = config_of(look)
    speaks = readers_of(config)
    tables = known_tables(look.frameworks)
    plain = next((f for f in look.frameworks if f.name == PLAIN), None)
    read = fired = False
    for given, document in _documents(look):
        root = document.root if document is not None else None
        framework = tables.get(speaks.get(given.path, "")) if root is not None else None
        nobody = given.kind == "config" and speaks.get(given.path, PLAIN) in NOBODYS
        if root is not None and nobody:
            framework = _by_target(root, tables)
            framework = framework or guess([_spelt(k) for k, _ in root.items], tables, plain)
        if document is None or root is None:
            continue
        slips = list(of_document(document, look.variables, speaks.get(given.path, "")))
        for slip in slips:
            fired = True
            yield _slip(given, *slip)
        if framework is None or _of_another(root, framework, tables):
            continue
        read = True
        releases = look.fact(Releases).packages if look.has(Releases) else {}
        for finding in _of_file(given, document, framework, look.frameworks, tables, releases):
            fired = True
            yield finding
    if not fired:
        yield Finding(MISSPELT, "passes") if read else Skip(needs=NEEDS_KEYS, check=MISSPELT)


def _slip(given: GivenFile, node: Node, what: Text, repair: Repair | None) -> Finding:
    source = Source(given.name, node.span.line, text=node.raw)
    return Finding(MISSPELT, "fires", {"what": what}, source, span=node.span, repair=repair)


def _of_another(root: Node, framework: Framework, tables: Mapping[str, Framework]) -> bool:
    """Whether most keys of a file are none of the framework's: another program borrows some.

    Counted are the keys at the top, and those in blocks that carry a name of the framework's.
    """
    names = names_of(framework, tables)
    base = names.base([_spelt(key) for key, _ in root.items])
    paths = [(*base, _spelt(key)) for key, _ in root.items]
    if framework.keys_stand != AT_TOP:
        for path, (_, block) in zip(tuple(paths), root.items, strict=True):
            if block.kind == "mapping" and names.has(path):
                paths += [(*path, _spelt(key)) for key, _ in block.items]
    known = sum(names.has(path) for path in paths)
    return len(paths) >= _FEW and known * 2 < len(paths)


def _documents(look: Look) -> Iterator[tuple[GivenFile, Document | None]]:
    parts = parts_of(look)
    for given in look.files("config", "python"):
        if given.path not in parts.others:
            yield given, read_document(look, given, parts)
    for script, one in written(look):
        yield replace(script, kind="config"), one.document


def _by_target(root: Node, tables: Mapping[str, Framework]) -> Framework | None:
    """The framework of a part whose class is one of its own (``_target_: verl.…``)."""
    targets = [value.value for key, value in root.items if key.value == "_target_"]
    names = (str(target).partition(".")[0] for target in targets)
    return next((tables[name] for name in names if name in tables), None)


def _of_file(
    given: GivenFile,
    document: Document,
    framework: Framework,
    every: Sequence[Any],
    tables: Mapping[str, Framework],
    releases: Mapping[str, Release],
) -> Iterator[Finding]:
    root = document.root
    if root is None:
        return
    own = next((f for f in every if f.name == framework.name), None)
    readers = [f for f in every if f is own or (own is not None and f.name in own.builds_on)]
    ruled = {normal(k) for f in readers for r in f.rules if r.cause == MISSPELT for k in r.where}
    fork = shown(framework, names_in(root), releases, file=given.path)
    names = names_of(framework, tables)
    book = dictionary(framework, every, names)
    base = names.base([_spelt(key) for key, _ in root.items])
    opened = document.syntax == "python" or is_opened(root, framework) or fork is not None
    for slip in keys_as_text(root, base, names) if document.syntax == "yaml" else ():
        yield _slip(given, *slip)
    for parents, key, value, siblings in _keys(
        root, base, names, flat=framework.keys_stand == AT_TOP
    ):
        if _spelt(key) in ruled:
            continue  # a rule of the framework tells it
        if fork is not None and _spelt(key) in fork.names:
            if not fork.sure and _spelt(key) in fork.signs:
                meant = book.own(_spelt(key), parents, siblings)
                yield lone_key(MISSPELT, given, key, fork, framework, meant)
            continue
        found = _fault(key, parents, siblings, book, block=value.kind == "mapping")
        if found is not None:
            what, meant, by_dashes = found
            from .renamed import now

            right = now(meant, readers, releases)
            meant = right.flag
            spelt = right.either or (meant if by_dashes else spelt_like(meant, key.raw))
            said = what.fill(framework=framework.title, key=str(key.value), meant=spelt)
            sure = not by_dashes and right.either is None
            yield _slip(given, key, said, _renamed(key, meant, document.syntax) if sure else None)
        elif not opened and is_refused(key, parents, siblings, names):
            yield refusal(MISSPELT, given, key, framework)


def _fault(
    key: Node,
    parents: tuple[str, ...],
    siblings: frozenset[str],
    book: Dictionary,
    *,
    block: bool,
) -> tuple[Text, str, bool] | None:
    """(what is wrong with a key, the name that is meant, whether only its dashes are wrong)."""
    unseen = unseen_in_key(str(key.value))
    if unseen is not None:
        return _UNSEEN.fill(code=unseen[0]), normal(unseen[1]), False
    found = _meant(_spelt(key), parents, siblings, book, block=block)
    if found is not None:
        return *found, False
    return (NEAR, _spelt(key), True) if dashed(key, parents, book.names) else None


def _renamed(key: Node, meant: str, syntax: Syntax) -> Repair:
    return Repair((Renamed(key.span, syntax, _spelt(key), meant),), safe=False, why=RENAMED)


def _keys(
    node: Node, parents: tuple[str, ...], names: Names, *, flat: bool
) -> Iterator[tuple[tuple[str, ...], Node, Node, frozenset[str]]]:
    """(parents, key, value, its siblings) of every key whose block is the framework's."""
    siblings = frozenset(_spelt(key) for key, _ in node.items)
    for key, value in node.items:
        name = _spelt(key)
        yield parents, key, value, siblings
        if flat or len(parents) >= _MAX_DEPTH:
            continue
        for block in (value, *value.elements):
            if block.kind == "mapping" and (name in names.leaves or _known(block, names)):
                yield from _keys(block, (*parents, name), names, flat=flat)


def _known(block: Node, names: Names) -> bool:
    """Whether a block that carries the user's own name holds the framework's keys."""
    known = sum(_spelt(key) in names.leaves for key, _ in block.items)
    return known > 0 and known * 2 >= len(block.items)


def _meant(
    name: str,
    parents: tuple[str, ...],
    siblings: frozenset[str],
    book: Dictionary,
    *,
    block: bool,
) -> tuple[Text, str] | None:
    """What is wrong with a key; None for one that is known, or like none that is. What holds keys of
    its own (``block``) is no setting that another framework calls so, and neither is what stands
    among several names that the framework does not have."""
    names = book.names
    known = name in names.leaves
    if of_own_model({name, *siblings}, names):
        return None
    if known and not (names.is_elsewhere(name, parents) and name in book.foreign):
        return None
    own = not known and _is_own(name, parents, siblings, names)
    candidates = [n for n in names.candidates(parents) if n not in siblings] if own else []
    settings = _meaningful(candidates, names)
    near = nearest_name(name, candidates) or lost_word(name, settings)
    if near:
        return NEAR, near
    other, meant = book.foreign.get(name, ("", ""))[0], book.own(name, parents, siblings)
    if meant and (block or several(strangers(siblings, parents, book))):
        return None
    if meant and meant not in siblings and not of_family(name, siblings, names):
        return (_FOREIGN.fill(other=other) if other else _ELSEWHERE), meant
    if meant or not own or not _is_closed(name, parents, siblings, names):
        return None
    here = [one for one in names.below.get(".".join(parents), ()) if one not in siblings]
    if alike := another_name(name, here, settings, siblings):
        return _ELSEWHERE, alike
    apart = word_apart(name, settings)
    return (NEAR, apart) if apart else None


def _is_own(name: str, parents: tuple[str, ...], siblings: frozenset[str], names: Names) -> bool:
    """Whether the framework reads the block: of a fork's part most keys are none of its own."""
    others = siblings - {name}
    known = sum(names.has((*parents, other)) for other in others)
    return not parents or len(others) < _FEW or known * 2 >= len(others)


def _is_closed(name: str, parents: tuple[str, ...], siblings: frozenset[str], names: Names) -> bool:
    """Whether no key may stand there but the framework's: nearly all others are known, and it is
    none whose arguments users' own scripts take beside theirs."""
    others = siblings - {name}
    known = sum(names.has((*parents, other)) for other in others)
    nearly = len(others) >= _FEW and known >= len(others) * _NEARLY_ALL
    framework = names.framework
    refuses = framework.unknown_key == "error" or framework.name == "axolotl"
    return nearly and refuses and framework.name not in _WITH_OTHERS


def _meaningful(candidates: Sequence[str], names: Names) -> list[str]:
    """Those that set something which every framework has: others have neighbours like them."""
    known = {normal(key.key.removeprefix("**.")).rpartition(".")[2] for key in names.framework.keys}
    return [one for one in candidates if one in known]


PROBE = Probe(
    name="config-keys",
    title=Text("keys of the configuration", "配置项名称"),
    files=("config", "python", "script"),
    without=(Skip(NEEDS_KEYS, MISSPELT),),
    tells=(MISSPELT,),
    run=run,
    wants=(RunConfig, Releases),
    seconds=0.05,
    limit_seconds=10,
)
