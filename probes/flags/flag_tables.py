"""What a framework knows of the flags of one program."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from medic.facts import Launch
from medic.records import dataclass, field, replace
from medic.run_config import FIELDS, PLAIN

from .families import PROOF, PROOF_FOREIGN, SWITCHES
from .forks import Shown
from .key_names import AT_TOP, BY_BLOCK, USERS_OWN, Names, names_of, normal
from .key_names import Framework as Keyed
from .meanings import foreign_names, meanings, meant_in, times_named, words_of_names
from .own_programs import is_closed
from .program_lacks import lacks
from .shared_values import is_amount_or_place, shared_values

# What a script of TrainingArguments has no second name for.
_ARGUMENTS = frozenset(
    (
        "micro_batch_size",
        "gradient_accumulation_steps",
        "learning_rate",
        "epochs",
        "weight_decay",
        "gradient_clip",
        "total_steps",
        "warmup_ratio",
        "warmup_steps",
        "save_interval",
        "log_interval",
        "eval_interval",
    )
)
# Names of scripts with a loop of their own: one that parses TrainingArguments has other ones.
_LOOPS = {"max_train_steps": "max_steps", "num_warmup_steps": "warmup_steps"}
_DASHES = frozenset(("megatron", "slime"))
# Whose flags need a value as well, and are no flags of the framework's own rules.
_BESIDE = {"ms-swift": ("hf-trainer",), "megatron-swift": ("ms-swift",)}
# Programs that take words like a.b=1, and those whose first word is a file.
_OVERRIDDEN = frozenset(
    ("verl", "verl-sft", "easyr1", "nemo", "nemo2", "torchtune", "olmo", "torchtitan")
)
_FILES = frozenset(("axolotl",))
# Those of click and tyro want whole names, and so does argparse with allow_abbrev=False
# (Megatron-LM megatron/training/arguments.py, whose parser slime extends).
_WHOLE = frozenset(("axolotl", "torchtitan", "megatron", "slime"))
# Whose flags are judged in a script that has others beside, as of those without blocks; of any
# other's only what is plain.
_JUDGED = _DASHES | {PLAIN}
_LONG = 9
# Settings that no parser takes for switches.
_WORDS = frozenset(("output_dir", "base_model", "optimizer", "lr_schedule"))
# Texts of the dataclasses that scripts beside TrainingArguments have.
_TEXTS = frozenset(("data_path", "image_folder", "eval_data_path"))
_BOOLEANS = frozenset(("true", "false"))


class Framework(Keyed, Protocol):
    @property
    def builds_on(self) -> Sequence[str]: ...
    @property
    def switches(self) -> Sequence[str]: ...
    @property
    def valued(self) -> Sequence[str]: ...
    @property
    def choices(self) -> Mapping[str, Sequence[str]]: ...
    @property
    def beside(self) -> Sequence[str]: ...
    @property
    def dataclasses(self) -> Sequence[str]: ...
    @property
    def types(self) -> Mapping[str, Sequence[str]]: ...


@dataclass(frozen=True)
class Table:
    """What a framework knows, for one program: ``closed`` if it has no flags but these."""

    framework: Framework
    names: Names
    closed: bool
    valued: frozenset[str]
    switches: frozenset[str]
    kinds: frozenset[str]  # all of them, and flags of well-known scripts beside
    foreign: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    words: frozenset[str] = frozenset()
    meanings: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    shared: frozenset[str] = frozenset()  # names that take a value in any program
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    times: Mapping[str, int] = field(default_factory=dict)  # how many frameworks have a name
    own: frozenset[str] = frozenset()  # of the script's parser, where its source is at hand
    lacks: Mapping[str, str] = field(default_factory=dict)  # name of a sister program -> its own
    fork: Shown | None = None  # which the command is written for, or older releases
    underscored: bool = False  # whether that has underscores where the framework has dashes

    @property
    def dotted(self) -> bool:
        return self.framework.keys_stand == BY_BLOCK

    @property
    def dashes(self) -> bool:
        """Whether the parser takes names with dashes only."""
        return self.framework.name in _DASHES and not self.underscored

    @property
    def overridden(self) -> bool:
        return self.framework.name in _OVERRIDDEN

    @property
    def files(self) -> bool:
        return self.framework.name in _FILES

    @property
    def abbreviates(self) -> bool:
        """Whether the parser takes the beginning of a name for the whole (argparse)."""
        return self.framework.name not in _WHOLE

    @property
    def loops(self) -> bool:
        """Whether the script has a training loop of its own."""
        return self.framework.name == "loop-scripts"

    @property
    def _trains(self) -> bool:
        return not self.closed and self.framework.name == "hf-trainer"

    @property
    def judged(self) -> bool:
        return self.framework.keys_stand == AT_TOP or self.framework.name in _JUDGED

    def knows(self, name: str, proof: int = 0) -> bool:
        plain = normal(name)
        if plain in self.lacks:
            return False
        if proof >= PROOF_FOREIGN and plain in _LOOPS and self._trains:
            return False
        above, _, leaf = plain.rpartition(".")
        if plain in self.kinds or (not above and plain in self._flat):
            return True
        below = self.names.below.get(above, ()) if above or self.dotted else ()
        return leaf in below or self._free(above)

    def is_long(self, name: str) -> bool:
        """Whether a name is long enough to be no word of a user's."""
        return len(name) >= _LONG

    def taken(self, name: str) -> Sequence[str]:
        """The words that an option is known to take."""
        return [word for word in self.choices.get(name, ()) if word != "..."]

    def needs_value(self, name: str) -> bool:
        return name in self.valued

    def wants_value(self, name: str, proof: int) -> bool:
        """Whether a flag that stands alone lacks its value. Of a program that is not shown to have
        the framework's parser only the names that take one everywhere are sure.
        """
        shown = self.closed or self.dashes or self.loops or self._trains
        return (
            name in self.shared
            or (self._trains and proof >= PROOF_FOREIGN and name in _TEXTS)
            or (name not in self.own and is_amount_or_place(name))
            or (shown and proof >= PROOF and name in self.valued)
        )

    def plural_of(self, name: str) -> str:
        """The known name that lacks the s of another: it takes one value, or is a switch."""
        one = name[:-1] if name.endswith("s") else ""
        return one if one in self.valued | self.switches | SWITCHES else ""

    def is_word(self, word: str) -> bool:
        """Whether it is a word that names of any framework are made of."""
        return word in self.words

    def meant_by(self, name: str) -> str:
        """What the framework calls a setting that has another framework's name; "" if unsure."""
        if name in _LOOPS and self._trains:
            return _LOOPS[name]
        if name in self.lacks:
            return self.lacks[name]
        above, _, leaf = name.rpartition(".")
        if not above:
            found = self.foreign.get(leaf, ("", ""))[1]
            return meant_in(self.names, found, (), self.meanings) if found else ""
        found = self.meanings.get(leaf, ("", ""))[1]
        parents = tuple(above.split("."))
        own = meant_in(self.names, found, parents, self.meanings) if found else ""
        own = own or (self._shorter(above, leaf) if found else "")
        return f"{above}.{own}" if own else ""

    def _shorter(self, above: str, leaf: str) -> str:
        """The one name of a block that is a part of another framework's name."""
        words = set(leaf.split("_"))
        found = [one for one in self.names.below.get(above, ()) if set(one.split("_")) < words]
        return found[0] if len(found) == 1 else ""

    def _free(self, above: str) -> bool:
        """Whether a block is not known, or holds what the user names."""
        return bool(above) and not self.names.below.get(above)

    def near(self, name: str) -> list[str]:
        """Names that a name could be a slip of, in the same block."""
        return self._beside(normal(name).rpartition(".")[0])

    def _beside(self, above: str) -> list[str]:
        if above in self._kept:
            return self._kept[above]
        same = self.names.below.get(above, ()) if above else self.names.candidates(())
        full = {f"{above}.{one}" if above else one for one in same}
        more = {n for n in self.kinds if n.rpartition(".")[0] == above}
        self._kept[above] = found = sorted(full | more)
        return found

    @cached_property
    def _flat(self) -> Collection[str]:
        """Names without a block: OpenRLHF has flags with one and without, no last step alone."""
        top = self.names.below.get("", ())
        return (
            frozenset(top)
            if self.closed and self.framework.name == "openrlhf"
            else self.names.leaves
        )

    @cached_property
    def _kept(self) -> dict[str, list[str]]:
        """The names of each block, made when one is asked for."""
        return {}

    @cached_property
    def spelt(self) -> frozenset[str]:
        """Flags as the framework's parser spells them."""
        return frozenset((*self.framework.switches, *self.framework.valued))


