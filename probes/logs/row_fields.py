"""A row of a training loop, of whatever layout, cut into numbers with the names and units beside them."""

from __future__ import annotations

from typing import NamedTuple

from medic.text.patterns import regex

from .chinese import HINTS, in_english

MAX_LINE, MAX_FIELDS = 700, 60  # characters, numbers
_DECIMAL = regex(r"(?i)\d\.\d|\d[eE][-+]?\d|\bnan\b|\binf(?:inity)?\b")
_NUMBER = regex(
    r"(?i)(?<![\w.@])([-+]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d*)?(?:e[-+]?\d+)?|[-+]?\.\d+(?:e[-+]?\d+)?"
    r"|[-+]?(?:nan|inf|infinity)(?![a-z0-9_]))"
)
# |g|, ||g||, ‖∇L‖: the norm of the gradient.
_NORM = regex(
    r"(?i)(?:\|{1,2}|\u2016)\s?(?:g|grads?|gradient|\u2207\w?|dw)\s?(?:\|{1,2}|\u2016)(?:_?2\b)?"
)
# ep1, it20, eval@100, #20: a letter or a sign touches the number.
_TOUCHED = regex(
    r"(?i)(?<![\w/.-])(epoch|ep|e|iter|it|step|batch|upd|update|eval|val|valid|test|i|s|b|u|t)([@#]?)(\d+)(?![\w.])"
)
_DRAWN = regex(r"\|[ #>\-\u2580-\u259f]{2,}\||\[[=>.\- ]{3,}\]|[\u2501\u2578\u257a\u2500]{3,}")
_BOX = str.maketrans("\u2502\u2503\u2551\uff5c\u250a\u2506", "||||||")
_UNIT = regex(
    r"(?i)\s?[(\[]?((?:ms|sec|secs|seconds|s) ?/ ?(?:it|iter|iteration|step|batch|update)|"
    r"(?:it|its|iter|iters|steps?|batch|batches|updates?) ?/ ?s(?:ec)?|"
    r"[km]? ?(?:tok|toks|token|tokens|words?|samples?|imgs?|images?|ex|examples?|seqs?|sequences?)"
    r"(?: ?/ ?s(?:ec(?:ond)?)?)?|ms|us|s|sec|secs|seconds|[kmg]i?b|bytes|%|k|m)(?![a-z/])"
)
_CUT = regex(r"[|,;{}\t\"'\[\]()<>]|\s-+\s|:\s|\s{2,}|\u2192|->|\u00b7")
_SIGNS = regex("[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]+")  # arrows, drawings, emoji
_WORD = regex(r"[A-Za-z]{1,20}")
_EDGES = " \t=:~*\u2248-@#"
MEAN = "("  # stands before the average of the number before


class Field(NamedTuple):
    """One number. ``name`` is in lower case with underscores; ``before`` is the text since the number
    before, ``unit`` what stands behind it, in lower case; ``slashed``: the next number is its total."""

    name: str
    value: float
    unit: str
    slashed: bool
    whole: bool  # written as an integer
    before: str


def may_be_row(words: str) -> bool:
    """Whether a line is worth to be cut up."""
    return 4 <= len(words) <= MAX_LINE and _DECIMAL.search(words) is not None


def plain(words: str) -> str:
    """The line with drawings taken out, and what touches a number set apart."""
    if not words.isascii():
        words = words.translate(_BOX)
        if any(map(words.__contains__, HINTS)):
            words = in_english(words)
    words = _NORM.sub(" gnorm ", words)
    words = _DRAWN.sub(" | ", words)
    if not words.isascii():
        words = _SIGNS.sub(" | ", words)
    return _TOUCHED.sub(r"\1 \2 \3", words)


def cut(words: str) -> tuple[tuple[str, ...], list[Field]]:
    """(the skeleton, which the rows of one print share; the numbers)."""
    parts = _NUMBER.split(plain(words))
    fields: list[Field] = []
    if len(parts) > 2 * MAX_FIELDS:
        return (), fields
    for n in range(0, len(parts) - 1, 2):
        before, written, behind = parts[n], parts[n + 1], parts[n + 2]
        unit = _UNIT.match(behind)
        word = unit[1].lower().replace(" ", "") if unit else ""
        slashed = behind.strip()[:1] == "/" and not word
        whole = written.lstrip("+").replace(",", "").isdigit()
        fields.append(Field(_name(before), _float(written), word, slashed, whole, before))
    last = _WORD.search(parts[-1])
    tail = last[0].lower() if last else ""
    skeleton = tuple(" ".join(part.split()) for part in parts[:-1:2])
    return (*skeleton, tail), fields


def _name(before: str) -> str:
    """The words right before a number, without the unit of the number before."""
    unit = _UNIT.match(before)
    text = before[unit.end() :] if unit else before
    if text.rstrip().endswith("("):
        return MEAN if not text.strip(" (") else _underscored(_CUT.split(text.rstrip(" ("))[-1])
    text = text.rstrip(_EDGES + "\"'[")
    return _underscored(_CUT.split(text)[-1].strip(_EDGES))


def _underscored(name: str) -> str:
    return "_".join(name.lower().replace("/", " ").replace("-", " ").replace("_", " ").split())


def _float(written: str) -> float:
    try:
        return float(written.replace(",", ""))
    except ValueError:
        return float("nan")
