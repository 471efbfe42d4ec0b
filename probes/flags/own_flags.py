"""Flags of a framework's own program against the names that the framework has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from medic.facts import Word
from medic.patterns import regex
from medic.records import dataclass

from .distance import digits_of, is_swapped, letters_apart
from .flag_tables import Table
from .key_names import FLAT, joined_word, normal, own_name
from .match import boolean

_FLAG = regex(r"^--([A-Za-z][\w.-]*)(?:=(.*))?$", re.DOTALL)
_UNDASHED = regex(r"^(-?)([a-z][a-z0-9_.-]{3,})$")
_BEHIND_VALUE = 2
# argparse takes the dashes of a name as they are; the parser of transformers takes both.
_DASHES, _UNDERSCORES = frozenset(("megatron",)), frozenset(("openrlhf",))
# Shorter names a letter away from one another may well both be meant.
_SHORTEST = 7


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
_MANY, _VERY_MANY = 10, 15  # flags that only Megatron-LM has together


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
        elif _told_whole(table, used) and name in table.switches and one.value and _says(one):
            yield Fault("switch", one, value=one.value)


def _told_whole(table: Table, used: set[str]) -> bool:
    """Whether the program has the framework's flags: by its name, or by very many of them."""
    return table.closed or (table.framework.name in _DASHES and _proof(used, table) > _PROOF)


def _proof(used: set[str], table: Table) -> int:
    """How sure it is that a script of its own parses with the framework's parser."""
    if table.framework.name in _DASHES:
        count = sum(table.knows(name) for name in used)
        return _PROOF_FOREIGN if count >= _VERY_MANY else _PROOF if count >= _MANY else 0
    return len(used & _TRAINERS_OWN)


def undashed(words: Sequence[Word], table: Table) -> Iterator[Fault]:
    """Names of the framework's flags with one dash or none: to argparse values, or other flags."""
    given = [normal(one.name) for one in given_flags(words)]
    proof = _PROOF if table.closed else _proof(set(given), table)
    for at, word in enumerate(words):
        text, before = word.value or "", words[at - 1].value if at else ""
        match = _UNDASHED.match(text)
        flag = match[2] if match else ""
        if not match or before is None or normal(flag) in given or not table.knows(flag):
            continue
        several = flag.count("_") + flag.count("-") > 1 and table.framework.name in FLAT
        if proof < _PROOF and not (match[1] and several):
            continue
        if match[1] or (not table.dotted and _stands_alone(words, at)):
            yield Fault("unknown", Given(flag, word), "--" + flag)


def _stands_alone(words: Sequence[Word], at: int) -> bool:
    """Whether a word without dashes is no value: the flag before it has one, and so has it."""
    two = [word.value or "" for word in words[max(at - 2, 0) : at]]
    after = words[at + 1].raw if at + 1 < len(words) else "-"
    valued = len(two) < _BEHIND_VALUE or (two[0].startswith("--") and not two[1].startswith("-"))
    return valued and not after.startswith("-")


def _says(one: Given) -> bool:
    return boolean(one.value or "") is not None and (one.value or "") not in ("0", "1")


def _meant(name: str, table: Table, used: set[str], *, proof: int) -> str:
    if table.knows(name):
        return _respelt(name, table) if _told_whole(table, used) else ""
    if table.framework.name not in FLAT | _DASHES and not table.closed:
        return ""
    sure = _plain_slip(normal(name), table.near(name), used, joined=proof >= _PROOF)
    if sure or proof < _PROOF:
        return _spelt(sure, name, table)
    closed = table.closed
    near = _slip(normal(name), table.near(name) if closed else _apart(name, table, used))
    if near or proof < _PROOF_FOREIGN:
        return _spelt(near, name, table)
    setting = table.foreign.get(normal(name), ("", ""))[1]
    meant = own_name(table.framework, setting, ()) if setting else ""
    return _spelt(meant, name, table) if meant and meant not in used else ""


def _plain_slip(name: str, others: Sequence[str], used: set[str], *, joined: bool) -> str:
    """The name of which two letters are swapped or one is doubled: nobody calls a flag so.

    ``joined``: also the one that is one word here, as a user's own flag may well be.
    """
    leaf = name.rpartition(".")[2]
    if len(leaf) < _SHORTEST or any(other.startswith(name) for other in others):
        return ""
    found = [
        other
        for other in others
        if other not in used
        and digits_of(name) == digits_of(other)
        and (_swapped(name, other) or (joined and joined_word(name) == joined_word(other)))
    ]
    return found[0] if len(found) == 1 else ""


def _swapped(name: str, other: str) -> bool:
    doubled = len(name) == len(other) + 1 and any(
        name[: i + 1] + name[i + 2 :] == other and name[i] == name[i + 1]
        for i in range(len(other) - 1)
    )
    return doubled or is_swapped(name, other)


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


def _slip(name: str, others: Sequence[str]) -> str:
    """The only name that is one letter away. The beginning of a name stands for it (argparse), also
    one that lacks its s.
    """
    leaf = name.rpartition(".")[2]
    if len(leaf) < _SHORTEST or any(other.startswith(name) for other in others):
        return ""
    found = [
        other
        for other in others
        if letters_apart(name, other, 1) and digits_of(name) == digits_of(other)
    ]
    return found[0] if len(found) == 1 else ""
