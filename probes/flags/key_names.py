"""What the frameworks call their configuration keys, and which of them a file's keys nearly are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Protocol, TypeVar

from medic.text.slips import digits_of

from ..manner import Manner
from .distance import only_nearest

AT_TOP, BY_BLOCK = "at-top", "by-block"
_BY_NAMES, _IN_PARTS, BLOCKS_DIFFER = "told-by-names", "in-parts", "blocks-differ"
# A file that no key tells apart is of the framework that knows nearly all of its keys.
_MIN_KEYS, _MIN_KEYS_OF_PART, _SHARE = 5, 8, 0.75
# Those that have keys of one another.
_TRAINERS = frozenset(("hf-trainer", "llama-factory", "ms-swift", "megatron-swift", "trl"))
_KIN = (
    _TRAINERS,
    frozenset(("megatron", "slime", "megatron-swift")),
    frozenset(("gpt-neox", "deepspeed")),
    frozenset(("verl", "verl-sft", "easyr1")),
    frozenset(("nemo", "nemo2")),
)
# Those that hand some of them on, and are told by names of their own.
_BORROWERS = {_TRAINERS: frozenset(("axolotl", "oumi"))}
# Of a framework whose keys are made of everybody's words one may be anybody's, too.
_OF_USUAL_WORDS = frozenset(("axolotl",))
_FEW_OWN = 2
# Names that users' own scripts have beside those of TrainingArguments.
USERS_OWN = frozenset(
    """
    max_train_steps num_warmup_steps activation_checkpointing max_seq_length block_size lora_r
    model_max_length lora_rank global_batch_tokens total_tokens max_length cutoff_len
    """.split()  # noqa: SIM905
)
# Below these lengths a name so near may well be another one.
_ONE_LETTER, _TWO_LETTERS = 5, 9
# A shorter one has an s of its own: bos, pos, los.
_SHORTEST_PLURAL = 4
# A part of a configuration stands where at least so many of its keys do.
_MIN_PART = 2
# A name of so few words may well be made of the same ones as another.
_WORDS = 3
# Of two long ones the order is not what tells a name: offload_param for param_offload.
_TURNED = 2
# The tables are large: those of the frameworks in use are kept.
_NAMES: dict[str, Names] = {}
# A block of Megatron's test configurations that holds what the command is given.
_ARGUMENTS = "model_args"


class Key(Protocol):
    @property
    def key(self) -> str: ...
    @property
    def field(self) -> str: ...
    @property
    def true_means(self) -> object: ...


class Framework(Manner, Protocol):
    @property
    def title(self) -> str: ...
    @property
    def keys(self) -> Sequence[Key]: ...
    @property
    def known(self) -> Sequence[str]: ...
    @property
    def known_below(self) -> Mapping[str, Sequence[str]]: ...
    @property
    def prefixed(self) -> Mapping[str, str]: ...
    @property
    def unknown_key(self) -> str: ...


F = TypeVar("F", bound=Framework)


class Names:
    """What a framework knows, and the ones whose keys it takes: ``leaves`` are names whatever stands
    before them, ``below`` those below a parent."""

    def __init__(self, *sources: Framework) -> None:
        self.framework, self._sources = sources[0], sources

    @cached_property
    def leaves(self) -> frozenset[str]:
        also = (_ARGUMENTS,) if self.framework.name == "megatron" else ()
        return frozenset(chain(also, *_steps(self._sources)))

    @cached_property
    def below(self) -> Mapping[str, tuple[str, ...]]:
        below: dict[str, dict[str, None]] = {}
        for steps in _steps(self._sources):
            for depth, step in enumerate(steps):
                below.setdefault(".".join(steps[:depth]), {})[step] = None
        return {parent: tuple(names) for parent, names in below.items()}

    def having(
        self, leaves: frozenset[str], below: Mapping[str, tuple[str, ...]] | None = None
    ) -> Names:
        """Those of a program that has these names instead."""
        made = Names(*self._sources)
        made.leaves = leaves
        if below is not None:
            made.below = below
        return made

    def candidates(self, parents: tuple[str, ...]) -> tuple[str, ...]:
        if self.framework.keys_stand == BY_BLOCK:
            return self.below.get(".".join(parents), ())
        return tuple(sorted(self.leaves))

    def has(self, path: tuple[str, ...]) -> bool:
        """Whether a key is one of the framework's, where its blocks are known: there."""
        if self.framework.keys_stand == BY_BLOCK:
            return path[-1] in self.below.get(".".join(path[:-1]), ())
        return path[-1] in self.leaves

    def is_elsewhere(self, name: str, parents: tuple[str, ...]) -> bool:
        """Whether a block is known and has no such key: another block has."""
        block = self.below.get(".".join(parents), ())
        return BLOCKS_DIFFER in self.framework.traits and bool(block) and name not in block

    def base(self, top: Sequence[str]) -> tuple[str, ...]:
        """Where a file with these keys at its top stands in the whole configuration."""
        if self.framework.keys_stand != BY_BLOCK or not top:
            return ()
        keys = set(top)
        counts = {parent: len(keys.intersection(names)) for parent, names in self.below.items()}
        best = max(counts, key=lambda parent: (counts[parent], -len(parent)), default="")
        whole = counts.get("", 0) * 2 >= counts.get(best, 0)
        if whole or counts[best] < _MIN_PART:
            return ()
        return tuple(best.split("."))

    def share(self, top: Sequence[str]) -> float:
        """The share of a file's top keys that are the framework's, of a part those of one block."""
        if _BY_NAMES in self.framework.traits and len(top) >= _MIN_KEYS:
            return sum(key in self.leaves for key in top) / len(top)
        if _IN_PARTS in self.framework.traits and len(top) >= _MIN_KEYS_OF_PART:
            blocks = (names for parent, names in self.below.items() if parent)
            return max(sum(key in names for key in top) for names in blocks) / len(top)
        return 0.0


