"""What a value may be: words that a key takes, text for a number, a part of a count, a share."""

from __future__ import annotations

from collections.abc import Sequence

from medic.run_config import FIELDS, Scalar
from medic.text.patterns import regex
from medic.text.slips import digits_of, is_swapped

from ..flags.distance import letters_apart
from .values import as_number

# A list of values that ends so has further ones.
MORE = "..."
_SHORTEST, _LAST, _LONG = 3, 6, 10
# A number that slipped: 1e-4x, 8k, 1,000, 2.5.1. A word for one. Not 1T, 2ep or 500ba.
_SLIPPED = regex(r"[-+]?[\d.][\w.,+\-\uff0c\u3002\uff1b\u3001\uff1a]*")
# What only a program could work out: 8*2, 1/3.
_SUM = regex(r"\d[\d.]*(?:e-?\d+)?(?:\*\*?|/|\+)\d[\d.]*")
# A number with what parts things behind it, which no program takes for a part of it.
_WITH_SIGN = regex(r"[-+]?[\d.]+(?:e[-+]?\d+)?[,;\uff0c\u3002\uff1b\u3001\uff1a]+")
_AND_COMMA = regex(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?,")
# A share in percent, a power in words, a number with a blank inside or the word of its unit: for no
# reader of a framework's own keys a number.
_WRITTEN_OUT = regex(
    r"[-+]?\d[\d.]*(?:e[-+]?\d+)?\s*%|\d[\d.]*\s*[*x\u00d7]\s*10\s*(?:\^|\*\*)?\s*\(?[-+\u2013\u2212]?\d+\)?"
    r"|\d[\d.]*e\s*[-+\u2013\u2212]?\s*\d*"
    r"|\d[\d.,]*\s*(?:steps?|tokens?|epochs?|samples?|sequences?|layers?|heads?|gpus?|gb|gib|mb)"
)
# A letter for a one, or a one that was lost, before a power: le-4, e-5; before digits: l6.
_LOST_ONE = regex(r"[lI]?[eE]-\d+|l\d+(?:\.\d+)?")
_LETTER_O = regex(r"\d+[oO]\d*|[oO]\d+|l\d+")
_COUNTING = frozenset(
    ("steps", "step", "epochs", "samples", "workers", "size", "length", "len", "layers", "heads",
     "gpus", "nodes", "limit", "percentage", "batches", "batch", "every", "interval", "timeout",
     "iters", "tokens", "dim", "rank", "alpha", "base", "seed", "port", "processes")
)  # fmt: skip
_PART = regex(r"[a-z]+|\d+")
_UNIT = regex(r"[-+]?\d[\d_.]*(?:e[-+]?\d+)?(?:T|t|ep|ba|sp|tok|st|dur|B|b|%|h|m|s)")
_WORD_FOR_NUMBER = frozenset(
    ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve",
     "eleven", "sixteen", "twenty", "thirty", "forty", "fifty", "sixty", "eighty", "hundred",
     "thousand", "million", "billion", "dozen", "zero", "half", "small", "large")
)  # fmt: skip
# Words that loaders do not take for a switch, though they are meant for one.
_SWITCHES = ("true", "false")
_OTHER_WORDS = frozenset(("tree", "tue", "trie", "trues", "fleas", "falsy", "truly", "tule"))
# A part of one of these is none; intervals and warmup may be shares of the run.
WHOLE = frozenset(
    (
        "micro_batch_size",
        "gradient_accumulation_steps",
        "global_batch_size",
        "sequence_length",
        "hidden_size",
        "num_layers",
        "num_heads",
        "num_kv_heads",
        "num_experts",
        "ffn_size",
        "tensor_parallel_size",
        "pipeline_parallel_size",
        "context_parallel_size",
        "expert_parallel_size",
        "nodes",
        "num_workers",
        "lora_rank",
        "total_steps",
    )
)
_NUMBERS = frozenset(
    ("micro_batch_size", "gradient_accumulation_steps", "global_batch_size", "learning_rate",
     "min_learning_rate", "hidden_size", "num_layers", "num_heads", "num_kv_heads",
     "tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size", "lora_rank",
     "total_steps", "sequence_length", "weight_decay")
)  # fmt: skip
# Fields that take words beside numbers, in some framework or other.
_WORDED = frozenset(
    ("gpus_per_node", "world_size", "nodes", "total_tokens", "global_batch_tokens", "nccl_timeout",
     "parameters", "master_port", "dataset_sequences")
)  # fmt: skip
INTERVALS = ("log_interval", "save_interval", "eval_interval")
# transformers declares these as floats: shares of the run below 1 (training_args.py).
_MAYBE_SHARES = (*INTERVALS, "warmup_steps", "decay_steps")
# Fields of which an infinity says "for ever", "never", or "whatever comes".
_UNLIMITED = frozenset(
    (*INTERVALS, "total_steps", "total_tokens", "epochs", "sequence_length", "warmup_steps",
     "decay_steps", "gradient_clip", "nccl_timeout", "max_position_embeddings")
)  # fmt: skip
# What one framework calls so and another so.
_ALIKE = (
    frozenset(("rope", "rotary")),
    frozenset(("learned", "learned_absolute", "absolute")),
    frozenset(("silu", "swish")),
)
# Kinds of numbers, and the widths that there are.
_KIND = regex(r"(bf|fp|float|bfloat|bfp)(\d{1,3})")
_WIDTHS = (4, 6, 8, 16, 32, 64)
# What a shell would work out: nothing does so in a file.
_SHELL_SUM = regex(r"\$\(\(.*\)\)|\$\[.*\]")
_LEFT_OPEN = ("$", "{", "<", "?", "(", "[", "/", " ", "%", "@", "*")


