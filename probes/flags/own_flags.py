"""Flags of a framework's own program against the names that the framework has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from medic.facts import Word
from medic.i18n import Text
from medic.records import dataclass, replace
from medic.text.patterns import regex
from medic.text.slips import digits_of

from .common_slips import common_slip, may_have
from .distance import letters_apart
from .families import PROOF, PROOF_FOREIGN, Given, told_whole
from .flag_tables import Table
from .fork_flags import in_underscores, lone_sign, of_other_release, without_fork
from .key_names import joined_word, lost_word, moved_words, normal
from .match import boolean
from .meanings import either_batch
from .shortened import OWN_NAMES, same_but_shorter

_FLAG = regex(r"^--([A-Za-z][\w.-]*)(?:=(.*))?$", re.DOTALL)
_VARIABLE = regex(r"^\"?\$\{?([A-Za-z_]\w*)\}?\"?$")
# argparse takes the dashes of a name as they are; the parser of transformers takes both.
_UNDERSCORES = frozenset(("openrlhf",))
# Shorter names a letter away from one another may well both be meant.
_SHORTEST = 6
_FEW = 4
# What launchers and parsers of others have, and no release of these programs: who adds flags to them
# has no use for a second name of what they have.
_FOREIGN = frozenset(
    ("mixed_precision", "per_device_train_batch_size", "per_device_eval_batch_size",
     "num_train_epochs", "gradient_accumulation_steps", "lr_scheduler_type", "evaluation_strategy",
     "save_total_limit")
)  # fmt: skip
_OF_ITS_OWN = frozenset(("megatron", "openrlhf"))
# Whose parser has all its names in the entry, and of so many flags.
_MANY_NAMES, _MANY = frozenset(("megatron",)), 15
MAX_FLAGS = 1_000  # nobody writes more into one command


@dataclass(frozen=True)
class Fault:
    """``kind``: unknown (``meant`` is the right name), foreign (nothing is near), short (its beginning), switch (with
    ``value``), empty, misplaced (before the script, an option of the script ``meant``), strange (the
    one name that no release of the framework ``meant`` has), fork (the one name that shows a fork, of
    which ``what`` is said).
    """

    kind: str
    given: Given
    meant: str = ""
    value: str = ""
    what: Text | None = None


def given_flags(words: Sequence[Word]) -> Iterator[Given]:
    for at, word in enumerate(words):
        match = _FLAG.match(word.text)
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
        variable = _VARIABLE.match(after.raw) if after is not None else None
        of = variable[1] if variable is not None else ""
        yield Given(match[1], word, value, variable=of, alone=alone)


def faults(flags: Sequence[Given], table: Table, proof: int) -> Iterator[Fault]:
    """What is wrong with the flags; nothing of a flag that could be the user's own."""
    used = {normal(one.name) for one in flags}
    odd = _odd_name(flags)
    whole = told_whole(table, proof)
    other = of_other_release(used, table, whole=whole)
    if whole:
        yield from _of_fork(flags, table, used)
    if other:
        proof = min(proof, PROOF)
        table = replace(table, underscored=in_underscores(flags, table))
        whole = whole and not table.underscored
    free = (other or not table.closed) and not table.own
    for one in flags[:MAX_FLAGS]:
        name = normal(one.name)
        meant = _meant(one.name, table, used, proof, odd, whole=whole, slips=other)
        rest = used - {name}
        if not table.closed and meant and not may_have(normal(meant), table, rest, proof):
            continue
        if free and not meant and not table.knows(one.name):
            meant = _spelt(common_slip(one, table, used, proof), one.name, table)
        if meant:
            yield Fault("unknown", one, "--" + meant)
        elif proof >= PROOF and (whole_name := _cut_short(name, table, used)):
            kind = "short" if table.abbreviates else "unknown"
            yield Fault(kind, one, "--" + _spelt(whole_name, one.name, table))
        elif one.alone and _lacks_value(name, table, proof, used):
            yield Fault("empty", one)
        elif whole and name in table.switches and one.value and _says(one):
            yield Fault("switch", one, value=one.value)
        elif _is_foreign(name, table) and not other:
            yield Fault("foreign", one)
        elif _is_strange(name, table, used):
            yield Fault("strange", one, table.framework.title)


def _of_fork(flags: Sequence[Given], table: Table, used: set[str]) -> Iterator[Fault]:
    one, fork = lone_sign(flags, table), table.fork
    if one is not None and fork is not None:
        plain = without_fork(table)
        own = _meant(one.name, plain, used, PROOF_FOREIGN, "", whole=table.closed, slips=False)
        what = fork.said(f"--{one.name}", table.framework.title, f"--{own}" if own else "")
        yield Fault("fork", one, what=what)


def _is_foreign(name: str, table: Table) -> bool:
    """Whether a program that has none of its users' flags is given another framework's."""
    own = table.closed and table.framework.name in _OF_ITS_OWN
    return own and name in _FOREIGN and not table.knows(name)


def _is_strange(name: str, table: Table, used: set[str]) -> bool:
    """Whether all but this one of many names are those of the framework's own program: a fork that
    adds flags has mostly more than one of its own."""
    if (
        table.fork is not None
        or not table.closed
        or table.own
        or table.framework.name not in _MANY_NAMES
    ):
        return False
    strange = {one for one in used if not table.knows(one) and not table.meant_by(one)}
    return strange == {name} and len(used) >= _MANY


def _lacks_value(name: str, table: Table, proof: int, used: set[str]) -> bool:
    return table.wants_value(name, proof) or _lacks_file(name, table, proof, used)


