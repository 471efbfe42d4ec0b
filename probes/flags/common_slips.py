"""Slips in the flags of a program whose parser nobody knows: of a name that many programs have, or of
the variable that a flag is given."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from string import ascii_lowercase

from medic.run_config import PLAIN
from medic.text.patterns import regex
from medic.text.slips import digits_of, one_apart

from .families import PROOF, Given
from .flag_tables import Table
from .glued_values import ONE_OF
from .key_names import normal

_SHORTEST = 8
_LONG = 5  # letters of a word that a slip of one letter does not make another
_SEVERAL = 2  # frameworks that have a name which any program's parser may have
_SHAPES = frozenset(("num_layers", "hidden_size", "num_heads", "num_kv_heads", "ffn_size"))
_LOAD = frozenset(("hf-trainer", "trl", "loop-scripts"))
# What a run has one of: no list of these stands behind one word.
_ONE_EACH = frozenset(
    """
    model_name_or_path pretrained_model_name_or_path tokenizer_name_or_path deepspeed_config
    deepspeed_config_file resume_from_checkpoint wandb_project wandb_name run_name output_dir
    logging_dir cache_dir
    """.split()  # noqa: SIM905
)
_NUMBER = regex(r"-?\d[\d.]*(?:e-?\d+)?")


def common_slip(given: Given, table: Table, used: Collection[str], proof: int) -> str:
    """The name that a flag is one letter away from, in a word that is none; "" if unsure.

    A flag in the plural may be a list: it is a slip where one number is its value, or the one word
    that a run has of its kind. British spelling is none.
    """
    name = normal(given.name)
    if len(name) < _SHORTEST or "." in name or table.times.get(name):
        return ""
    one = name.removesuffix("s")
    if one != name and one in table.times:
        value = given.value or ""
        number = _NUMBER.fullmatch(value) is not None or value in ("True", "False")
        said = given.value is not None or bool(given.variable)
        word = value in ONE_OF.get(one, ()) or (one in _ONE_EACH and said)
        sure = word or (number and table.times[one] >= _SEVERAL)
        return one if sure and one not in used else ""
    variable = normal(given.variable)
    if variable not in used and _is_slip(name, variable, table):
        return variable
    if any(known.startswith(name) for known in table.times):
        return ""
    common = (n for n, count in table.times.items() if count >= _SEVERAL and n not in used)
    found = [known for known in common if _is_slip(name, known, table)]
    if len(found) == 1:
        rest = set(used) - {name}
        return found[0] if may_have(found[0], table, rest, proof) else ""
    if found:
        return ""
    one_value = given.alone or given.value is not None or given.variable
    slipped = slipped_word(name, table.words) if one_value else ""
    return moved_sign(name, table.is_word) or slipped


def may_have(name: str, table: Table, used: Collection[str], proof: int) -> bool:
    """Whether a program that is given the flags may have this one: not where it is given the same
    setting by another name, nor the shape of a model where TrainingArguments load one."""
    field = table.meanings.get(name, ("", ""))[1]
    if field and any(table.meanings.get(one, ("", ""))[1] == field for one in used):
        return False
    loads = field in _SHAPES and (proof >= PROOF or table.framework.name in _LOAD)
    return not loads or (table.framework.name != PLAIN and table.knows(name))


def moved_sign(name: str, is_word: Callable[[str], bool]) -> str:
    """The name of known words only, of which one sign has changed places with the letter beside it:
    ``usel_ora``. Nobody calls a flag so, whatever parser reads it."""
    if all(is_word(word) for word in name.split("_")):
        return ""
    found = set()
    for at in range(1, len(name) - 1):
        pair = name[at : at + 2]
        if pair.count("_") == 1:
            other = name[:at] + pair[::-1] + name[at + 2 :]
            if all(_is_known(word, is_word) for word in other.split("_")):
                found.add(other)
    return found.pop() if len(found) == 1 else ""


def slipped_word(name: str, known: Collection[str]) -> str:
    """The name with its one word as the only known one that it is a slip of: two letters swapped, one
    doubled, or an inner one left out. ``attrbute_path``."""
    words = name.split("_")
    slips: dict[int, str] = {}
    for at, word in enumerate(words if len(words) > 1 else ()):
        if word.isalpha() and not _is_word(word, known):
            near = {one for one in _nearest(word) if one in known and len(one) >= _LONG}
            slips |= {at: near.pop()} if len(near) == 1 else {}
    return "_".join(slips.get(at, word) for at, word in enumerate(words)) if len(slips) == 1 else ""


def _is_word(word: str, known: Collection[str]) -> bool:
    return len(word) < _LONG or any(
        one in known for one in (word, word.removesuffix("s"), word + "s")
    )


def _nearest(word: str) -> Iterator[str]:
    """Words of which this one is a slip that nobody means."""
    for at in range(1, len(word) - 1):
        if word[at] != word[at + 1]:
            yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        else:
            yield word[:at] + word[at + 1 :]
    if len(word) >= _LONG:
        for at in range(1, len(word)):
            yield from (word[:at] + letter + word[at:] for letter in ascii_lowercase)


def _is_known(word: str, is_word: Callable[[str], bool]) -> bool:
    return len(word) > 1 and (is_word(word) or is_word(word.removesuffix("s")))


def _is_slip(name: str, other: str, table: Table) -> bool:
    """Whether the names differ by one letter of one word, which is no word of anybody's."""
    if one_apart(name, other) != 1 or digits_of(name) != digits_of(other):
        return False
    words, meant = name.split("_"), other.split("_")
    if len(words) != len(meant):
        return False
    word, right = next((w, m) for w, m in zip(words, meant, strict=True) if w != m)
    plural = word.rstrip("s") == right.rstrip("s")
    british = word.replace("s", "z") == right.replace("s", "z")
    return not (plural or british or min(len(word), len(right)) < 3 or table.is_word(word))
