"""A word too many: it stands behind a flag that has its one value already, or behind a switch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Repair, Word
from medic.records import dataclass
from medic.run_config import FIELDS
from medic.text.patterns import regex

from .argument_repairs import without_word
from .families import PROOF
from .flag_tables import Framework, Table
from .glued_values import ONE_OF
from .key_names import normal
from .match import boolean
from .parted_paths import alone_among, is_one_path
from .shared_values import is_amount_or_place

# Programs whose parser takes words without a flag, and those that read overrides.
_TAKE_WORDS = frozenset(("litgpt", "nanogpt", "vllm", "fairseq"))
# Parsers of classes: a switch of theirs takes a word.
_SWITCHES_TAKE = frozenset(
    ("hf-trainer", "trl", "ms-swift", "megatron-swift", "llama-factory", "axolotl", "torchtitan")
)
_FLAG = regex(r"^--[A-Za-z][\w.-]*$")
_PIECE = regex(r"^[A-Za-z0-9_][\w.+-]*$")
_VALUE = regex(r"^[\w./+,-]*[A-Za-z0-9]$")
_NUMBER = regex(r"^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$")
_DIGITS = ("0", "1")
_SAID = ("True", "False", "true", "false")  # nobody writes a list of these
# What a script of one's own may be told to do, in a word of its own.
_TASKS = frozenset(
    "train test eval evaluate val fit predict finetune pretrain sft dpo generate infer run".split()  # noqa: SIM905
)
_KEPT: list[tuple[Framework, frozenset[str]]] = []
_COUNTS = ("number", "converted-number", "converted-whole")


@dataclass(frozen=True)
class Extra:
    """``word`` stands behind ``flag``, which has the value ``value`` or, a switch, takes none.

    ``repair`` takes it out, where it can be nothing that was meant for the flag. ``supposed``: the
    parser is not known.
    """

    flag: str
    value: str
    word: Word
    repair: Repair | None = None
    supposed: bool = False


def extra_words(
    words: Sequence[Word], table: Table, proof: int, frameworks: Sequence[Framework]
) -> Iterator[Extra]:
    """A script's own parser may take words without a flag: where none is shown only what stands alone
    among many flags, behind a number or a word that is the one value of its flag everywhere.
    """
    name = table.framework.name
    if table.overridden or name in _TAKE_WORDS:
        return
    if proof < PROOF:
        yield from _lone(words)
        return
    numbers = _numbers(frameworks)
    for at in range(len(words) - 1):
        flag = words[at].value or ""
        if not _FLAG.match(flag) or not _is_value(words[at + 1]):
            continue
        if name not in _SWITCHES_TAKE and normal(flag) in table.switches - table.valued:
            one = words[at + 1]
            said = boolean(one.text) is not None and one.text not in _DIGITS  # told as such
            if _stands_alone(words, at + 1) and not said:
                yield Extra(flag, "", one, without_word(words[at], one))
        elif at + 2 < len(words) and _stands_alone(words, at + 2):
            first, one = words[at + 1], words[at + 2]
            if not _VALUE.match(first.text):
                continue  # a sign between a flag and its value: told as such
            plain = normal(flag)
            digits = _NUMBER.match(first.text) is not None
            number = plain in numbers or (is_amount_or_place(plain) and digits)
            mixed = digits and _NUMBER.match(one.text) is None and table.knows(flag, proof)
            if number or mixed or first.text in _SAID or plain in ONE_OF or is_one_path(plain):
                meant = is_one_path(plain) or _NUMBER.match(one.text) is not None
                meant = meant or one.text in ONE_OF.get(plain, ())
                yield Extra(flag, first.raw, one, None if meant else without_word(first, one))


def _lone(words: Sequence[Word]) -> Iterator[Extra]:
    """The only word without a flag, between two flags: ``--num_train_epochs 3 x --lr 1e-4``."""
    if not alone_among(words):
        return
    for at in range(len(words) - 3):
        flag, first, one = words[at].value or "", words[at + 1], words[at + 2]
        if not _FLAG.match(flag) or not (_is_value(first) and _stands_alone(words, at + 2)):
            continue
        plain, mixed = normal(flag), _NUMBER.match(one.text) is None and one.text not in _TASKS
        amount = is_amount_or_place(plain) and _NUMBER.match(first.text) is not None
        if (amount and mixed) or (first.text in ONE_OF.get(plain, ()) and one.text not in _TASKS):
            yield Extra(flag, first.raw, one, without_word(first, one), supposed=True)


def _numbers(frameworks: Sequence[Framework]) -> frozenset[str]:
    """Names of what is one number to the framework and to those that it builds on; those of the last
    one are kept."""
    if not (_KEPT and _KEPT[0][0] is frameworks[0]):
        _KEPT[:] = [(frameworks[0], _collected(frameworks))]
    return _KEPT[0][1]


def _collected(frameworks: Sequence[Framework]) -> frozenset[str]:
    found = set()
    for one in frameworks:
        for key in one.keys:
            kind = FIELDS[key.field][0] if key.field in FIELDS else None
            if kind in (int, float) and key.true_means is None:
                found.add(normal(key.key.removeprefix("**.")))
        for declared, names in one.types.items():
            if declared in _COUNTS:
                found.update(normal(name) for name in names)
    return frozenset(found)


def _is_value(word: Word) -> bool:
    """Whether a word is one argument for sure: written out, or a quoted text."""
    return word.value is not None and bool(word.value) and not word.value.startswith("--")


def _stands_alone(words: Sequence[Word], at: int) -> bool:
    """Whether a plain word is followed by a flag, by others' or by nothing: two may be a list."""
    word = words[at]
    after = words[at + 1].raw if at + 1 < len(words) else "--"
    plain = word.value is not None and word.raw == word.value and _PIECE.match(word.raw) is not None
    return plain and after.startswith(("--", "$", '"$'))
