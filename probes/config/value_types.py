"""What a key of YAML has to be, where its framework declares a number or a switch."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from medic.i18n import Text
from medic.patterns import regex
from medic.run_config import Setting

from .keys import Framework, parts_of
from .value_kinds import is_open
from .values import as_number

NUMBERS = ("number", "converted-number", "converted-whole")
SWITCHES = ("switch", "converted-switch")
A_NUMBER = Text("a number", "是数字")
A_PLAIN_NUMBER = Text("a number without quotes (this is text)", "是不带引号的数字（现为字符串）")
A_WHOLE = Text("a whole number", "是整数")
A_SWITCH = Text("true or false", "为 true 或 false")
_WORDS = frozenset("true yes on 1 t y false no off 0 f n".split())  # noqa: SIM905
_NOTHING = frozenset(("none", "null", "auto", "~", ""))
_DIGIT = regex(r"\d")
_KINDS: dict[str, tuple[Framework, Mapping[tuple[str, ...], str]]] = {}


def kind_of(setting: Setting, entries: Mapping[str, Framework]) -> str:
    """The kind that the framework, or one that it builds on, declares for the whole path."""
    own = entries.get(setting.origin.framework)
    if own is None:
        return ""
    for entry in (own, *(entries[name] for name in own.builds_on if name in entries)):
        found = _kinds(entry).get(setting.path)
        if found:
            return found
    return ""


def declared_single(
    framework: Framework, entries: Mapping[str, Framework]
) -> Collection[tuple[str, ...]]:
    """The whole paths of the keys that are declared as one number or one switch."""
    bases = [entries[name] for name in framework.builds_on if name in entries]
    kinds = (*NUMBERS, *SWITCHES)
    return {
        path
        for entry in (framework, *bases)
        for path, kind in _kinds(entry).items()
        if kind in kinds
    }


def _kinds(entry: Framework) -> Mapping[tuple[str, ...], str]:
    kept = _KINDS.get(entry.name)
    if kept is None or kept[0] is not entry:
        found = {parts_of([key]): kind for kind, keys in entry.types.items() for key in keys}
        kept = _KINDS[entry.name] = (entry, found)
    return kept[1]


def wrong_type(setting: Setting, entries: Mapping[str, Framework]) -> Text | None:
    """What the value has to be; None where it is that, or may be filled in."""
    value, syntax = setting.value, setting.origin.syntax
    if value is None or syntax not in ("yaml", "toml"):
        return None
    kind = kind_of(setting, entries)
    if kind in SWITCHES:
        return _switch(setting)
    if syntax == "toml" and (not isinstance(value, str) or as_number(value) is not None):
        return None  # told with the types of JSON and TOML
    if kind not in NUMBERS:
        return None
    if isinstance(value, bool):
        return A_NUMBER if value else None  # what is off counts as 0
    if kind == "converted-whole" and isinstance(value, float) and not value.is_integer():
        return A_WHOLE
    if not isinstance(value, str) or value.lower() in _NOTHING:
        return None
    if is_open(value.replace("%", "").replace(" ", "")) or not _DIGIT.search(value):
        return None
    if as_number(value) is not None and "," not in value:
        return A_PLAIN_NUMBER if kind == "number" else None
    return A_NUMBER


def _switch(setting: Setting) -> Text | None:
    value = setting.value
    if isinstance(value, str):
        word = value.strip().lower()
        return None if word in _WORDS or word in _NOTHING or is_open(word) else A_SWITCH
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return A_SWITCH if number and value not in (0, 1) else None
