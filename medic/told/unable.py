"""What a person says that the hardware cannot do: a remedy that needs it is no first advice."""

from __future__ import annotations

from collections.abc import Iterable

from medic.entries import Remedy
from medic.text.patterns import regex

_BF16 = r"(?:bf16|bfloat16)"
# Cards before Ampere compute no bf16.
_OLD_CARD = (
    r"(?<![a-z0-9])(?:v100s?|t4|p100|p40|p4|titan|(?:rtx ?)?20[678]0(?: ?ti)?|"
    r"1080(?: ?ti)?|quadro rtx)(?![a-z0-9])"
)
_NEW_CARD = (
    r"(?<![a-z0-9])(?:a100|a800|h100|h800|h200|h20|b200|a10g?|a40|a30|a6000|l4|l40s?|"
    r"30[6789]0|40[6789]0|5090)(?![a-z0-9])"
)
_NO_BF16 = regex(
    rf"(?ai)\b(?:no|without|lacks?|cannot|can'?t|can not|(?:do|does)(?: not|n'?t)|"
    rf"unable to)\b[^,.;，。；]{{0,18}}{_BF16}|"
    rf"{_BF16}[^,.;，。；]{{0,12}}\b(?:(?:is|isn'?t)(?: not)? (?:un)?(?:supported|available)|"
    rf"unsupported)|"
    rf"(?:不能|不支持|没法|无法|没有|用不了|不可)[^，。；]{{0,6}}{_BF16}|"
    rf"{_BF16}[^，。；]{{0,6}}(?:不支持|用不了|不能用|不可用|没法用)"
)
_SUPPORTED = regex(rf"(?ai){_BF16} is (?:supported|available)")
_OLD, _NEW = regex(f"(?ai){_OLD_CARD}"), regex(f"(?ai){_NEW_CARD}")


def no_bf16(text: str) -> bool:
    """Whether a text says that bf16 is out of reach, or names only cards without it."""
    if _NO_BF16.search(text) and not _SUPPORTED.search(text):
        return True
    return _OLD.search(text) is not None and _NEW.search(text) is None


def in_reach_first(remedies: Iterable[Remedy], text: str) -> list[Remedy]:
    """Remedies in their order, those that need what the hardware lacks last."""
    found = list(remedies)
    return sorted(found, key=_asks_bf16) if no_bf16(text) else found


def _asks_bf16(remedy: Remedy) -> bool:
    change = remedy.changes.get("precision")
    return change is not None and change.set == "bf16"
