"""Words of a shell script with their quotes and expansions, read as bash reads them."""

from __future__ import annotations

import re

from medic.records import dataclass
from medic.syntax.shell_refusal import Refused, refuse
from medic.text.patterns import regex

_PLAIN = regex(r"[^\s;&|<>()\\'\"`$]+")
_ARRAY = regex(r"^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=$")
_BETWEEN = regex(r"(?:\s|\\\n|(?<=[\s(])#[^\n]*)*")
# What is wrong in a list that has not ended where it should.
_NOT_INSIDE = ("unexpected", "empty", "lacks")
_PATTERNS = "?*+@!"  # before a group of patterns
_IN_DOUBLE = regex(r"\\.|[\"`]|\$\(\(|\$\(|\$\{", re.DOTALL)
_IN_BRACE = regex(r"\\.|[\"'`}]|\$\(\(|\$\(|\$\{", re.DOTALL)
_IN_PARENS = regex(r"\\.|[\"'`()]|\$\{", re.DOTALL)
_IN_BACKQUOTE = regex(r"(?:[^`\\]|\\.)*`", re.DOTALL)
_ANSI = regex(r"(?:[^'\\]|\\.)*'", re.DOTALL)
_BRACKETS = regex(r"[\[\]]")
_MAX_DEPTH = 40


@dataclass(frozen=True)
class Document:
    """A here-document whose text begins in the next line."""

    end: str
    tabs: bool
    start: int


class Words:
    """Reads words with their quotes and expansions; ``at`` is the place in ``text``."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.documents: list[Document] = []
        self.strings: list[tuple[int, int]] = []  # those of several lines

    def commands(self, start: int, closer: str) -> None:
        """Reads a list of commands behind ``$(``."""
        raise NotImplementedError

    def word(self) -> str:
        """The word here as it is written; "" where none begins."""
        start = self.at
        while self.at < len(self.text):
            here = self.text[self.at]
            plain = _PLAIN.match(self.text, self.at)
            if plain is not None:
                self.at = plain.end()
            elif here == "\\":
                self.at += 2
            elif here in "'\"`":
                self._quoted(here)
            elif here == "$":
                self._dollar(quoted=False)
            elif here in "<>" and self.text[self.at + 1 : self.at + 2] == "(":
                self._nested(self.at, 2)
            elif here == "(" and _ARRAY.match(self.text[start : self.at]):
                self._array()
            elif here == "(" and self.at > start and self.text[self.at - 1] in _PATTERNS:
                self.parens(self.at, 1)
            else:
                break
        return self.text[start : self.at]

    def _quoted(self, quote: str) -> None:
        start = self.at
        if quote == '"':
            self._double()
        elif quote == "'":
            end = self.text.find("'", start + 1)
            if end < 0:
                raise refuse("open", quote, start)
            self.at = end + 1
        else:
            self._whole(_IN_BACKQUOTE, quote, start, start + 1)
        if quote != "`" and "\n" in self.text[start : self.at]:
            self.strings.append((start, self.at))

    def _whole(self, pattern: re.Pattern[str], word: str, start: int, inner: int) -> None:
        found = pattern.match(self.text, inner)
        if found is None:
            raise refuse("open", word, start)
        self.at = found.end()

    def _double(self) -> None:
        start, self.at = self.at, self.at + 1
        self._until(_IN_DOUBLE, '"', '"', start, quoted=True)

    def _until(
        self, pattern: re.Pattern[str], closer: str, word: str, start: int, *, quoted: bool
    ) -> None:
        """Goes behind ``closer``; quotes and expansions on the way are read whole."""
        while found := pattern.search(self.text, self.at):
            sign = found.group()
            self.at = found.start()
            if sign == closer:
                self.at += 1
                return
            if sign[0] == "$":
                self._dollar(quoted=quoted)
            elif sign[0] == "\\" or (sign == "'" and quoted):
                self.at = found.end()
            else:
                self._quoted(sign)
        raise refuse("open", word, start)

    def _dollar(self, *, quoted: bool) -> None:
        start, following = self.at, self.text[self.at + 1 : self.at + 3]
        if following.startswith("'") and not quoted:
            self._whole(_ANSI, "'", start + 1, start + 2)
        elif following == "((":
            self.parens(start + 1, 2)
        elif following.startswith("("):
            self._nested(start, 2)
        elif following.startswith("["):
            self._old_arithmetic(start)
        elif following.startswith("{"):
            self.at += 2
            self._until(_IN_BRACE, "}", "${", start, quoted=quoted)
            if "\n" in self.text[start : self.at]:
                self.strings.append((start, self.at))
        else:
            self.at += 1

    def _old_arithmetic(self, start: int) -> None:
        """``$[1 + 2]``: to the bracket that closes the first."""
        depth = 0
        for found in _BRACKETS.finditer(self.text, start):
            depth += 1 if found.group() == "[" else -1
            if depth == 0:
                self.at = found.end()
                return
        self.at += 1

    def _nested(self, start: int, skip: int) -> None:
        self.at = start + skip
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise refuse("other", "", start)
        try:
            self.commands(start, ")")
        except Refused as found:
            inner = found.refusal
            if inner.kind in _NOT_INSIDE and "\n" in self.text[start : inner.start]:
                raise refuse("open", self.text[start : start + skip], start) from None
            raise
        self.depth -= 1

    def parens(self, start: int, depth: int) -> None:
        """Arithmetic or a pattern: to the parenthesis that closes the first ``depth``."""
        word = "((" if depth == 2 else "("
        self.at = start + depth
        while found := _IN_PARENS.search(self.text, self.at):
            sign = found.group()
            self.at = found.end()
            if sign in "()":
                depth += 1 if sign == "(" else -1
                if depth == 0:
                    return
            elif sign[0] == "$":
                self.at = found.start()
                self._dollar(quoted=False)
            elif sign[0] != "\\":
                self.at = found.start()
                self._quoted(sign)
        raise refuse("open", word, start)

    def _array(self) -> None:
        """The elements of an array: words, blanks, line ends and comments, nothing else."""
        start = self.at
        self.at += 1
        while self.at < len(self.text):
            self.at = _after(_BETWEEN, self.text, self.at)
            if self.text[self.at : self.at + 1] == ")":
                self.at += 1
                return
            word = self.word()
            if not word or "=(" in word:
                break
        raise refuse("open", "(", start)


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