def guess(
    top: Sequence[str], tables: Mapping[str, Framework], plain: Framework | None
) -> Framework | None:
    """The framework of a file with these keys at its top, that none of them tells: it knows nearly
    all of them, and has some that nobody else has. ``plain``: the names that scripts share.
    """
    likely = [name for name, one in tables.items() if _enough(one, len(top))]
    shares = {name: names_of(tables[name], tables).share(top) for name in likely}
    best = max(shares, key=lambda name: shares[name], default="")
    if not best or shares[best] < _SHARE:
        return None
    flat = tables[best].keys_stand == AT_TOP
    needed = _FEW_OWN if flat or best in _OF_USUAL_WORDS else 1
    return tables[best] if len(_own_names(top, best, tables, plain)) >= needed else None


def _own_names(
    top: Sequence[str], name: str, tables: Mapping[str, Framework], plain: Framework | None
) -> set[str]:
    """Those of the keys that only one framework and its kin have."""
    kin = next((family for family in _KIN if name in family), frozenset((name,)))
    apart = [other for other in tables if other not in kin | _BORROWERS.get(kin, frozenset())]
    others = [names_of(tables[other], tables).leaves for other in apart]
    shared = {plain_key(key) for key in plain.keys} if plain is not None else set()
    own = names_of(tables[name], tables).leaves.intersection(top) - shared
    return {key for key in own if not any(key in leaves for leaves in others)}


def _enough(framework: Framework, keys: int) -> bool:
    """Whether so many keys may tell the framework: else its names need not be collected."""
    traits = framework.traits
    return (_BY_NAMES in traits and keys >= _MIN_KEYS) or (
        _IN_PARTS in traits and keys >= _MIN_KEYS_OF_PART
    )


def normal(text: str) -> str:
    return text.lstrip("-+").replace("-", "_").lower()


def known_tables(every: Iterable[F]) -> dict[str, F]:
    """The frameworks all of whose names are known, by their own."""
    return {one.name: one for one in every if one.keys_stand}


def names_of(framework: Framework, tables: Mapping[str, Framework]) -> Names:
    """The names of a framework and of the one whose keys it takes as well."""
    kept = _NAMES.get(framework.name)
    if kept is None or kept.framework is not framework:
        also = tables.get(framework.keys_of)
        kept = _NAMES[framework.name] = Names(framework, *([also] if also is not None else []))
    return kept


def _steps(sources: Sequence[Framework]) -> Iterator[list[str]]:
    """The key paths of a framework, and of the one that it takes keys of but for users' own."""
    own, *also = sources
    yield from written(own)
    for source in also:
        lent = USERS_OWN if source.name == "hf-trainer" else frozenset()
        yield from (steps for steps in written(source) if steps[-1] not in lent)


def written(framework: Framework) -> Iterator[list[str]]:
    for text in (*(plain_key(key) for key in framework.keys), *framework.known):
        yield normal(text).split(".")
    for parent, names in framework.known_below.items():
        above = normal(parent).split(".") if parent else []
        yield from ([*above, normal(name)] for name in names)


def plain_key(key: Key) -> str:
    return key.key.removeprefix("**.")


def nearest_name(name: str, candidates: Sequence[str]) -> str:
    """The known name within a letter or two, or written in one word (NumTrainEpochs); none where
    several are equally near.
    """
    joined = [other for other in candidates if joined_word(other) == joined_word(name)]
    if len(joined) == 1 and len(name) >= _ONE_LETTER:
        return joined[0]
    if moved := moved_words(name, candidates):
        return moved
    counted = [one for one in candidates if one in (f"{name}s", name.removesuffix("s"))]
    if len(counted) == 1 and min(len(name), len(counted[0])) >= _SHORTEST_PLURAL:
        return counted[0]
    return only_nearest(name, candidates, _ONE_LETTER, _TWO_LETTERS, _same_digits) or ""


def moved_words(name: str, candidates: Sequence[str]) -> str:
    """The one known name of the same words in another order."""
    words = name.split("_")
    if len(words) < _WORDS and (len(words) < _TURNED or min(map(len, words)) < _ONE_LETTER):
        return ""
    found = [other for other in candidates if _same_words(other, words)]
    return found[0] if len(found) == 1 else ""


def _same_words(other: str, words: list[str]) -> bool:
    return len(other) == sum(map(len, words)) + len(words) - 1 and (
        sorted(other.split("_")) == sorted(words)
    )


def lost_word(name: str, candidates: Sequence[str]) -> str:
    """The one known name that has a word more somewhere inside: per_device_batch_size."""
    words = name.split("_")
    if len(words) < _WORDS:
        return ""
    found = [other for other in candidates if _has_one_more(other.split("_"), words)]
    return found[0] if len(found) == 1 else ""


def _has_one_more(long: list[str], short: list[str]) -> bool:
    inside = range(1, len(long) - 1) if len(long) == len(short) + 1 else ()
    return any(long[:i] + long[i + 1 :] == short for i in inside)


def joined_word(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _same_digits(name: str, other: str) -> bool:
    """Whether no number parts two names: beta1 is no misspelt beta2, nor is_llama4 an is_llama;
    stage_ may lack its 3."""
    lost = not digits_of(name) and min(len(name), len(other)) >= _TWO_LETTERS
    return lost or digits_of(name) == digits_of(other)
