"""What tells one piece of hardware from all others: identifiers and serial numbers of GPUs and NICs.

``nvidia-smi -L`` prints "UUID: GPU-5f3a1b2c-…", CUDA_VISIBLE_DEVICES takes the same; ``nvidia-smi
-q`` and the driver's records print serial numbers, ``ibstat`` the GUIDs of a port.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from medic.text.patterns import regex

_GPU = regex(
    r"(?i)(?P<lead>\b(?:GPU-|MIG-(?:GPU-)?)|\buuid['\"]?[ \t]{0,4}[=:][ \t]{0,4}['\"]?)"
    r"(?P<id>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b"
)
_SERIAL = regex(
    r"(?i)(?P<lead>\bserial(?:[ _](?:number|no))?['\"]?[ \t]{0,40}[:=][ \t]{0,4}['\"]?)(?P<id>[0-9A-Z]{8,32})\b"
)
_GUID = regex(
    r"(?i)(?P<lead>\b\w{0,20}guid['\"]?[ \t]{0,20}[:=]?[ \t]{1,20}['\"]?)"
    r"(?P<id>0x[0-9a-f]{16}|[0-9a-f]{4}(?::[0-9a-f]{4}){3})\b"
)
_WAYS = (
    (("gpu-", "mig-", "uuid"), "gpu", _GPU),
    (("serial",), "serial", _SERIAL),
    (("guid",), "guid", _GUID),
)


def hide_devices(text: str, small: str, name: Callable[[str, str], str]) -> str:
    """The text with the identifiers hidden; ``name(kind, word)`` gives what stands for one.
    ``small``: the text in small letters. What says of which kind it is stays: GPU-<gpu1>."""
    for words, kind, pattern in _WAYS:
        if any(word in small for word in words):
            text = pattern.sub(partial(_named, kind, name), text)
    return text


def _named(kind: str, name: Callable[[str, str], str], match: re.Match[str]) -> str:
    return match["lead"] + name(kind, match["id"].lower())
