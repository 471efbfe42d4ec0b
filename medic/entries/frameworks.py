"""How a framework states the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from medic import records
from medic.entries.words import CONFIG
from medic.i18n import Text
from medic.records import dataclass


@dataclass(frozen=True)
class Key:
    """One framework key and the canonical field that it states.

    ``per-device``/``global`` is the scope of a batch size. ``true-means`` gives the value of a
    switch that is on (``bf16: true`` means precision bf16). ``brings``: keys without which it is
    refused when it is on (above 1), and their values where nothing states them, with ``brings-for``
    only where that field is above 1. ``partly``: a switch that
    turns on less than the field says: the others of the field are written instead. ``written-with``:
    a key that is written only where this one is given, and then before the others. ``not-beside``:
    a flag of the same command with which it states nothing.
    """

    __pydantic_config__ = CONFIG
    key: str
    field: str
    scope: Literal["per-device", "global", ""] = ""
    factor: float = 1.0
    true_means: str | int | float | bool | None = None
    false_means: str | int | float | bool | None = None
    values: Mapping[str, str | int | float | bool] = records.field(default_factory=dict)
    brings: Mapping[str, str | int | float | bool] = records.field(default_factory=dict)
    brings_for: str = ""
    partly: bool = False
    written_with: str = ""
    not_beside: str = ""


@dataclass(frozen=True)
class Recognise:
    """How a file is known to be this framework's: any set of keys that must all be there, its
    name, or a flag of a command that takes such a file (``named-by``). With ``own-commands`` a
    command is told by its name alone: no script of a user's has the framework's parser.
    ``block-by``: a flag -> the block that the file it names holds."""

    __pydantic_config__ = CONFIG
    any_keys: tuple[tuple[str, ...], ...] = ()
    syntax: tuple[Literal["yaml", "json", "toml", "shell", "python"], ...] = ()
    file_names: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    named_by: tuple[str, ...] = ()
    block_by: Mapping[str, str] = records.field(default_factory=dict)
    own_commands: bool = False


@dataclass(frozen=True)
class Condition:
    """What a key has to be: within ``min`` and ``max``, none of ``unlike``, stated at all.

    All that is given has to hold. ``stated`` counts a key that is null, ``given`` one with a value.
    """

    __pydantic_config__ = CONFIG
    min: float | None = None
    max: float | None = None
    unlike: tuple[str | int | float | bool, ...] = ()
    stated: bool | None = None
    given: bool | None = None


@dataclass(frozen=True)
class RuleFix:
    """The one right repair of what a rule finds; a rule of which two are equally right has none.

    Keys are named as in ``where``. ``rename``: key -> its name now, or its path now, to which the
    value moves. ``set``: key -> value, added beside the rule's first key where it is not stated.
    ``words``: key -> what is written -> what it is called. ``safe``: the run stays what it is, or
    becomes what is written; an unsafe one is a choice that the user has to confirm.
    """

    __pydantic_config__ = CONFIG
    rename: Mapping[str, str] = records.field(default_factory=dict)
    set: Mapping[str, str | int | float | bool | None] = records.field(default_factory=dict)
    words: Mapping[str, Mapping[str, str | int | float | bool]] = records.field(
        default_factory=dict
    )
    remove: tuple[str, ...] = ()
    safe: bool = False


@dataclass(frozen=True)
class Rule:
    """Settings that the framework refuses, ignores or reads otherwise than they look.

    ``where`` names keys by the ending of their path, or canonical fields, with a value, several
    values of which any counts, or a condition; the rule holds where all of them do. A canonical
    field has its default where nothing states it; its name with dashes (``warmup-steps``) is only
    the key. A list counts as its values, joined by spaces. The rule is a finding of the lint
    check ``cause``, at the first key of ``where`` that is stated. ``holds-in`` bounds it by version
    (``transformers: ">=5.0"``): it is left out where every version that may run lies outside.
    ``only-in`` does so too, and leaves it out where the version is not known. Of one that is
    ``mild`` the run is the same without the setting: it is told, and stops no launch.
    """

    __pydantic_config__ = CONFIG
    name: str
    cause: str
    where: Mapping[str, str | int | float | bool | tuple[str | int | float | bool, ...] | Condition]
    say: Text
    source: str
    fix: RuleFix | None = None
    holds_in: Mapping[str, str] = records.field(default_factory=dict)
    only_in: Mapping[str, str] = records.field(default_factory=dict)
    mild: bool = False


@dataclass(frozen=True)
class Fork:
    """A fork of the framework, or releases of its own, with names that the entry does not have.

    ``signs``: names that nothing else has: one in a command or file shows it. ``folders`` and
    ``programs`` show it too: a folder in the path of the program or of the script, and the ending of
    the program's path. ``known``: further names, ``switches`` those of its names that take no value.
    ``underscores``: its parser has the framework's names with underscores for dashes. ``holds-in``
    bounds releases by version, as that of a rule.
    """

    __pydantic_config__ = CONFIG
    title: Text
    source: str
    signs: tuple[str, ...]
    known: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    underscores: bool = False
    holds_in: Mapping[str, str] = records.field(default_factory=dict)


@dataclass(frozen=True)
class Framework:
    """How a framework states the run.

    A ``key`` of ``keys`` and ``recognise`` is a dotted path from the root of the file; ``**.x.y``
    is any path that ends so. ``-`` and ``_`` are the same, and a flag ``--a-b`` or ``--a.b`` is the
    path ``a.b``. ``role`` says what the file describes: the training, its engine (DeepSpeed), its
    launcher, or only the model. With ``unknown-key: free`` the names of ``plain`` count as well.
    ``builds-on`` names frameworks whose arguments it takes: their rules hold for it too, but for
    those of renamed arguments, since it needs a version of its own of them. ``choices``: the ending
    of a key's path -> the words that it takes; with "..." at the end there are further ones,
    of a key that ``whole`` names only in releases to come: no other word is taken by a known one.
    ``exact``: endings of keys of whose words, as ``choices`` or a rule names them, the case counts.
    ``beside``: flags of well-known scripts that take its arguments, and more. ``types``: what a
    value of JSON or TOML has to be -> the endings of keys. Of a ``number`` or ``switch`` no text is
    converted, of a ``converted-…`` one it is; ``block``: keys in braces. ``reads``: what its loader does with any
    value: ``typed-flags`` makes a number of a flag's text, and float("None") is none;
    ``as-written`` takes a file's numbers as they are, so that 4.0 is no whole one;
    ``whole-warmup`` counts warmup in whole steps. ``prefixed``: what stands before the name of each
    key of a block -> the block. ``overrides``: how a command sets keys of its configuration:
    ``hydra`` (``a.b=1``, ``+`` adds one), ``omegaconf`` (``a.b=1``, an unknown one is added without a
    word), ``flags`` (``--a.b=1``, behind the file). ``traits``: ``task-per-device`` wants a task of Slurm
    for each, ``leaves-exceptions`` to Python, ``words-for-switches`` stand behind flags
    (``--bf16 True``); it is ``told-by-names`` where a file has nearly only its keys, by those of one block
    where it keeps its configuration ``in-parts``; where ``blocks-differ`` a name of one block is no name
    of the next; it ``takes-dashes`` for underscores. ``keys-stand``: ``at-top`` of a file, ``in-blocks``,
    or ``by-block``, each known with its block; "" where not all names are known. ``keys-of``: whose keys
    it takes as well. ``hands-on`` names frameworks to which blocks go as they are. ``nearly``: a
    canonical field that no key states -> the key nearest to it. ``refuses``: blocks ("" is the top) whose
    keys are all in the entry, of every known release, and in which the framework stops at any other;
    not in a file with one of ``opened_by``, which brings keys of its own. ``takes``: a block that goes
    to one function as it is -> all keys that this takes; " if key=word|word" behind its name: where
    that key says so; with "..." there are further ones, and only slips are told. ``positional``: a command ->
    the key that the first word behind it states (``vllm serve MODEL``). ``forks``: what takes its
    names and others beside them.
    """

    __pydantic_config__ = CONFIG
    name: str
    title: str
    recognise: Recognise
    keys: Sequence[Key]
    role: Literal["trainer", "engine", "launcher", "model"] = "trainer"
    defaults: Mapping[str, str | int | float | bool] = records.field(default_factory=dict)
    yaml_floats: Literal["yaml-1.1", "yaml-1.2"] = "yaml-1.1"
    unknown_key: Literal["error", "ignored", "free"] = "free"
    auto_words: tuple[str, ...] = ()
    known: Sequence[str] = ()  # keys that exist but state no canonical field
    known_below: Mapping[str, tuple[str, ...]] = records.field(
        default_factory=dict
    )  # the same by parent
    switches: Sequence[str] = ()  # flags that take no value
    valued: Sequence[str] = ()  # flags that do not go without a value
    choices: Mapping[str, tuple[str, ...]] = records.field(default_factory=dict)
    exact: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    rules: Sequence[Rule] = ()
    builds_on: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    dataclasses: tuple[str, ...] = ()  # classes whose fields a script's parser takes for flags
    types: Mapping[
        Literal[
            "number", "switch", "block", "converted-number", "converted-whole", "converted-switch"
        ],
        tuple[str, ...],
    ] = records.field(default_factory=dict)
    reads: tuple[Literal["typed-flags", "as-written", "whole-warmup"], ...] = ()
    prefixed: Mapping[str, str] = records.field(default_factory=dict)
    overrides: Literal["hydra", "omegaconf", "flags", ""] = ""
    keys_stand: Literal["at-top", "in-blocks", "by-block", ""] = ""
    keys_of: str = ""
    traits: tuple[
        Literal[
            "task-per-device",
            "leaves-exceptions",
            "words-for-switches",
            "told-by-names",
            "in-parts",
            "blocks-differ",
            "takes-dashes",
        ],
        ...,
    ] = ()
    hands_on: tuple[str, ...] = ()
    nearly: Mapping[str, str] = records.field(default_factory=dict)
    refuses: tuple[str, ...] = ()
    opened_by: tuple[str, ...] = ()
    takes: Mapping[str, tuple[str, ...]] = records.field(default_factory=dict)
    positional: Mapping[str, str] = records.field(default_factory=dict)
    forks: Sequence[Fork] = ()
