"""Words that a key does not take: slips of those that its framework names, and of a switch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial

from medic.facts import Repair
from medic.i18n import Text
from medic.probe import Finding
from medic.records import replace
from medic.run_config import PLAIN, Setting
from medic.text.patterns import regex

from ..flags.distance import NEAREST, flat
from .keys import Framework, parts_of
from .setting_faults import fault, rewritten
from .value_kinds import MORE, called, refused, switch_meant

NOT_TAKEN = "flag-value-not-accepted"
_MAX_SHOWN = 10
_DEVICES = ("cpu", "gpu", "cuda", "tpu", "npu", "xpu", "hpu", "mps", "mlu", "rocm")
# q_proj,v_proj; full_shard auto_wrap
_PARTED = regex(r"\s*,\s*|\s+")
_SWITCH = Text(
    "{key}: {value} is neither true nor false", "{key}：{value} 既不是 true 也不是 false"
)
_TAKES = Text("{key} does not take {value}; it takes {taken}", "{key} 不接受 {value}，可选 {taken}")
_TAKES_AS_KNOWN = Text(
    "{key} does not take {value} in the releases that medic knows; it takes {taken}",
    "在 medic 已知的版本中，{key} 不接受 {value}，可选 {taken}",
)
_NO_SUCH = Text(
    "{key} does not take {value}; {meant} is meant", "{key} 不接受 {value}，应为 {meant}"
)


def word_fault(
    setting: Setting, entries: Mapping[str, Framework], stated: frozenset[str]
) -> Finding | None:
    """A word that a key does not take, of those that its framework names."""
    if not isinstance(setting.value, str) or switch_meant(setting.value):
        return None
    readers = list(_readers(setting, entries, stated))
    for entry in readers:
        exact = any(_ends(setting, key) for key in entry.exact)
        word = _other_case(setting, setting.value, entry) if exact else ""
        if word:
            return _not_taken(setting, setting.value, (word, word, True), ())
    for entry in readers:
        for key, taken in entry.choices.items():
            if not _ends(setting, key):
                continue
            if any(_listed_as_wrong(setting, one, stated) for one in readers):
                return None  # the rule names what is meant
            ruled = any(rules_it(setting, one, stated) for one in readers)  # told by its rule
            whole = key in entry.whole and not ruled
            others = cache(partial(_words_of, entries, taken))  # few words are refused
            return _refused_part(
                setting, setting.value, taken, whole=whole, alike=not ruled, others=others
            )
    return None


def in_fork(found: Finding | None) -> Finding | None:
    """Of a fork, which may take further words, only a slip of a word that is known is told."""
    if found is None or found.repair is None:
        return None
    return replace(found, value={**found.value, "unsure": True})


def _words_of(entries: Mapping[str, Framework], taken: Sequence[str]) -> frozenset[str]:
    """Words in small letters that mean something in another list: none of them is a slip."""
    own = {flat(word) for word in taken}
    every = (word for one in entries.values() for words in one.choices.values() for word in words)
    return frozenset(w.lower() for w in (*every, *_DEVICES) if flat(w) not in own)


def _ends(setting: Setting, key: str) -> bool:
    steps = parts_of([key])
    return setting.path[-len(steps) :] == steps


def _other_case(setting: Setting, value: str, entry: Framework) -> str:
    """The word of an enumeration that a value is but for the case of its letters, else ""."""
    if value.lower() in ("no", "none", "null"):
        return ""  # what YAML makes of it is told elsewhere
    words = [word for key, taken in entry.choices.items() if _ends(setting, key) for word in taken]
    for rule in entry.rules:
        for key, condition in rule.where.items():
            if rule.cause == NOT_TAKEN and _ends(setting, key):
                words += [str(one) for one in getattr(condition, "unlike", ())]
    if value in words:
        return ""
    return next((one for one in words if one.lower() == value.lower()), "")


def _refused_part(
    setting: Setting,
    value: str,
    taken: Sequence[str],
    *,
    whole: bool,
    alike: bool,
    others: Callable[[], frozenset[str]],
) -> Finding | None:
    """What is wrong with a word, or with one of several that commas part: ``q_proj,v_prj``."""
    several = MORE in taken and "{" not in value  # ${oc.select:one,other} is one value
    for part in _PARTED.split(value.strip("[] ")) if several else [value]:
        found = refused(part.strip(), taken, whole=whole, alike=alike)
        if found is not None:
            meant, closed = found
            word = part.strip().lower()
            if word in others() and not _plural(word, meant) and not called(word, [meant]):
                meant = ""
            anew = value.replace(part.strip(), meant, 1) if meant else ""
            return _not_taken(setting, part.strip(), (meant, anew, closed), taken)
    return None


def _plural(one: str, other: str) -> bool:
    """``step`` and ``steps``, ``constant`` and ``ConstantLR`` are the same thing."""
    short, long = sorted((flat(one), flat(other)), key=len)
    return long.removeprefix(short) in ("s", "lr")


def _readers(
    setting: Setting, entries: Mapping[str, Framework], stated: frozenset[str]
) -> Iterator[Framework]:
    """The framework that reads a setting, those that it builds on, and what any script takes
    where none of their rules is about it.
    """
    own = entries.get(setting.origin.framework)
    if own is None:
        return
    readers = [own, *(entries[name] for name in own.builds_on if name in entries)]
    yield from readers
    if PLAIN in entries and not any(rules_it(setting, one, stated) for one in readers):
        yield entries[PLAIN]


def rules_it(setting: Setting, entry: Framework, stated: frozenset[str]) -> bool:
    """Whether a rule of the entry, all keys of which are written, tells a key's words; one that lists
    words that are wrong tells these alone."""
    told = list(_conditions(setting, entry, stated))
    return any(not isinstance(one, (list, tuple)) for one in told) or _listed_as_wrong(
        setting, entry, stated
    )


def _listed_as_wrong(setting: Setting, entry: Framework, stated: frozenset[str]) -> bool:
    text = str(setting.value).lower()
    return any(
        text in {str(word).lower() for word in words}
        for words in _conditions(setting, entry, stated)
        if isinstance(words, (list, tuple))
    )


def _conditions(setting: Setting, entry: Framework, stated: frozenset[str]) -> Iterator[object]:
    """What the rules of the entry, all keys of which are written, say of a key's words."""
    for rule in entry.rules:
        if rule.cause != NOT_TAKEN:
            continue
        names = {key.rpartition(".")[2].replace("-", "_"): key for key in rule.where}
        key = names.get(setting.path[-1])
        if key is not None and names.keys() <= stated:
            yield rule.where[key]


