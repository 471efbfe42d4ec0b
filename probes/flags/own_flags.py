"""Flags of a framework's own program against the names that the framework has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Protocol

from medic.facts import Launch, Word
from medic.records import dataclass

from .distance import digits_of, letters_apart
from .key_names import DOTTED, FLAT, Names, foreign_names, names_of, normal, own_name
from .key_names import Framework as Keyed
from .launchers import FRAMEWORKS
from .match import boolean
from .suspects import script_parts

_FLAG = re.compile(r"^--([A-Za-z][\w.-]*)(?:=(.*))?$", re.DOTALL)
# Programs whose flags are all the framework's; a user's own script has flags of its own beside.
# Some go by names that other projects use as well: those count where the flags agree.
_PROGRAMS = {
    "openrlhf": re.compile(r"(?:^|/)openrlhf/cli/\w+\.py$"),
    "llama-factory": re.compile(r"(?:^|/)llamafactory/\w+\.py$"),
    "ms-swift": re.compile(r"(?:^|/)swift/cli/\w+\.py$"),
}
_LIKELY = {
    "megatron": re.compile(r"(?:^|/)pretrain_(?:gpt|bert|t5|llama|vlm|ict|retro|mamba)\w*\.py$"),
    "openrlhf": re.compile(r"(?:^|/)train_(?:ppo(?:_ray)?|sft|dpo|rm|kto|kd|prm)\.py$"),
    "llama-factory": re.compile(r"(?:^|/)(?:train_bash|src/train)\.py$"),
}
_LAUNCHED = {
    "llamafactory-cli": "llama-factory",
    "lmf": "llama-factory",
    "swift": "ms-swift",
    "trl": "trl",
}
# argparse takes the dashes of a name as they are; the parser of transformers takes both.
_DASHES, _UNDERSCORES = frozenset(("megatron",)), frozenset(("openrlhf",))
# Shorter names a letter away from one another may well both be meant.
_SHORTEST = 7


class Framework(Keyed, Protocol):
    @property
    def builds_on(self) -> Sequence[str]: ...
    @property
    def switches(self) -> Sequence[str]: ...
    @property
    def valued(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class Given:
    """A flag of a command: its name as written, its place, and the word behind it."""

    name: str
    word: Word
    value: str | None = None  # known only where it is glued on, or one plain word
    alone: bool = False  # another flag follows, or nothing
    glued: bool = False


@dataclass(frozen=True)
class Fault:
    """``kind``: unknown (``meant`` is the right name), switch (with ``value``), empty, misplaced
    (before the script, an option of the script ``meant``).
    """

    kind: str
    given: Given
    meant: str = ""
    value: str = ""


# Names that users' own scripts have beside those of TrainingArguments.
_USERS_OWN = frozenset(
    """
    max_train_steps num_warmup_steps activation_checkpointing max_seq_length block_size lora_r
    model_max_length lora_rank global_batch_tokens total_tokens max_length
    """.split()  # noqa: SIM905
)
# Flags that hardly anything but TrainingArguments has: so many of them, and the script parses
# with it. Another framework's name takes more of them than a slip of the fingers.
_TRAINERS_OWN = frozenset(
    """
    save_strategy evaluation_strategy eval_strategy save_total_limit report_to logging_strategy
    load_best_model_at_end ddp_find_unused_parameters remove_unused_columns group_by_length
    dataloader_num_workers ddp_timeout tf32 save_only_model logging_first_step logging_steps
    save_steps eval_steps do_eval do_predict per_device_eval_batch_size
    """.split()  # noqa: SIM905
)
_PROOF, _PROOF_FOREIGN = 2, 3
_MANY = 10  # flags that only Megatron-LM has together
# What a script of TrainingArguments has no second name for.
_ARGUMENTS = frozenset(
    ("micro_batch_size", "gradient_accumulation_steps", "learning_rate", "epochs", "weight_decay")
)


@dataclass(frozen=True)
class Table:
    """What a framework knows, for one program: ``closed`` if it has no flags but these."""

    framework: Framework
    names: Names
    closed: bool
    valued: frozenset[str]
    switches: frozenset[str]
    foreign: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def dotted(self) -> bool:
        return self.framework.name in DOTTED

    def knows(self, name: str) -> bool:
        plain = normal(name)
        above, _, leaf = plain.rpartition(".")
        if plain in self._kinds or (not above and plain in self.names.leaves):
            return True
        below = self.names.below.get(above, ()) if above or self.dotted else ()
        return leaf in below or self._free(above)

    def _free(self, above: str) -> bool:
        """Whether a block is not known, or holds what the user names."""
        return bool(above) and not self.names.below.get(above)

    @property
    def _kinds(self) -> frozenset[str]:
        return self.valued | self.switches

    def near(self, name: str) -> list[str]:
        """Names that a name could be a slip of, in the same block."""
        above = normal(name).rpartition(".")[0]
        same = self.names.below.get(above, ()) if above else self.names.candidates(())
        full = {f"{above}.{one}" if above else one for one in same}
        return sorted(full | {n for n in self._kinds if n.rpartition(".")[0] == above})


def program_of(launch: Launch) -> str:
    """The framework whose own program a launch starts, by its name alone."""
    if launch.launcher in _LAUNCHED:
        return _LAUNCHED[launch.launcher]
    path = _path(launch)
    return next((name for name, known in _PROGRAMS.items() if known.search(path)), "")


def _path(launch: Launch) -> str:
    parts, script = script_parts(launch), launch.script
    return "/".join(parts) or (script.raw.strip("\"'") if script is not None else "")


def _is_closed(launch: Launch, name: str) -> bool:
    likely = _LIKELY.get(name)
    sure = launch.launcher in FRAMEWORKS or program_of(launch) == name
    return sure or (likely is not None and likely.search(_path(launch)) is not None)


def table_of(
    launch: Launch,
    framework: Framework,
    every: Sequence[Framework],
    tables: Mapping[str, Framework],
) -> Table:
    closed = _is_closed(launch, framework.name)
    names = names_of(framework, tables)
    if closed and framework.name in FLAT:
        own = {normal(k.key.removeprefix("**.")) for k in framework.keys}
        lent = _USERS_OWN - own - {normal(n) for n in framework.known}
        names = replace(names, leaves=names.leaves - lent)
    beside = (*framework.builds_on, *(("hf-trainer",) if framework.name == "ms-swift" else ()))
    bases = [tables[name] for name in beside if name in tables]
    known = foreign_names(framework, every, names)
    return Table(
        framework,
        names,
        closed,
        frozenset(normal(n) for one in (framework, *bases) for n in one.valued),
        frozenset(normal(n) for n in framework.switches),
        known if closed else {n: (o, f) for n, (o, f) in known.items() if f in _ARGUMENTS},
    )


def given_flags(words: Sequence[Word]) -> Iterator[Given]:
    for at, word in enumerate(words):
        match = _FLAG.match(word.raw if word.value is None else word.value)
        if match is None:
            continue
        if match[2] is not None:
            yield Given(match[1], word, match[2], glued=True)
            continue
        if word.value is None:
            continue
        after = words[at + 1] if at + 1 < len(words) else None
        beyond = words[at + 2] if at + 2 < len(words) else None
        alone = after is None or (after.value is not None and _FLAG.match(after.value) is not None)
        single = beyond is None or beyond.value is None or beyond.value.startswith("-")
        value = after.value if after is not None and not alone and single else None
        yield Given(match[1], word, value, alone=alone)


def faults(words: Sequence[Word], table: Table) -> Iterator[Fault]:
    """What is wrong with the flags; nothing of a flag that could be the user's own."""
    flags = list(given_flags(words))
    used = {normal(one.name) for one in flags}
    proof = _PROOF_FOREIGN if table.closed else _proof(used, table)
    for one in flags:
        name = normal(one.name)
        meant = _meant(one.name, table, used, proof=proof)
        if meant:
            yield Fault("unknown", one, "--" + meant)
        elif one.alone and name in table.valued:
            yield Fault("empty", one)
        elif table.closed and name in table.switches and one.value and _says(one):
            yield Fault("switch", one, value=one.value)