def is_open(text: str) -> bool:
    """Whether something else fills the value in: a variable, a template, a place holder."""
    return not text or any(sign in text for sign in _LEFT_OPEN)


def no_number(value: Scalar, field: str) -> bool:
    """Whether a value of a numeric field is text that no reader takes for a number."""
    if not isinstance(value, str) or field in _WORDED or FIELDS[field][0] not in (int, float):
        return False
    text = value.strip()
    if (
        _SUM.fullmatch(text)
        or _SHELL_SUM.fullmatch(text)
        or _LOST_ONE.fullmatch(text)
        or (_WRITTEN_OUT.fullmatch(text.lower()) and as_number(text) is None)
    ):
        return True
    if is_open(text) or _UNIT.fullmatch(text):
        return False
    if "," not in text and as_number(text) is not None:
        return False
    return _SLIPPED.fullmatch(text) is not None or text.lower() in _WORD_FOR_NUMBER


def letter_for_zero(value: Scalar, name: str) -> bool:
    """``10o``, ``l6`` behind a name that counts something: no unit is written so."""
    words = name.split("_")
    counts = not _COUNTING.isdisjoint(words) or words[0] in ("num", "max", "min")
    return isinstance(value, str) and counts and _LETTER_O.fullmatch(value) is not None


def with_sign(value: Scalar, field: str) -> bool:
    """A number of a numeric field with a comma or the like behind it: wrong whoever reads it."""
    numeric = FIELDS.get(field, (str,))[0] in (int, float)
    return isinstance(value, str) and numeric and _WITH_SIGN.fullmatch(value) is not None


def number_and_comma(value: Scalar, name: str) -> bool:
    """``100000,`` behind any name but that of devices, where ``0,`` is the first of them."""
    devices = any(word in name for word in ("gpu", "device", "cuda", "rank", "ids"))
    return isinstance(value, str) and not devices and _AND_COMMA.fullmatch(value) is not None


def switch_for_number(value: Scalar, field: str) -> bool:
    """``true`` where only a number says anything: Python counts it as 1."""
    return value is True and field in _NUMBERS


def not_finite(value: Scalar, field: str) -> bool:
    """NaN, which no number of a run can be, or an infinity where it does not stand for "no limit"."""
    if isinstance(value, bool) or FIELDS.get(field, (str,))[0] not in (int, float):
        return False
    text = str(value).strip().lower().lstrip("+-.") if isinstance(value, (str, float)) else ""
    return text == "nan" or (text in ("inf", "infinity") and field not in _UNLIMITED)


def part_of_count(value: Scalar, field: str, *, whole_warmup: bool) -> bool:
    """A part of what is counted; transformers 5 reads a part of a warmup step as a share."""
    number = None if isinstance(value, bool) else as_number(value)
    if number is None or number == int(number):
        return False
    if field == "warmup_steps":
        return whole_warmup
    return field in WHOLE or (field in INTERVALS and number > 1)


def whole_in_digits(written: str, field: str, *, whole_warmup: bool) -> int | None:
    """The number that ``1e5`` or ``4.0`` stands for behind a flag of whole numbers, which argparse
    reads with int(): that takes neither.

    ``whole_warmup``: the framework counts the warmup and what comes at intervals in whole steps.
    """
    number = as_number(written) if written else None
    counts = field in WHOLE or (whole_warmup and field in _MAYBE_SHARES)
    if number is None or not counts or not number.is_integer() or "_" in written:
        return None
    return int(number)


def switch_meant(value: Scalar) -> str:
    """``true`` or ``false`` where a value is a slip of it, else ""."""
    if not isinstance(value, str) or not _SHORTEST <= len(value) <= len("falsee"):
        return ""
    text = value.lower()
    if text in _OTHER_WORDS or text[:1] not in "tfraul":
        return ""
    near = [word for word in _SWITCHES if letters_apart(text, word, 1) or _mixed(text, word)]
    return near[0] if len(near) == 1 and text not in _SWITCHES else ""