def _lacks_file(name: str, table: Table, proof: int, used: set[str]) -> bool:
    """``--deepspeed`` alone: a file to TrainingArguments, a switch to DeepSpeed's own parser."""
    own = table.framework.name == "hf-trainer" and proof >= PROOF_FOREIGN
    return own and name == "deepspeed" and "deepspeed_config" not in used


def _cut_short(name: str, table: Table, used: set[str]) -> str:
    """The name that lacks its last letter: argparse takes a beginning for the whole. Of a parser
    that does not, the only name that was cut in the middle of a word.
    """
    others = not table.closed and name in OWN_NAMES
    if len(name) < _SHORTEST or table.knows(name) or others:
        return ""
    longer = [other for other in table.near(name) if other.startswith(name)]
    if table.abbreviates:
        return _only(other for other in longer if other[:-1] == name and other not in used)
    cut = [other for other in longer if other[len(name)] not in "_-."]
    return cut[0] if len(longer) == 1 and cut and cut[0] not in used else ""


def _says(one: Given) -> bool:
    return boolean(one.value or "") is not None and (one.value or "") not in ("0", "1")


def _meant(
    name: str, table: Table, used: set[str], proof: int, odd: str, *, whole: bool, slips: bool
) -> str:
    """``slips``: of a fork or of other releases nothing is told but what the fingers do."""
    if table.knows(name, proof):
        return _respelt(name, table) if whole else ""
    if not (table.judged or table.closed):
        return ""
    if normal(name) in table.lacks:
        meant = table.meant_by(normal(name))
        return "" if meant in used else _spelt(meant, name, table)
    plain, near = normal(name), table.near(name)
    found = _plain_slip(plain, near, used, table)
    if not found and (proof >= PROOF or name == odd):
        found = _joined(plain, near, used)
    if not found and proof >= PROOF and not slips:
        free = [n for n in near if n not in used]
        found = moved_words(plain, free) or (lost_word(plain, free) if table.closed else "")
    if not found and proof >= PROOF:
        free = near if table.closed else [n for n in near if n not in used]
        found = _slip(plain, free, table, strict=slips)
    if not found and table.closed and not slips:
        found = same_but_shorter(plain, [n for n in near if n not in used])
    if not found and whole and plain[:-1] in table.valued and plain.endswith("s"):
        found = plain[:-1] if plain[:-1] not in used else ""
    if not found and proof >= PROOF_FOREIGN:
        found = table.meant_by(plain) or either_batch(table.names, plain, (), used, table.meanings)
        found = "" if found in used else found
    return _spelt(found, name, table)


def _plain_slip(name: str, others: Sequence[str], used: set[str], table: Table) -> str:
    """The name of which two letters are swapped or one is doubled: nobody calls a flag so."""
    leaf = name.rpartition(".")[2]
    if len(leaf) < _SHORTEST or (table.abbreviates and _begins(name, others)):
        return ""
    return _only(
        other
        for other in others
        if other not in used and _swapped(name, other) and digits_of(name) == digits_of(other)
    )


def _begins(name: str, others: Sequence[str]) -> bool:
    return any(other.startswith(name) for other in others)


def _joined(name: str, others: Sequence[str], used: set[str]) -> str:
    """The name that is one word here, as a user's own flag may well be."""
    word = joined_word(name)
    return _only(other for other in others if other not in used and joined_word(other) == word)


def _odd_name(flags: Sequence[Given]) -> str:
    """The only flag that has capitals: NumTrainEpochs beside learning_rate."""
    capitals = [one.name for one in flags if one.name != one.name.lower()]
    return capitals[0] if len(capitals) == 1 and len(flags) > _FEW else ""


def _only(found: Iterable[str]) -> str:
    several = list(found)
    return several[0] if len(several) == 1 else ""


def _swapped(name: str, other: str) -> bool:
    if abs(len(name) - len(other)) > 1 or not letters_apart(name, other, 1):
        return False
    doubled = len(name) == len(other) + 1 and any(
        name[: i + 1] + name[i + 2 :] == other and name[i] == name[i + 1]
        for i in range(len(other) - 1)
    )
    return doubled or sorted(name) == sorted(other)


def _respelt(name: str, table: Table) -> str:
    """A known name whose dashes the parser does not take so."""
    known = table.spelt
    if name in known or name.startswith("deepspeed"):
        return ""
    if table.dashes and "_" in name and name.replace("_", "-") in known:
        return name.replace("_", "-")
    plain = name.replace("-", "_")
    has = plain in known or plain in table.names.leaves
    if table.framework.name in _UNDERSCORES and "-" in name and has:
        return plain
    return ""


def _spelt(name: str, written: str, table: Table) -> str:
    dashes = table.dashes or ("-" in written and "_" not in written)
    return name.replace("_", "-") if dashes else name


def _slip(name: str, others: Sequence[str], table: Table, *, strict: bool) -> str:
    """The only name that is one letter away. The beginning of a name stands for it (argparse), also
    one that lacks its s. In a script of its own, or one of a fork (``strict``), val is not eval: there
    the word that differs has to be none.
    """
    leaf = name.rpartition(".")[2]
    if len(leaf) < _SHORTEST or (table.abbreviates and _begins(name, others)):
        return ""
    return _only(
        other
        for other in others
        if letters_apart(name, other, 1)
        and digits_of(name) == digits_of(other)
        and (
            (table.closed and not strict)
            or table.plural_of(name) == other
            or not _is_other(name, other, table)
        )
    )


def _is_other(name: str, other: str, table: Table) -> bool:
    """Whether what two names have differently are two words, not one and its slip."""
    word = next((one for one in name.split("_") if one not in other.split("_")), "")
    meant = next((one for one in other.split("_") if one not in name.split("_")), "")
    if len(word) <= 1:
        return len(meant) <= 1
    return table.is_word(word)