def _proof(used: set[str], table: Table) -> int:
    """How sure it is that a script of its own parses with the framework's parser."""
    if table.framework.name in _DASHES:
        return _PROOF if sum(table.knows(name) for name in used) >= _MANY else 0
    return len(used & _TRAINERS_OWN)


def _says(one: Given) -> bool:
    return boolean(one.value or "") is not None and (one.value or "") not in ("0", "1")


def _meant(name: str, table: Table, used: set[str], *, proof: int) -> str:
    if table.knows(name):
        return _respelt(name, table) if table.closed else ""
    if proof < _PROOF or (table.framework.name not in FLAT | _DASHES and not table.closed):
        return ""
    closed = table.closed
    near = _slip(normal(name), table.near(name) if closed else _apart(name, table, used), closed)
    if near or proof < _PROOF_FOREIGN:
        return _spelt(near, name, table)
    setting = table.foreign.get(normal(name), ("", ""))[1]
    meant = own_name(table.framework, setting, ()) if setting else ""
    return _spelt(meant, name, table) if meant and meant not in used else ""


def _respelt(name: str, table: Table) -> str:
    """A known name whose dashes the parser does not take so."""
    known = {*table.framework.switches, *table.framework.valued}
    kind = table.framework.name
    if name in known or name.startswith("deepspeed"):
        return ""
    if kind in _DASHES and "_" in name and name.replace("_", "-") in known:
        return name.replace("_", "-")
    if kind in _UNDERSCORES and "-" in name and name.replace("-", "_") in known:
        return name.replace("-", "_")
    return ""


def _spelt(name: str, written: str, table: Table) -> str:
    dashes = table.framework.name in _DASHES or ("-" in written and "_" not in written)
    return name.replace("_", "-") if dashes else name


def _apart(name: str, table: Table, used: set[str]) -> list[str]:
    """Names that a flag of a user's own script is hardly a variant of: val is not eval."""
    return [n for n in table.near(name) if n not in used and n[:1] == normal(name)[:1]]


def _slip(name: str, others: Sequence[str], closed: bool) -> str:
    """The only name that is one letter away. The beginning of a name stands for it (argparse), and
    one with an s more or less may be another's."""
    leaf = name.rpartition(".")[2]
    if len(leaf) < _SHORTEST or any(other.startswith(name) for other in others):
        return ""
    found = [
        other
        for other in others
        if letters_apart(name, other, 1)
        and digits_of(name) == digits_of(other)
        and (closed or name != other + "s")
    ]
    return found[0] if len(found) == 1 else ""
