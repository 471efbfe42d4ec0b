"""Where bash refuses a script: its blocks and operators, read in the order in which bash reads them.

Bash manual: shell grammar. Only what ends a script with a syntax error is looked for; what a word
means is read elsewhere (``shell_tree``).
"""

from __future__ import annotations

import re

from medic.syntax.shell_blocks import (
    BLANKS,
    LOOPS,
    NO_ARGUMENTS,
    OPENING,
    Frame,
    Heads,
    after,
    named,
)
from medic.syntax.shell_quotes import Document, Words
from medic.syntax.shell_refusal import refuse
from medic.text.patterns import regex

_OPERATOR = regex(r";;&|;;|;&|&&|\|\||\|&|;|&(?!>)|\|")
_REDIRECT = regex(r"<<<|<<-?|<>|>>|>\||>&|<&|&>>|&>|[<>](?!\()")
_COMMENT = regex(r"#[^\n]*")
_BREAKS = regex(r"[&;|]")
_SETS = regex(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
_SETS_LIST = regex(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=\(")
# Behind these an argument may be a list: NAME=(1 2).
_DECLARE = frozenset(("declare", "typeset", "local", "export", "readonly", "alias", "eval", "let"))


class Scanner(Words):
    """Follows commands and blocks; raises Refused where bash stops."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.pairs: list[tuple[str, int, int]] = []  # (opening word, its place, its end's)

    def commands(self, start: int, closer: str) -> None:
        List(self, start, closer).read()


class List(Heads):
    """One list of commands: the script, or what stands in ``$( )``."""

    def __init__(self, scanner: Scanner, start: int, closer: str) -> None:
        super().__init__(scanner)
        self.scanner: Scanner = scanner
        self.start, self.closer = start, closer
        self.kind = ""  # of the command so far: sets (assignments alone), declares, runs
        self.waits: tuple[str, int] = ("", start)  # the last && || | and its place

    def read(self) -> None:
        scanner = self.scanner
        while scanner.at < len(self.text):
            here = self.text[scanner.at]
            if here in " \t":
                scanner.at += 1
            elif here == "\\" and self.text[scanner.at + 1 : scanner.at + 2] == "\n":
                scanner.at += 2
            elif here == "\n":
                self._newline()
            elif here == "#":
                scanner.at = after(_COMMENT, self.text, scanner.at)
            elif self.in_case():
                self.read_pattern()
            elif here == ")" and not self.open and self.closer == ")":
                scanner.at += 1
                return
            else:
                self._sign(here)
        if self.open:
            raise refuse("open", self.open[-1].word, self.open[-1].start)
        if self.closer:
            raise refuse("open", "$(", self.start)
        if self.state == "op":
            raise refuse("awaits", *self.waits)

    def _sign(self, here: str) -> None:
        scanner, at = self.scanner, self.scanner.at
        if operator := _OPERATOR.match(self.text, at):
            self._operator(operator.group())
        elif redirect := _REDIRECT.match(self.text, at):
            self._redirect(redirect.group())
        elif here == "(":
            self._parenthesis()
        elif here == ")":
            self.end(")", at)
            scanner.at += 1
        else:
            word = scanner.word()
            if not word:
                raise refuse("other", here, at)
            self._word(word, at)

    def _newline(self) -> None:
        self.scanner.at += 1
        if self.state in ("word", "done"):
            self.state = "sep"
        self.first = True
        documents, self.scanner.documents = self.scanner.documents, []
        for one in documents:
            self._document(one)

    def _document(self, one: Document) -> None:
        tabs = r"\t*" if one.tabs else ""
        at = self.scanner.at
        # A CR is read as a blank, and then the line above has one, too. With a blank behind its word
        # it ends with the script, which is what is meant at its end.
        behind = r" ?$" if self.text[at - 2 : at] == " \n" else r"\r?$"
        end = re.compile(rf"^{tabs}{re.escape(one.end)}(?:{behind}| ?\s*\Z)", re.MULTILINE)
        found = end.search(self.text, at)
        if found is None:
            raise refuse("document", one.end, one.start)
        self.scanner.at = found.end()

    # --- operators --------------------------------------------------------------------------

    def _operator(self, sign: str) -> None:
        at = self.scanner.at
        frame = self.open[-1] if self.open else None
        if sign in (";;", ";&", ";;&"):
            if frame is None or frame.word != "case" or self.state == "op":
                raise refuse("unexpected", sign, at, named(frame))
            frame.part = "pattern"
            self.state = "sep"
        elif self.state in ("start", "sep", "op"):
            raise refuse("unexpected", sign, at)
        else:
            self.state = "sep" if sign in (";", "&") else "op"
            self.waits = sign, at
        self.first = True
        self.scanner.at += len(sign)

    def _redirect(self, sign: str) -> None:
        scanner, start = self.scanner, self.scanner.at
        scanner.at = after(BLANKS, self.text, start + len(sign))
        word = scanner.word()
        if not word:
            cut = _BREAKS.match(self.text, scanner.at)
            raise refuse("unexpected", cut[0], scanner.at) if cut else refuse("other", sign, start)
        if sign in ("<<", "<<-"):
            end = re.sub(r"['\"\\]", "", word)
            scanner.documents.append(Document(end, sign == "<<-", start))
        if self.state != "done":
            self.state = "word"

    def _parenthesis(self) -> None:
        scanner, at = self.scanner, self.scanner.at
        if self.state in ("start", "sep", "op"):
            if self.text.startswith("((", at):
                scanner.parens(at, 2)
                self.state = "done"
            else:
                self.open.append(Frame("(", at))
                scanner.at += 1
                self.state = "start"
            return
        found = NO_ARGUMENTS.match(self.text, at)
        if found is None or self.state != "word" or not self.first:
            raise refuse("unexpected", "(", at)
        scanner.at = found.end()
        self.state = "sep"

    # --- words ------------------------------------------------------------------------------

    def _word(self, word: str, at: int) -> None:
        if self.state == "word":
            self.first = False
            self._argument(word, at)
            return
        frame = self.open[-1] if self.open else None
        if frame and frame.word == "for" and frame.part == "cond" and word not in ("do", "{"):
            raise refuse("lacks", "do", frame.start, (word, at))
        if word in OPENING:
            self.end(word, at)
        elif word == "{" and frame and frame.word in ("for", "select") and frame.part == "cond":
            self.open[-1] = Frame(word, at)  # stands for do: for x in a b; { … }
            self.state = "start"
        elif word in ("then", "elif", "else", "do"):
            self._part(word, at)
        elif self.state == "done":
            self.state = "word"
        else:
            self._head(word, at)

    def _head(self, word: str, at: int) -> None:
        """The word with which a command begins."""
        if word in ("if", "while", "until"):
            self.begin(word, at, "cond")
        elif word in ("for", "select"):
            self.read_for(at)
        elif word == "case":
            self.begin(word, at, "head")
            self.read_case()
        elif word == "{":
            self.begin(word, at, "body")
        elif word == "[[":
            self.read_test(at)
        elif word == "function":
            self.read_function()
        elif word not in ("!", "time", "coproc"):
            self.state, self.first = "word", True
            self.kind = _kind(word)

    def _argument(self, word: str, at: int) -> None:
        """``NAME=(1 2)`` is a list in an assignment, and an error behind a command."""
        found = _SETS_LIST.match(word)
        if found is not None and self.kind == "runs":
            raise refuse("unexpected", "(", at + found.end() - 1)
        if self.kind == "sets" or word in _DECLARE:
            self.kind = _kind(word)

    def _part(self, word: str, at: int) -> None:
        """``then``, ``elif``, ``else``, ``do``: the next part of the innermost block."""
        frame = self.open[-1] if self.open else None
        after = {"then": "cond", "elif": "body", "else": "body", "do": "cond"}[word]
        right = frame is not None and frame.part == after
        right = right and ((frame.word in LOOPS) if word == "do" else frame.word == "if")  # type: ignore[union-attr]
        if frame is None or not right:
            self._misplaced(word, at, frame)
            return
        if self.state in ("start", "op"):
            raise refuse("empty", word, at, named(frame))
        frame.clause = at
        frame.part = {"then": "body", "elif": "cond", "else": "else", "do": "body"}[word]
        self.state = "start"

    def _misplaced(self, word: str, at: int, frame: Frame | None) -> None:
        if frame is not None and frame.part == "cond":
            lacks = "then" if frame.word == "if" else "do"
            if word in ("elif", "else"):
                raise refuse("lacks", lacks, frame.clause, (word, at))
        wanted = LOOPS if word == "do" else ("if",)
        if frame is not None and any(one.word in wanted for one in self.open[:-1]):
            raise refuse("open", frame.word, frame.start, (word, at))
        raise refuse("unexpected", word, at, named(frame))

    def end(self, word: str, at: int) -> None:
        """A closing word: of the innermost block, which has to be read up to there."""
        frame = self.open[-1] if self.open else None
        opening = OPENING.get(word, ("(",))
        if frame is None or frame.word not in opening:
            if frame is not None and any(one.word in opening for one in self.open):
                raise refuse("open", frame.word, frame.start, (word, at))
            raise refuse("unexpected", word, at, named(frame))
        if frame.part == "cond":
            lacks = "then" if frame.word == "if" else "do"
            raise refuse("lacks", lacks, frame.clause, (word, at))
        if self.state == "op" or (self.state == "start" and word != "esac"):
            raise refuse("empty", word, at, named(frame))
        self.open.pop()
        self.scanner.pairs.append((frame.word, frame.start, at))
        self.state = "done"


def _kind(word: str) -> str:
    if word in _DECLARE:
        return "declares"
    return "sets" if _SETS.match(word) else "runs"
