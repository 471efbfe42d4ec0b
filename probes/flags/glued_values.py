"""Values that stand right behind the name of their flag: the blank between them is missing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from medic.facts import Word
from medic.text.patterns import regex
from medic.text.slips import digits_of

from .families import PROOF, SWITCHES, Given
from .flag_tables import Table
from .key_names import normal

# What stands behind the dashes, up to any sign that no parser has in a name.
_WORD = regex(r"--([A-Za-z][\w-]*[^=\s\"'$`\\]*)")
# A variable, a quote or a place: nothing that goes on a name.
_EXPANDED = regex(r"--([A-Za-z][\w-]*[A-Za-z0-9])([\"']?\$.+|[\"'].+|\.{1,2}/.+)")
_SIGN = regex(r"[^\w.-]")
_NUMBER = regex(r"-?\d+(?:\.\d*)?(?:[eE]-?\d+)?|-?\.\d+")
_WHOLE = regex(r"\d")
_LIKE_A_NAME = regex(r"(?=.*[\d_./-])[A-Za-z]{2,}[\w./-]*")
_BOOLEANS = frozenset(("true", "false"))
_SWITCHED = regex(r"([a-z][\w-]{3,}[a-z0-9])(True|False)")
# Names that end so, and then in digits alone, have no digits of their own.
_COUNTED = regex(
    r"([a-z][a-z_-]*[_-](?:steps|size|length|len|epochs|layers|workers|samples|tokens|percentage|theta|"
    r"rank|alpha|ratio|batches))(\d+)"
)
_FEW = 4
# Words that options of many programs take; a name that ends with one of them is none.
_INTERVALS = frozenset(("no", "steps", "epoch"))
_SCHEDULES = frozenset(
    ("linear", "cosine", "constant", "constant_with_warmup", "cosine_with_restarts", "polynomial")
)
_TYPES = frozenset(("float16", "bfloat16", "float32", "auto"))
_TAKEN: Mapping[str, frozenset[str]] = {
    "save_strategy": _INTERVALS,
    "eval_strategy": _INTERVALS,
    "evaluation_strategy": _INTERVALS,
    "logging_strategy": _INTERVALS,
    "lr_scheduler_type": _SCHEDULES,
    "lr_decay_style": _SCHEDULES,
    "lr_scheduler": _SCHEDULES,
    "torch_dtype": _TYPES,
    "dtype": _TYPES,
    "mixed_precision": frozenset(("bf16", "fp16", "no")),
    "optim": frozenset(("adamw_torch", "adamw_torch_fused", "adamw_bnb_8bit", "adafactor")),
    "stage": frozenset(("sft", "dpo", "rm", "ppo", "pt", "kto")),
    "finetuning_type": frozenset(("lora", "full", "freeze")),
    "report_to": frozenset(("wandb", "none", "tensorboard", "swanlab")),
}
# Of these one word is one value: a flag takes no second one.
ONE_OF = {name: words for name, words in _TAKEN.items() if name != "report_to"}


def parted(text: str, names: Collection[str]) -> tuple[str, str]:
    """(name, value) of ``lr1e-4``: the longest of the names, in any spelling, that it begins with;
    ("", "") for none. A value does not begin with what goes on a name.
    """
    for end in range(len(text) - 1, 0, -1):
        rest = text[end:]
        goes_on = rest[0] in "_." or (rest[0] == "-" and not rest[1:2].isdigit())
        if normal(text[:end]) in names and not goes_on and text[end - 1] not in "_-":
            return text[:end], rest
    return "", ""


def glued_values(
    words: Sequence[Word], given: Sequence[Given], table: Table, proof: int
) -> Iterator[tuple[Word, str, str]]:
    """(the word, the flag's name, its value), where nothing else can be meant."""
    takes = table.valued | table.shared | frozenset(_TAKEN)
    alone = {one.word.span.start for one in given if one.alone}
    for word in words:
        behind = _EXPANDED.fullmatch(word.raw)
        if behind is not None and normal(behind[1]) in takes | table.kinds | table.names.leaves:
            yield word, behind[1], behind[2]
            continue
        match = _WORD.fullmatch(word.raw)
        if match is None or _is_name(match[1], table):
            continue
        text = match[1]
        sign = _SIGN.search(text) is not None
        said = sign or text.lower().endswith(tuple(_BOOLEANS))
        names = takes | table.kinds | SWITCHES | (table.names.leaves if said else frozenset())
        name, value = parted(text, names)
        plain = normal(name)
        if not name:
            found = _SWITCHED.fullmatch(text) or _COUNTED.fullmatch(text)
            if found is not None:
                yield word, found[1], found[2]
            continue
        if value.lower() in _BOOLEANS:
            here = plain in SWITCHES or plain in table.kinds | table.names.leaves
            sure = value[0].isupper() or (here and word.span.start in alone)
        elif sign:
            sure = plain not in SWITCHES
        elif _NUMBER.fullmatch(value):
            single = word.span.start in alone or not value.isdigit()
            sure = single and plain in takes and _number_is_sure(plain, value, table, proof)
        else:
            sure = _word_is_sure(plain, value, table, proof, word.span.start in alone)
        if sure:
            yield word, name, value


def _is_name(text: str, table: Table) -> bool:
    """Whether a parser has the name; of a dotted one only what is known as such."""
    plain = normal(text)
    if "." in plain:
        above, _, leaf = plain.rpartition(".")
        return plain in table.kinds or leaf in table.names.below.get(above, ())
    return table.knows(text)


def _number_is_sure(name: str, value: str, table: Table, proof: int) -> bool:
    if digits_of(name[-1]) and _WHOLE.match(value) and "." not in value and "e" not in value:
        return False  # beta12 may be a name
    part = "." in value or "e" in value.lower() or value.startswith("-")
    return part or proof >= PROOF or table.closed or (len(value) > 1 and len(name) >= _FEW)


def _word_is_sure(name: str, value: str, table: Table, proof: int, alone: bool) -> bool:
    taken = {word.lower() for word in table.taken(name)} | _TAKEN.get(name, frozenset())
    if value.lower() in taken:
        return True
    shown = table.closed or proof >= PROOF
    return alone and shown and name in table.valued and _LIKE_A_NAME.fullmatch(value) is not None