def _not_taken(
    setting: Setting, word: str, found: tuple[str, str, bool], taken: Sequence[str]
) -> Finding:
    """``found``: what is meant or "", the whole value with it, whether the list has all."""
    meant, whole, closed = found
    shown: dict[str, object] = {"key": setting.origin.key, "value": word}
    if meant:
        what = _NO_SUCH.fill({**shown, "meant": meant})
    else:
        words = [one for one in taken if one != MORE]
        listed = ", ".join([*words[:_MAX_SHOWN], *([MORE] if len(words) > _MAX_SHOWN else [])])
        what = (_TAKES if closed else _TAKES_AS_KNOWN).fill({**shown, "taken": listed})
    repair = _fix(setting, whole) if meant else None
    cut = meant.lower().startswith(f"{word.lower()}_")  # which a later release may take
    values = {"what": what, "closed": closed, "unsure": not closed and (cut or not meant)}
    return fault(NOT_TAKEN, setting, setting.value, values, repair)


def switch_fault(setting: Setting, entries: Mapping[str, Framework]) -> Finding | None:
    """A slip of true or false: to every loader it is text, and text is true."""
    meant = switch_meant(setting.value)
    if not meant or setting.origin.framework not in entries:
        return None
    what = _SWITCH.fill(key=setting.origin.key, value=setting.value)
    return fault(NOT_TAKEN, setting, setting.value, {"what": what}, _fix(setting, meant == "true"))


def _fix(setting: Setting, value: str | bool) -> Repair | None:
    return rewritten(setting, value, NEAREST, safe=False)
