"""The lists of a failed load_state_dict."""

from __future__ import annotations

import re
from collections.abc import Callable

from medic.facts import SkippedKeys, Source, StateDictError
from medic.records import dataclass, field
from medic.text.patterns import regex

from .digits import whole

MAX_KEYS = 20_000
_KEYS = regex(r"(Missing|Unexpected) key\(s\) in (?:checkpoint )?state_dict:", re.IGNORECASE)
_OLD_KEYS = regex(
    r"(missing|unexpected) keys? (?:in state_dict: )?[\"'{]+([^\"'}]+)", re.IGNORECASE
)
# What load_state_dict(strict=False) returns, as scripts print it.
_RETURNED = regex(r"_IncompatibleKeys\(missing_keys=\[([^\]]*)(?:\], unexpected_keys=\[([^\]]*))?")
# The same lists as scripts print them line by line; they may cut them ("... 288 more").
_LISTED = regex(
    r"\b(missing|unexpected)(?:[_ ]keys?|[_ ]key\(s\))?(?: (?:in|from|when|while|of|for|on|during|after)\b"
    r"[^\[\"':=]{0,50})?(?: ?\(\d+\))?[\"']? *[:=] *[\[({]+ *(?=[\"'])([^\])}]+)",
    re.IGNORECASE,
)
_MORE = regex(r"\b(\d{1,6}) more\b")
_QUOTED = regex(r"\"([^\"]+)\"|'([^']+)'")
_SIZE = regex(
    r"size mismatch for (\S+): copying a param (?:with shape|of) torch\.Size\(\[([\d, ]*)\]\) from "
    r"checkpoint, (?:the shape in current model|where the shape) is torch\.Size\(\[([\d, ]*)\]\)"
)
_FOUND = regex(
    r"- (\S+): found shape torch\.Size\(\[([\d, ]*)\]\) in the checkpoint and "
    r"torch\.Size\(\[([\d, ]*)\]\) in the model"
)

Mismatch = tuple[str, tuple[int, ...], tuple[int, ...]]


@dataclass
class StateDicts:
    """Feeds on lines; what several ranks print is the same and counts once."""

    missing: dict[str, None] = field(default_factory=dict)
    unexpected: dict[str, None] = field(default_factory=dict)
    mismatched: dict[str, Mismatch] = field(default_factory=dict)
    source: Source | None = None
    truncated: bool = False
    skipped: SkippedKeys | None = None
    _listed: dict[str, tuple[tuple[str, ...], int]] = field(default_factory=dict)

    def feed(self, body: str, at: Callable[[], Source]) -> None:
        if self.skipped is None and "_IncompatibleKeys(" in body:
            self._returned(body, at)
            return
        if self.skipped is None and ("issing" in body or "nexpected" in body):
            self._printed(body, at)
        if "state_dict" in body and self._keys(body):
            self.source = self.source or at()
            return
        if "torch.Size" in body and (found := _SIZE.search(body) or _FOUND.search(body)):
            name, saved, current = found.groups()
            self.mismatched.setdefault(name, (name, _shape(saved), _shape(current)))
            self.source = self.source or at()

    def _returned(self, body: str, at: Callable[[], Source]) -> None:
        found = _RETURNED.search(body)
        missing, unexpected = (_names(found[1]), _names(found[2])) if found else ((), ())
        if missing or unexpected:
            self.skipped = SkippedKeys(missing, unexpected, at())

    def _printed(self, body: str, at: Callable[[], Source]) -> None:
        for found in _LISTED.finditer(body):
            more = _MORE.search(found[2])
            self._listed.setdefault(
                found[1].lower(), (_names(found[2]), whole(more[1]) if more else 0)
            )
        missing, more_missing = self._listed.get("missing", ((), 0))
        unexpected, _ = self._listed.get("unexpected", ((), 0))
        if missing and unexpected:
            self.skipped = SkippedKeys(missing, unexpected, at(), more_missing)

    def _keys(self, body: str) -> bool:
        found = _KEYS.search(body)
        if found is None:
            old = _OLD_KEYS.search(body)
            if old is not None:
                self._list(old.group(1))[old.group(2)] = None
            return old is not None
        names = self._list(found.group(1))
        listed = body[found.end() :]
        for quoted in _QUOTED.finditer(listed):
            if len(names) < MAX_KEYS:
                names[quoted.group(1) or quoted.group(2)] = None
        cut = listed.count('"') % 2 == 1 or listed.rstrip().rstrip(".").endswith(("...", ", "))
        self.truncated = self.truncated or cut or listed.rstrip(" .").endswith(",")
        return True

    def _list(self, word: str) -> dict[str, None]:
        return self.missing if word.lower() == "missing" else self.unexpected

    def error(self) -> StateDictError | None:
        if self.source is None:
            return None
        return StateDictError(
            missing=tuple(self.missing),
            unexpected=tuple(self.unexpected),
            mismatched=tuple(self.mismatched.values()),
            source=self.source,
            truncated=self.truncated,
        )


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(a or b for a, b in _QUOTED.findall(text or "")[:MAX_KEYS])


def _shape(text: str) -> tuple[int, ...]:
    return tuple(whole(n) for n in text.split(",") if n.strip())
