"""A loss that jumped: that it does not fall afterwards is the same trouble, and no plateau."""

from __future__ import annotations

from medic.text.patterns import regex

_LOSS = regex(r"(?i)\bloss(?:es)?\b|损失")
_NUMBER = r"(\d+(?:\.\d+)?)"
_UP = r"(?:jump|spik|shoot|shot|explod|surg|leap|rocket|blew|blow|climb|rose|ris|goes|went)\w*"
_UP_ZH = r"(?:飙|跳|蹦|涨|升|突增|增|冲|爆|窜|蹿)"
# From one value to another, which must be the higher one.
_FROM_TO = regex(
    rf"(?i)\b{_UP}\b[^.;\n\d]{{0,24}}\bfrom {_NUMBER} (?:up )?to {_NUMBER}|"
    rf"从\s*{_NUMBER}[^。；\n\d]{{0,8}}{_UP_ZH}[^。；\n\d]{{0,6}}?{_NUMBER}"
)
_SUDDEN = regex(
    r"(?i)\b(?:sudden\w*|abrupt\w*|all at once) (?:jump|spik|shoot|shot|explod|surg|leap|rocket|blew)\w*|"
    r"\b(?:spikes|spiked|shoots up|shot up|explodes|exploded|jumps up|jumped up|blows up|blew up)\b|"
    r"(?:突然|忽然|一下子|瞬间)[^。；\n]{0,10}(?:飙|跳|蹦|暴涨|突增|冲|窜|蹿|爆炸)|飙升|飙到|暴涨|突增"
)
_DENIED = regex(
    r"(?i)(?:\b(?:no|not|never|without)\b|n't)[^,;]{0,24}$|(?:没有?|不会|未|不再)[^，]{0,6}$"
)
_SENTENCE = regex(r"\n|(?<=[.!?;])\s|[。！？；]")


def jump_of_loss(text: str) -> str:
    """The first sentence that tells of a loss that jumped up; empty: none does."""
    told = (part for part in _SENTENCE.split(text) if _LOSS.search(part) and _jumps(part))
    return next(told, "").strip()


def _jumps(sentence: str) -> bool:
    for found in _FROM_TO.finditer(sentence):
        low, high = (float(n) for n in found.groups() if n)
        if high > low:
            return True
    sudden = _SUDDEN.search(sentence)
    return sudden is not None and _DENIED.search(sentence[: sudden.start()]) is None
