"""Blocks of a script that have a head of their own: ``for``, ``case``, ``[[ ]]``, functions."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from medic.records import dataclass
from medic.syntax.shell_quotes import Words
from medic.syntax.shell_refusal import refuse
from medic.text.patterns import regex

LOOPS = ("for", "while", "until", "select")
OPENING = {"fi": ("if",), "done": LOOPS, "esac": ("case",), "}": ("{",)}
NO_ARGUMENTS = regex(r"\([ \t]*\)")
BLANKS = regex(r"(?:[ \t]|\\\n)*")
_IN = regex(r"in(?=[\s;])")
_SPACES = regex(r"(?:\s|\\\n)*")
_IN_TEST = regex(r"(?:[\s()<>|&]|\\\n)*")


@dataclass
class Frame:
    """A compound command that is open; ``part`` is what of it is read: cond, body, else, …."""

    word: str
    start: int
    part: str = "body"
    clause: int = 0  # where the part begins: at elif, else, …


class Heads(ABC):
    """A list of commands, as far as the heads of its blocks go.

    ``state``: start (nothing read yet), sep (a command may follow), op (one must follow), word
    (inside a command), done (behind a block).
    """

    def __init__(self, scanner: Words) -> None:
        self.scanner = scanner
        self.text = scanner.text
        self.open: list[Frame] = []
        self.state = "start"
        self.first = True  # the word read is the first of its command

    @abstractmethod
    def end(self, word: str, at: int) -> None:
        """Reads a closing word."""

    def begin(self, word: str, at: int, part: str) -> None:
        self.open.append(Frame(word, at, part, at))
        self.state = "start"

    def read_for(self, at: int) -> None:
        """``for NAME [in WORDS]`` up to its end of line, ``for ((…))``."""
        scanner = self.scanner
        word = self.text[at : scanner.at]
        scanner.at = after(BLANKS, self.text, scanner.at)
        self.begin(word, at, "cond")
        if self.text.startswith("((", scanner.at):
            scanner.parens(scanner.at, 2)
            self.state = "done"
        else:
            scanner.word()  # the name
            behind = after(_SPACES, self.text, scanner.at)
            listed = _IN.match(self.text, behind)
            scanner.at = listed.end() if listed else scanner.at
            self.state, self.first = ("word", False) if listed else ("done", True)

    def read_case(self) -> None:
        """``case WORD in``."""
        scanner, frame = self.scanner, self.open[-1]
        for _ in range(2):
            scanner.at = after(_SPACES, self.text, scanner.at)
            word = scanner.word()
        if word != "in":
            raise refuse("lacks", "in", frame.start)
        frame.part = "pattern"

    def in_case(self) -> bool:
        return bool(self.open) and self.open[-1].part == "pattern"

    def read_pattern(self) -> None:
        scanner, at, frame = self.scanner, self.scanner.at, self.open[-1]
        if self.text[at] == "(":
            scanner.at += 1
        word = scanner.word()
        if word == "esac" and self.text[at] != "(":
            frame.part = "body"
            self.state = "sep"
            self.end(word, at)
            return
        while True:
            scanner.at = after(BLANKS, self.text, scanner.at)
            here = self.text[scanner.at : scanner.at + 1]
            if here == ")":
                break
            if here != "|" and (not word or word in OPENING):
                raise refuse("open", "case", frame.start, (word, at) if word else None)
            if here != "|":
                raise refuse("lacks", ")", at)
            scanner.at = after(BLANKS, self.text, scanner.at + 1)
            scanner.word()
        scanner.at += 1
        frame.part, self.state = "body", "start"

    def read_test(self, at: int) -> None:
        """``[[ … ]]``."""
        scanner = self.scanner
        while scanner.at < len(self.text):
            scanner.at = after(_IN_TEST, self.text, scanner.at)
            word = scanner.word()
            if word == "]]":
                self.state = "done"
                return
            if not word or word in ("then", "do"):
                break
        raise refuse("open", "[[", at)

    def read_function(self) -> None:
        scanner = self.scanner
        scanner.at = after(BLANKS, self.text, scanner.at)
        scanner.word()
        scanner.at = after(BLANKS, self.text, scanner.at)
        scanner.at = after(NO_ARGUMENTS, self.text, scanner.at)
        self.state = "sep"


def after(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where a pattern ends that begins at ``at``; ``at`` where it does not."""
    found = pattern.match(text, at)
    return found.end() if found else at


def named(frame: Frame | None) -> tuple[str, int] | None:
    """A block for a refusal: its word and its place."""
    return (frame.word, frame.start) if frame else None