def _mixed(text: str, word: str) -> bool:
    """Whether a word has the letters of another behind the same first one: flaes."""
    return text[0] == word[0] and sorted(text) == sorted(word)


def refused(
    value: Scalar, taken: Sequence[str], *, whole: bool, alike: bool
) -> tuple[str, bool] | None:
    """(the word that is meant or "", whether the list has all) of a word that is not taken.

    ``whole``: further words are those of releases to come only. ``alike``: no rule tells what
    another framework calls so.
    """
    first = str(value)[:1]  # of a whole list a word may begin with a figure: 9B for 8B
    if not isinstance(value, str) or is_open(value) or not (first.isalpha() or whole):
        return None
    words = [word for word in taken if word != MORE]
    text = value.strip().lower()
    if text in ("none", "null", "auto") or any(text == word.lower() for word in words):
        return None
    closed = len(words) == len(taken)
    near = (called(text, words) if alike else []) or _near(text, words, sure=not closed)
    if whole and not near:  # low_var for low_var_kl
        near = [word for word in words if word.lower().startswith(f"{text}_")]
    near = [word for word in near if sorted(text) == sorted(word.lower())] or near
    if not closed and len(near) != 1:
        return ("", False) if whole else None
    return (near[0] if len(near) == 1 else ""), closed


def called(text: str, words: Sequence[str]) -> list[str]:
    """The words for the same thing, whatever they look like: ``rotary`` for ``rope``."""
    return [w for w in words if any(text in one and w.lower() in one for one in _ALIKE)]


def _near(text: str, words: Sequence[str], *, sure: bool) -> list[str]:
    """The words that a text may stand for: by a slip, with a part shortened, with a sign typed
    twice (``fa22``), or as a kind of number of a width that no number has (``bf61``).
    """
    near = [word for word in words if _slip(text, word.lower(), sure=sure)]
    near = near or [word for word in words if _shortened(text, word.lower())]
    once = [text[:i] + text[i + 1 :] for i in range(1, len(text)) if text[i] == text[i - 1]]
    near = near or [w for w in words if w.lower() in once or any(_shortened(o, w) for o in once)]
    return near or _of_that_kind(text, words)


def _of_that_kind(text: str, words: Sequence[str]) -> list[str]:
    """Of ``bf15`` and ``float61`` the words of the same kind; those of a width there is are left."""
    kind = _KIND.fullmatch(text)
    if kind is None or int(kind[2]) in _WIDTHS:
        return []
    return [w for w in words if (own := _KIND.fullmatch(w.lower())) and own[1] == kind[1]]


def _slip(text: str, word: str, *, sure: bool) -> bool:
    """``sure``: further words may be right, so only letters swapped, an inner one wrong, an s
    behind it, or the last left out, or of a long word wrong.
    """
    if text == f"{word}s" and len(word) >= _SHORTEST:
        return True
    ends = text[0] == word[0] and text[-1] == word[-1]
    if ends and len(text) == len(word) == _SHORTEST and {*text} == {*word}:
        return True  # the wrong letter typed twice: dpp
    if len(text) < _SHORTEST or digits_of(text) != digits_of(word):
        return False
    if sorted(text) == sorted(word):
        return is_swapped(text, word)
    last = len(text) == len(word) >= _LAST and text[:-1] == word[:-1] and text.isascii()
    inner = text[0] == word[0] and (text[-1] == word[-1] or text == word[:-1] or last)
    lost = len(text) == _SHORTEST and len(word) > _SHORTEST and text[-1] == word[-1]
    if sure and not (inner and (len(text) > _SHORTEST or lost)):
        return False
    limit = 2 if len(text) >= _LONG and not sure else 1
    return letters_apart(text, word, limit) is not None


def _shortened(text: str, word: str) -> bool:
    """Whether a word of several parts is the other with a part shortened, or other dashes:
    ``flash_attn2`` for ``flash_attention_2``.
    """
    parts, full = _PART.findall(text), _PART.findall(word)
    if len(word) < _LONG or len(full) < 2:
        return False
    if "".join(parts) == "".join(full):
        return True
    pairs = [(a, b) for a, b in zip(parts, full, strict=False) if a != b]
    return len(parts) == len(full) and len(pairs) == 1 and _abbreviates(*pairs[0])


def _abbreviates(short: str, full: str) -> bool:
    """``attn`` for ``attention``: its first letter and others of it in order, three fewer at least."""
    if not _SHORTEST <= len(short) <= len(full) - 3 or short[0] != full[0]:
        return False
    letters = iter(full)
    return all(letter in letters for letter in short)