def for_fork(table: Table, fork: Shown | None) -> Table:
    """The table with the names of the fork that a command is written for."""
    if fork is None:
        return table
    valued = table.valued - fork.switches
    return replace(table, fork=fork, kinds=table.kinds | fork.names, valued=valued)


def _valued(framework: Framework) -> Iterator[str]:
    """Names that need a value by what they set: a number, a path, one of some words."""
    for name, words in framework.choices.items():
        if _BOOLEANS.isdisjoint(words):
            yield normal(name)
    for key in framework.keys:
        kind = FIELDS[key.field][0] if key.field in FIELDS else None
        if (kind in (int, float) or key.field in _WORDS) and key.true_means is None:
            yield normal(key.key.removeprefix("**."))


def table_of(
    launch: Launch,
    framework: Framework,
    every: Sequence[Framework],
    tables: Mapping[str, Framework],
) -> Table:
    closed = is_closed(launch, framework.name)
    names = names_of(framework, tables)
    if closed and framework.keys_stand == AT_TOP:
        own = {normal(k.key.removeprefix("**.")) for k in framework.keys}
        lent = USERS_OWN - own - {normal(n) for n in framework.known}
        names = names.having(names.leaves - lent)
    beside = (*framework.builds_on, *_BESIDE.get(framework.name, ()))
    bases = [tables[name] for name in beside if name in tables]
    given = [w.text.lstrip("-").partition("=")[0] for w in launch.arguments if w.text[:2] == "--"]
    known, whole = foreign_names(framework, every, names), closed or framework.name in _DASHES
    sources = (framework, *bases)
    listed = frozenset(normal(n) for one in sources for n in one.valued)
    switches = frozenset(normal(n) for n in framework.switches)
    return Table(
        framework,
        names,
        closed,
        listed.union(*(_valued(one) for one in sources)),
        switches,
        listed | switches | frozenset(normal(n) for n in framework.beside),
        known if whole else {n: (o, f) for n, (o, f) in known.items() if f in _ARGUMENTS},
        words_of_names(every),
        meanings(every),
        shared_values(every),
        {normal(n).rpartition(".")[2]: w for one in sources for n, w in one.choices.items()},
        times_named(every),
        lacks=lacks(launch, framework.name, given),
    )
