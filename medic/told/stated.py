"""Values of the run that a person states in words: "8 GPUs per node", "seq len 4096", 每节点 8 卡."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from medic.i18n import Text
from medic.run_config import FIELDS, Scalar
from medic.text.patterns import regex
from medic.told.absent import features
from medic.told.field_words import CARD, NAMES, PHRASES
from medic.told.fillers import says_nothing
from medic.told.model_words import GPU, MODEL, named
from medic.told.owners import is_of_another, of_others
from medic.told.shared_out import shared_out
from medic.told.some_cards import acts, are_some
from medic.told.value_words import DIGITS, NUMBER, SWITCHES, UNIT, WORDS, value_of

if TYPE_CHECKING:
    from medic.index.knowledge import Index

MAX_LENGTH = 600  # characters; what is longer is a report or a paste, and is read as such
# A hyphen joins a name and its number ("batch-size-8"); behind anything else it is a sign.
_LINK = (
    r"(?:\s*(?:==?|:|：)\s*|\s+(?:is|are|was|of|to|at|on|set\s+to|equals)\s+|"
    r"\s*(?:改成|改为|配成了?|写成了?|配置成|设置为|设为|设成|等于|大小为|是|为|用)\s*|\s+|(?<=\w)[_-](?=\d))"
)
_WRITTEN = r"\s*(?:==?|:|：)\s*|\s+(?:is|set\s+to)\s+|\s*(?:是|为|设为|设成)\s*"
ASKED = regex(r"[?？]\s*$|吗|^\s*(?:how|what|why|should|can|could|is|are|does|do|if|which)\b", re.I)
# Of a run, and of no fault by itself.
_TELLS_NOTHING = regex(
    r"\bbatch(?:[ _-]?size)?(?: ?[=:]| is| of)? (?!1\b)\d+\b|批(?:次|量)?(?:大小)?(?:是|为|：|:|=)? ?(?!1\b)\d+|"
    r"\b(?:the )?(?:random )?seed(?: ?[=:]| is| of)? ?\d+\b|随机种子(?:是|为|：|:)? ?\d+|"
    r"\b(?:wandb|tensorboard|swanlab|mlflow|neptune|clearml|aim)(?: is on| logging)?\b",
    re.I,
)
# Of a machine: a fault of an installation or of a library depends on it, no other does.
_SYSTEM = regex(
    r"\b(?:ubuntu|debian|centos|rocky(?: linux)?|almalinux|rhel|fedora|suse|sles|windows) ?\d[\d.]*(?: lts)?\b|"
    r"\bpython ?[=:]? ?3\.\d+(?:\.\d+)?\b",
    re.I,
)
_INSTALLS = regex(
    r"\b(?:un)?install\w*|\b(?:pip|uv|conda|mamba|apt|wheels?|setuptools|importing|imports?|modules?|packages?|"
    r"librar(?:y|ies)|dependenc\w+|glibc\w*|libstdc\S*|libc|abi|symbols?|compil(?:e|es|ed|er|ing|ation)|"
    r"build(?:s|ing)?|gcc|nvcc|ninja|versions?|incompatib\w+)\b|"
    r"(?:Import|ModuleNotFound)Error|\.so\b|安装|装不|导入|编译|依赖|版本|动态库|找不到.{0,8}(?:库|模块|符号)",
    re.I,
)
_LONE = regex(rf"(?<![\w.-]){NUMBER}(?![\w.%])", re.I)
_BLANKS = regex(r"[ \t]{3,}|_{3,}|-{3,}")  # no name has so many: spares trying each of them
_CLAUSE_END = regex(r"[;，；。！!\n]|[,.](?!\d)|,\s")
_DENIED = regex(r"(?:\b(?:not?|isn'?t|aren'?t|never)|不是|并非|不用|没有?|别用|未)\s*$", re.I)
# What a clause reports, expects or denies is no statement of what the run has.
_REPORTS = regex(
    r"\b(?:not?|never|cannot|nor|neither|expect(?:s|ed|ing)?|tr(?:y|ied|ies|ying)|work(?:s|ed|ing)?|"
    r"help(?:s|ed)?|should|would|could|might|instead|rather|previously|formerly|earlier|if)\b|n't\b|"
    r"used to be|不|没|未|无法|无效|并非|期望|预期|预计|应该|应当|本来|原来|原本|之前|以前|"
    r"试过|试了|尝试|能跑|可以|正常|如果|假如|建议",
    re.I,
)

# What trains a small part beside a frozen model.
_ADAPTERS = regex(
    r"\b(?:(?:q|do|rs)?lora|p-?tuning|prefix[ -]?tuning|peft|adapters?)\b|适配器", re.I
)
_QUANTISED = regex(r"\bqlora\b|\b(?:4|8)[ -]?bit\b|\b(?:nf4|int4|int8)\b|quanti[sz]|量化", re.I)

COUNT = "world_size"
# Not "only one GPU is busy": that tells of the others.
_HAVE_ONE = regex(
    rf"\b(?:have|has|got|own)(?: only| just)?(?: one| a single) (?:{CARD}|gpu|card)(?=\s*(?:$|[.,;，。；]))",
    re.I,
)
Place = tuple[int, int]


class Stated(NamedTuple):
    """A canonical field, the value that the words give it, and those words."""

    field: str
    value: Scalar
    quote: str


def stated(text: str, index: Index | None = None) -> tuple[Stated, ...]:
    """The values in a text, in its order; a field that is given two values has none. With an
    ``index`` also the models and GPUs that it knows by name.

    Nothing where the text asks, or is longer than people type.
    """
    return tuple(item for item, _ in _found(_squeezed(text), index))


def reckonable(text: str, index: Index) -> tuple[Stated, ...]:
    """The values in a text, without the model's name where adapters of an unstated rank are trained, or
    weights of unstated bits are kept: a model trained whole would be reckoned in its place."""
    values = stated(text, index)
    fields = {item.field for item in values}
    whole = ("lora_rank" in fields or not _ADAPTERS.search(text)) and (
        "quantization" in fields or not _QUANTISED.search(text)
    )
    return values if whole else tuple(item for item in values if item.field != MODEL)


def only_states(text: str, index: Index | None = None) -> bool:
    """Whether the text says nothing but values."""
    text = _squeezed(text)
    return says_only(text, [place for _, place in _found(text, index)])


def beside_values(text: str, index: Index | None = None, before: str = "") -> str:
    """The text without its clauses that say nothing but values, or what no fault depends on.

    ``before`` is what was said before: the machine matters where it or the text is of libraries.
    """
    text = _squeezed(text)
    places = [place for _, place in _found(text, index)]
    places += [hit.span() for hit in _TELLS_NOTHING.finditer(text)]
    if not _INSTALLS.search(f"{before}\n{text}"):
        places += [hit.span() for hit in _SYSTEM.finditer(text)]
    kept = []
    for start, end in _clauses(text, places):
        own = [(a - start, b - start) for a, b in places if start <= a < end]
        kept.append("\n" if says_only(text[start:end], own) else text[start:end])
    return "".join(kept)


def without_names(text: str, index: Index) -> str:
    """The text without the names of the model and of the GPUs, and how many of these there are:
    what fits on them is reckoned, and no description of a fault is any nearer for them."""
    found = _found(text := _squeezed(text), index)
    cards = [place for item, place in found if item.field == GPU]
    gone = [place for item, place in found if item.field in (MODEL, GPU)]
    for item, (start, end) in found:
        near = (text[end:a].strip() == "" == text[b:start].strip() for a, b in cards)
        gone += [(start, end)] if item.field == COUNT and any(near) else []
    for start, end in sorted(gone, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return text


def called(name: str) -> Text:
    """What a canonical field is called."""
    meaning = FIELDS[name][2]
    return Text(meaning.en.split(";")[0], meaning.zh.split("，")[0])


def shown(name: str, value: Scalar) -> Text:
    """A field in words with its value."""
    number = isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10_000
    return Text("{what} = {value}", "{what} = {value}").fill(
        what=called(name), value=f"{value:,}" if number else value
    )


# --- reading --------------------------------------------------------------------------------


def _found(text: str, index: Index | None) -> Sequence[tuple[Stated, Place]]:
    if len(text) > MAX_LENGTH or ASKED.search(text):
        return ()
    others = list(of_others(text))
    every = sorted(_all(text), key=lambda one: (one[1][0] - one[1][1], one[1][0]))
    kept: list[tuple[Stated, Place]] = []
    for one in every:  # the longest first: "min lr" is no "lr"
        if all(one[1][1] <= start or end <= one[1][0] for _, (start, end) in kept):
            kept.append(one)
    if index is not None:  # a card is named within its count: "4 A100 80G"
        kept += [(Stated(f, name, words), at) for f, name, words, at in named(text, index)]
    kept = [
        one
        for one in kept
        if not _DENIED.search(text[: one[1][0]])
        and not _of_some(text, one)
        and not is_of_another(text, *one[1], others)
    ]
    values: dict[str, set[str]] = {}
    for item, _ in kept:
        values.setdefault(item.field, set()).add(repr(item.value))
    once = [one for one in kept if len(values[one[0].field]) == 1]
    return tuple(sorted(shared_out(text, _of_the_run(text, once)), key=lambda one: one[1]))


def _of_some(text: str, one: tuple[Stated, Place]) -> bool:
    item, (start, end) = one
    if item.field == "num_experts":
        return acts(text, end)
    return item.field == COUNT and are_some(text, start, end, alone=item.value == 1)


def _of_the_run(text: str, found: Sequence[tuple[Stated, Place]]) -> list[tuple[Stated, Place]]:
    """Those whose clauses, beside the values, neither deny, expect nor report what was tried."""
    places = [place for _, place in found]
    masked = _masked(text, places)
    told = [(a, b) for a, b in _clauses(text, places) if _REPORTS.search(masked[a:b])]
    return [one for one in found if not any(a <= one[1][0] < b for a, b in told)]


def _masked(text: str, places: Sequence[Place]) -> str:
    """The text, as long as it was, with ``=`` in place of its values."""
    for start, end in places:
        text = f"{text[:start]}{'=' * (end - start)}{text[end:]}"
    return text


def _clauses(text: str, places: Sequence[Place]) -> list[Place]:
    """The clauses of a text; what ends one within a value ends none."""
    ends = (hit.end() for hit in _CLAUSE_END.finditer(_masked(text, places)))
    return list(pairwise([0, *ends, len(text)]))


def _squeezed(text: str) -> str:
    return _BLANKS.sub(" ", text)


def left_over(text: str, index: Index | None = None) -> list[str]:
    """The numbers in a text of values that are given to no field: the second of "lr=3e-4 3e-5"."""
    text = _squeezed(text)
    places = [place for _, place in _found(text, index)]
    rest = _masked(text, places).replace("=", " ")
    if not places or not says_nothing(_LONE.sub(" ", rest)):
        return []
    return [hit.group() for hit in _LONE.finditer(rest)]


def says_only(text: str, places: Sequence[Place]) -> bool:
    """Whether a text says nothing beside the values at these places."""
    return bool(places) and says_nothing(_masked(text, places).replace("=", " "))


def _all(text: str) -> Iterator[tuple[Stated, Place]]:
    for field, value, words, place in features(text):
        yield Stated(field, value, words), place
    for field, raw, hit in written(text):
        value = value_of(field, raw)
        if value is not None:
            yield Stated(field, value, hit.group().strip()), hit.span()
    for one in _HAVE_ONE.finditer(text):
        yield Stated(COUNT, 1, one.group()), one.span()


def written(text: str) -> Iterator[tuple[str, str, re.Match[str]]]:
    """Each field that a text may give a value, and that value with the sign that is written at it:
    "每节点 -8 卡" is no eight."""
    for field, pattern in _patterns():
        for hit in pattern.finditer(text):
            at = next((n for n, group in enumerate(hit.groups(), 1) if group), 0)
            start = hit.start(at)
            minus = at and text[start - 1 : start] == "-" and text[start - 2 : start - 1].isspace()
            yield field, ("-" if minus else "") + hit[at] if at else "", hit


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((f, re.compile(_pattern(f), re.I)) for f in FIELDS if f not in (MODEL, GPU))


def names_of(field: str) -> str:
    """What people call a field, as one pattern; a blank in it may be a hyphen, too."""
    title = called(field)
    own = [field.replace("_", " "), re.escape(title.en.lower()), re.escape(title.zh.lower())]
    return "|".join([*own, *NAMES.get(field, ())])


def _pattern(field: str) -> str:
    """A number in a phrase, or a name before its value."""
    kind, unit, _ = FIELDS[field]
    names = names_of(field)
    if kind in (int, float):
        value, link = f"({NUMBER}{UNIT})", _LINK
    elif kind is bool:
        value, link = f"({'|'.join(SWITCHES)})", _LINK
    elif "|" in unit:
        value, link = f"({'|'.join([*unit.split('|'), *WORDS])})", _LINK
    else:
        value, link = r"([^\s,;，；。]+)", _WRITTEN
    parts = [rf"(?<![a-z0-9_.])(?:{names})(?:{link})?{value}(?![a-z0-9_.]*[a-z0-9_])"]
    if kind is str and "|" not in unit:
        parts = [rf"(?<![a-z0-9_.])(?:{names})(?:{link}){value}"]
    for phrase in PHRASES.get(field, ()):
        # Chinese is written with and without blanks around a number.
        blank = "" if phrase.isascii() else " ?"
        number = phrase.replace("#", f"{blank}({NUMBER}{UNIT}|[{DIGITS}]){blank}")
        end = "" if "(?=" in phrase else "(?![a-z0-9])"
        parts.append(rf"(?<![a-z0-9_.+-]){number}{end}")
    return spelled("|".join(parts))


def spelled(pattern: str) -> str:
    """A pattern with blanks as people write them: as white space, hyphens or underscores."""
    return pattern.replace("\\ ", " ").replace(" ?", r"[\s_-]*").replace(" ", r"[\s_-]+")
