"""Texts that a model wrote, shown between two lines that say so: no line of them is of the run.

A block counts where its end is found, so that a run which dies while it shows one keeps its lines.
"""

from __future__ import annotations

from medic.text.patterns import regex

from .windows import Numbered

MOST = 300  # lines of one block
_RULES = "-=*#~_<>["
_TEXT = (
    r"(?:samples?|generated|completions?|responses?|decoded|example (?:output|generation)s?|"
    r"model (?:output|answer)s?|predictions?)"
)
_OPENS = regex(
    r"(?i)^\W{0,2}(?:[-=*#~_>]{2,} ?|\[|<)(?![^\n]*\bend)[^\n]{0,40}?(?:\b"
    + _TEXT
    + r"\b|样本|样例|生成的|示例)"
    r"[^\n]{0,80}$"
)
_RULED = regex(r"^\W{0,2}([-=*#~_])\1+[^\n]*?\1{2,}\s*$")
_CLOSES = regex(
    r"(?i)^\W{0,2}(?:[-=*#~_<]{2,} ?|\[|</)[^\n]{0,20}?(?:\bend(?: of)?(?: the)? [^\n]{0,20}?" + _TEXT + r"\b|"
    + _TEXT + r" (?:ends?|ended)\b|(?:样本|样例|生成|示例).{0,4}(?:结束|完))"
    r"|^\s*</\s*" + _TEXT + r"\s*>"
)  # fmt: skip
_BARE = regex(r"^\s*([-=*#~_])\1{9,}\s*$")


_LINES = ("---", "===", "***", "~~~", "###")
PREFIX = 80  # characters of a logger's prefix


def _behind_prefix(text: str) -> str:
    """A line from its rule on, where a logger's prefix stands before that."""
    words = text.strip()
    if words[:1] not in _RULES or words[:1] == "[":
        at = min((n for rule in _LINES if (n := words.find(rule)) > 0), default=-1)
        if 0 < at <= PREFIX:
            return words[at:]
    return words


class ShownTexts:
    """Holds back the lines of a block until it ends; ``spans`` are (first, last) line of each."""

    def __init__(self) -> None:
        self.spans: list[tuple[int, int]] = []
        self._held: list[Numbered] = []
        self._rule = ""

    def feed(self, row: Numbered) -> list[Numbered]:
        """The lines that can be read now: none while a block is open."""
        words = _behind_prefix(row[1])
        ruled = words[:1] in _RULES and bool(words)
        if not self._held:
            if ruled and _OPENS.match(words):
                self._held.append(row)
                rule = _RULED.match(words)
                self._rule = rule[1] if rule else ""
                return []
            return [row]
        if ruled and self._closes(words):
            self.spans.append((self._held[0][0], row[0]))
            self._held = []
            return []
        self._held.append(row)
        return self.flush() if len(self._held) > MOST else []

    def flush(self) -> list[Numbered]:
        """The lines of a block that did not end."""
        held, self._held = self._held, []
        return held

    def _closes(self, words: str) -> bool:
        bare = _BARE.match(words)
        return (bare is not None and bare[1] == self._rule) or _CLOSES.match(words) is not None

    def has(self, line: int) -> bool:
        """Whether a line stands in one of the blocks."""
        return any(first <= line <= last for first, last in self.spans)
