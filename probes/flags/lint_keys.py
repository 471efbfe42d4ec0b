"""The probe of configuration keys that their framework does not know, but almost does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from medic.errors import Unreadable
from medic.facts import GivenFile, Node, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.run_config import RunConfig

from .distance import letters_apart

MISSPELT = "misspelt-config-key"
NEEDS_KEYS = Text("a configuration whose framework's keys are known", "键名已知的框架的配置文件")

# Frameworks whose keys stand at the top of the file, and those that have blocks of keys.
_FLAT = frozenset(("llama-factory", "ms-swift", "trl", "hf-trainer"))
_NESTED = frozenset(
    ("axolotl", "gpt-neox", "deepspeed", "torchtune", "litgpt", "accelerate", "openrlhf")
)
# Of these the block of every key is known.
_DOTTED = frozenset(("torchtune", "openrlhf"))
# Frameworks that take the keys of another one as well.
_ALSO = {
    "llama-factory": "hf-trainer",
    "ms-swift": "hf-trainer",
    "trl": "hf-trainer",
    "gpt-neox": "deepspeed",
}
# A file that no key tells apart is of the framework that knows nearly all of its keys.
_MIN_KEYS, _SHARE = 5, 0.75
# Below these lengths a name so near may well be another one.
_ONE_LETTER, _TWO_LETTERS = 5, 9
# Settings whose other names are no other setting's.
_SYNONYMS = frozenset(
    (
        "micro_batch_size",
        "gradient_accumulation_steps",
        "learning_rate",
        "warmup_steps",
        "warmup_ratio",
        "weight_decay",
        "sequence_length",
        "epochs",
        "total_steps",
        "gradient_clip",
        "lr_schedule",
        "lora_rank",
    )
)
_MAX_DEPTH = 6
_PLAIN = "plain"

_NEAR = Text(
    "{framework} has no key {key}; {meant} is meant", "{framework} 没有 {key} 这个键，应为 {meant}"
)
_FOREIGN = Text(
    "{framework} has no key {key}, it is {other}'s name; here it is {meant}",
    "{framework} 没有 {key} 这个键（那是 {other} 的叫法），这里应写 {meant}",
)


class _Key(Protocol):
    @property
    def key(self) -> str: ...
    @property
    def field(self) -> str: ...


class _Framework(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def keys(self) -> Sequence[_Key]: ...
    @property
    def known(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class _Names:
    """What a framework knows: names whatever stands before them, and names below a parent."""

    framework: _Framework
    leaves: frozenset[str]
    below: Mapping[str, tuple[str, ...]]

    def candidates(self, parents: tuple[str, ...]) -> tuple[str, ...]:
        if self.framework.name in _DOTTED:
            return self.below.get(".".join(parents), ())
        return tuple(sorted(self.leaves))


def run(look: Look) -> Iterator[Finding | Skip]:
    config = look.fact(RunConfig) if look.has(RunConfig) else RunConfig()
    speaks = {
        s.origin.span.file: s.origin.framework
        for s in config.settings
        if s.origin.span is not None and s.origin.syntax in ("yaml", "json", "toml")
    }
    tables = {f.name: f for f in look.frameworks if f.name in _FLAT | _NESTED}
    read = fired = False
    for given in look.files("config"):
        root = _root(look, given)
        framework = tables.get(speaks.get(given.path, "")) if root is not None else None
        if root is not None and framework is None and speaks.get(given.path, _PLAIN) == _PLAIN:
            framework = _guess(root, tables)
        if root is None or framework is None:
            continue
        read = True
        for finding in _of_file(given, root, framework, look.frameworks, tables):
            fired = True
            yield finding
    if not fired:
        yield Finding(MISSPELT, "passes") if read else Skip(needs=NEEDS_KEYS, check=MISSPELT)


def _root(look: Look, given: GivenFile) -> Node | None:
    try:
        return look.parse(given.path).root
    except Unreadable:
        return None


def _guess(root: Node, tables: Mapping[str, _Framework]) -> _Framework | None:
    keys = [_spelt(key) for key, _ in root.items]
    if len(keys) < _MIN_KEYS:
        return None
    shares = {}
    for name, one in tables.items():
        leaves = _names(one, tables).leaves
        shares[name] = sum(key in leaves for key in keys) / len(keys)
    best = max(shares, key=lambda name: shares[name], default="")
    return tables[best] if best and shares[best] >= _SHARE else None


def _of_file(
    given: GivenFile,
    root: Node,
    framework: _Framework,
    every: Sequence[_Framework],
    tables: Mapping[str, _Framework],
) -> Iterator[Finding]:
    names = _names(framework, tables)
    foreign = _foreign(framework, every, names)
    for parents, key, siblings in _keys(root, (), names, flat=framework.name in _FLAT):
        name = _spelt(key)
        dashes = "-" in key.raw and "_" not in key.raw
        what = _meant(name, parents, siblings, names, foreign, dashes=dashes)
        if what is not None:
            value = {"what": what.fill(framework=framework.title, key=str(key.value))}
            source = Source(given.name, key.span.line, text=key.raw)
            yield Finding(MISSPELT, "fires", value, source, span=key.span)


def _spelt(key: Node) -> str:
    text = key.raw if key.value is None else str(key.value)
    return _normal(text)


def _normal(text: str) -> str:
    return text.lstrip("-").replace("-", "_").lower()


def _keys(
    node: Node, parents: tuple[str, ...], names: _Names, *, flat: bool
) -> Iterator[tuple[tuple[str, ...], Node, frozenset[str]]]:
    """(parents, key, its siblings) of every key whose parents are known to the framework."""
    siblings = frozenset(_spelt(key) for key, _ in node.items)
    for key, value in node.items:
        name = _spelt(key)
        yield parents, key, siblings
        if (
            not flat
            and value.kind == "mapping"
            and name in names.leaves
            and len(parents) < _MAX_DEPTH
        ):
            yield from _keys(value, (*parents, name), names, flat=flat)


def _names(framework: _Framework, tables: Mapping[str, _Framework]) -> _Names:
    sources = [framework]
    if (also := _ALSO.get(framework.name, "")) in tables:
        sources.append(tables[also])
    leaves: set[str] = set()
    below: dict[str, dict[str, None]] = {}
    for source in sources:
        written = (*(k.key.removeprefix("**.") for k in source.keys), *source.known)
        for text in written:
            steps = _normal(text).split(".")
            leaves.update(steps)
            for depth, step in enumerate(steps):
                below.setdefault(".".join(steps[:depth]), {})[step] = None
    return _Names(framework, frozenset(leaves), {p: tuple(n) for p, n in below.items()})


def _foreign(
    framework: _Framework, every: Sequence[_Framework], names: _Names
) -> Mapping[str, tuple[str, str]]:
    """name -> (framework that calls it so, this framework's name), where that is beyond doubt."""
    if framework.name not in _FLAT | {"axolotl", "gpt-neox"}:
        return {}
    own: dict[str, str] = {}
    for key in framework.keys:
        if "." not in key.key.removeprefix("**."):
            own.setdefault(key.field, key.key.removeprefix("**."))
    found: dict[str, set[str]] = {}
    told: dict[str, str] = {}
    for other in every:
        for key in other.keys:
            name = _normal(key.key.removeprefix("**."))
            if "." not in name and name not in names.leaves:
                found.setdefault(name, set()).add(key.field)
                told.setdefault(name, other.title)
    return {
        name: (told[name], own[field])
        for name, fields in found.items()
        if len(fields) == 1 and (field := next(iter(fields))) in _SYNONYMS and field in own
    }


def _meant(
    name: str,
    parents: tuple[str, ...],
    siblings: frozenset[str],
    names: _Names,
    foreign: Mapping[str, tuple[str, str]],
    *,
    dashes: bool = False,
) -> Text | None:
    """What is wrong with a key; None for one that is known, or like none that is."""
    if name in names.leaves:
        return None
    near = _near(name, [n for n in names.candidates(parents) if n not in siblings])
    if near:
        return _NEAR.fill(meant=near.replace("_", "-") if dashes else near)
    if name in foreign and not parents and _normal(foreign[name][1]) not in siblings:
        other, meant = foreign[name]
        return _FOREIGN.fill(other=other, meant=meant)
    return None


def _near(name: str, candidates: Sequence[str]) -> str:
    """The known name within a letter or two; none where several are equally near."""
    found: dict[int, list[str]] = {}
    for other in candidates:
        short = min(len(name), len(other))
        limit = 2 if short >= _TWO_LETTERS else 1 if short >= _ONE_LETTER else 0
        apart = letters_apart(name, other, limit) if limit else None
        if apart and _digits(name) == _digits(other):
            found.setdefault(apart, []).append(other)
    best = found[min(found)] if found else []
    return best[0] if len(best) == 1 else ""


def _digits(name: str) -> str:
    return "".join(c for c in name if c.isdigit())


PROBE = Probe(
    name="config-keys",
    tells=(MISSPELT,),
    run=run,
    wants=(RunConfig,),
    seconds=0.05,
    limit_seconds=10,
)
