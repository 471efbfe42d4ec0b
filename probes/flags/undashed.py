"""Names of flags that lack a dash or both: to argparse they are values, or other flags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Word
from medic.text.patterns import regex

from .families import PROOF, SWITCHES, Given
from .flag_tables import Table
from .key_names import normal
from .shared_values import is_amount_or_place

_UNDASHED = regex(r"^(-?)([A-Za-z][A-Za-z0-9_.-]{1,})(?:=(.*))?$")
# A name of several words, and a flag of any kind.
_LONG_NAME = regex(r"^-[a-z]{2,}[a-z0-9]*(?:[_-][a-z0-9]+)+(?:=.*)?$")
_SOME_FLAG = regex(r"^--?[A-Za-z]")
_ENOUGH = 4
_TURNS_ON = ("enable_", "use_", "do_", "disable_", "no_")
_ENGINE = ("deepspeed", "deepspeed_config")  # what DeepSpeed adds to any parser
_LONGEST_SHORT = 4  # -lr, -bs: a parser may well have them


def undashed(
    words: Sequence[Word], given: Sequence[Given], table: Table, proof: int
) -> Iterator[tuple[str, Word]]:
    """(name, word) of flags with one dash or none, where nothing else can be meant."""
    used = {normal(one.name) for one in given}
    overridden = _overridden(words)
    for at, word in enumerate(words):
        match = _UNDASHED.match(word.text)
        name = match[2] if match else ""
        known = _is_flag(name, table) or name in _ENGINE
        lost = match is not None and (
            _among_doubles(match[0], words)
            if match[1]
            else match[3] is None and _lost_both(name, words, at)
        )
        if lost and not (known and table.closed):
            yield name, word
            continue
        again = normal(name) in used and not (table.closed or proof >= PROOF)
        if match is None or again or not known:
            continue
        if (
            _one_dash(name, table, proof)
            if match[1]
            else _no_dash(words, at, table, proof, overridden=overridden)
        ):
            yield name, word


def _is_flag(name: str, table: Table) -> bool:
    """Whether a parser has the name; a file like train.json has a dot as well."""
    above = normal(name).rpartition(".")[0]
    return table.knows(name) and (not above or bool(table.names.below.get(above)))


def _among_doubles(raw: str, words: Sequence[Word]) -> bool:
    """Whether a long name has one dash, and all the others of its command have two."""
    if not _LONG_NAME.match(raw):
        return False
    flags = [word.raw for word in words if _SOME_FLAG.match(word.raw)]
    return len(flags) > _ENOUGH and sum(not flag.startswith("--") for flag in flags) == 1


def _lost_both(name: str, words: Sequence[Word], at: int) -> bool:
    """Whether a name that says what follows it (``save_dir``) stands between a flag with its value
    and a value before the next flag: no list of values holds such a name.
    """
    if "_" not in name.strip("_").replace("-", "_") or not is_amount_or_place(normal(name)):
        return False
    before = [word.text for word in words[max(0, at - 2) : at]]
    behind = [word.text for word in words[at + 1 : at + 3]]
    whole = len(before) == 2 and before[0].startswith("--") and "=" not in before[0]
    glued = bool(before) and before[-1].startswith("--") and "=" in before[-1]
    values = bool(behind) and not behind[0].startswith("-")
    return (whole or glued) and values and (len(behind) == 1 or behind[1].startswith("--"))


def _one_dash(name: str, table: Table, proof: int) -> bool:
    """Whether a parser of the framework's would not take the name with one dash for another."""
    several = name.count("_") + name.count("-") + name.count(".")
    if table.closed or proof >= PROOF or name in _ENGINE:
        return len(name) > 1
    return several > 1 or (several == 1 and proof > 0 and len(name) > 2 * _LONGEST_SHORT)


def _no_dash(words: Sequence[Word], at: int, table: Table, proof: int, *, overridden: bool) -> bool:
    """Whether a name stands where a flag has to: what is before it has its value, and what is
    behind it is one.
    """
    text = words[at].value or words[at].raw
    name, sign, _ = text.partition("=")
    several = "_" in name or "-" in name or "." in name
    sure = proof >= PROOF or table.closed
    if table.overridden or (sign and (overridden or not sure)) or not (several or sure):
        return False
    if not sure and not table.is_long(name):
        return False
    return _complete(words, at, table, proof) and (bool(sign) or _followed(words, at, table))


def _overridden(words: Sequence[Word]) -> bool:
    """Whether a program takes words like ``a=1``: a configuration stands first, or several are."""
    bare = [text for word in words if "=" in (text := word.text) and not text.startswith("-")]
    first = words[0].text if words else ""
    return len(bare) > 1 or first.endswith((".yaml", ".yml", ".json"))


def _complete(words: Sequence[Word], at: int, table: Table, proof: int) -> bool:
    """Whether the flag before a word has its value already, or takes none."""
    if at == 0:
        return (table.closed or proof >= PROOF) and not table.files
    before = words[at - 1].text
    if before.startswith("--"):
        name, sign, _ = before.partition("=")
        bare = normal(name)
        alone = {bare, bare.removeprefix("no_")}
        switch = bool(sign) or not alone.isdisjoint(table.switches | SWITCHES)
        follows = normal(words[at].text)
        return switch or (bare.startswith(_TURNS_ON) and table.wants_value(follows, proof))
    name = words[at].text
    if at == 1:
        return table.closed
    if (table.closed or proof >= PROOF) and ("_" in name or "-" in name) and table.is_long(name):
        return True  # behind several values of one flag: none of them is a flag's name
    return words[at - 2].text.startswith("--") and "=" not in words[at - 2].text


def _followed(words: Sequence[Word], at: int, table: Table) -> bool:
    """Whether a switch stands alone, and any other name before one value."""
    behind = [word.text for word in words[at + 1 : at + 3]]
    flag = [text.startswith(("--", "${")) for text in behind]
    name = normal(words[at].text)
    if not behind or flag[0]:
        return name in table.switches or not table.needs_value(name)
    return name not in table.switches and (len(behind) == 1 or flag[1] or behind[1].startswith("-"))
