"""Numbered codes of a kind that medic knows, such as XID 999: which of that kind it does know."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from medic.nearest import nearest
from medic.text.patterns import regex

if TYPE_CHECKING:
    from medic.index.knowledge import Index

MOST = 3
SIGNAL_BASE, SIGNALS = 128, 64  # a shell reports 128 + the signal that ended the program
# How a code of a kind is written, by the words that stand before its number.
_KINDS: Mapping[str, re.Pattern[str]] = {
    "XID": regex(
        r"(?i)(?:nvrm:\s*)?(?<!s)xid(?:\s*error)?\s*(?:\([^()]*\))?\s*[:#=]?\s*(?P<n>\d+)(?:,.*)?"
    ),
    "exit code": regex(
        r"(?i)(?:exit[ _-]?(?:code|status)|exitcode|returncode|return code|退出码|返回码)\s*[:=]?\s*(?P<n>\d+)"
    ),
    "signal": regex(r"(?i)(?:got |by )?(?:signal|信号)\s*[:=]?\s*(?P<n>\d+)"),
    "Errno": regex(r"(?i)\[?errno\s*[:=]?\s*(?P<n>\d+)\]?"),
    "CUDA error": regex(
        r"(?i)(?:cuda\s*(?:runtime )?error|cudaerror(?:_t)?)\s*(?:code)?\s*[:=]?\s*\(?(?P<n>\d+)\)?"
    ),
    "NCCL error": regex(r"(?i)(?:nccl\s*error|ncclresult(?:_t)?)\s*(?:code)?\s*[:=]?\s*(?P<n>\d+)"),
}
# Names that a library gives its errors: a misspelt one is near another of the same beginning.
_NAMED = regex(r"(?P<of>nccl|cudaError|cublas|CUBLAS_STATUS_|SIG|CUDNN_STATUS_)(?=[A-Z])\w+")


class Unknown(NamedTuple):
    """A code that no entry has: as it is written, and the nearest of its kind that have one, by
    term; ``signal``: that of an exit code above 128, else 0."""

    code: str
    near: tuple[tuple[str, str], ...]
    signal: int = 0


def unknown(words: str, index: Index) -> Unknown | None:
    """The numbered code that the words are, if medic knows others of its kind and not this one."""
    word = words.strip()
    for kind, pattern in _KINDS.items():
        if found := pattern.fullmatch(word):
            number = int(found["n"][:9])
            known = _numbers(pattern, index)
            if number in known:
                return None
            near = sorted(known, key=lambda n: (abs(n - number), n))[:MOST]
            signal = number - SIGNAL_BASE if kind == "exit code" else 0
            signal = signal if 0 < signal <= SIGNALS else 0
            return Unknown(
                f"{kind} {number}", tuple((f"{kind} {n}", known[n]) for n in near), signal
            )
    return None


def _numbers(pattern: re.Pattern[str], index: Index) -> dict[int, str]:
    found: dict[int, str] = {}
    for name, raw in index.raw["terms"].items():
        for text in raw["says"]:
            if told := pattern.fullmatch(text):
                found.setdefault(int(told["n"]), name)
    return found


def unknown_name(words: str, index: Index) -> Unknown | None:
    """The same of a name that a library gives its errors."""
    word = words.strip()
    found = _NAMED.fullmatch(word)
    if found is None:
        return None
    of = found["of"]
    terms = index.raw["terms"].items()
    names = {text: name for name, raw in terms for text in raw["says"] if text.startswith(of)}
    if word in names or not names:
        return None
    own = {text.removeprefix(of): text for text in names}
    near = [own[text] for text in nearest(word.removeprefix(of), own, MOST)]
    return Unknown(word, tuple((text, names[text]) for text in near))
