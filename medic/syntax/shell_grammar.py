"""Where bash refuses a script: its blocks and operators, read in the order in which bash reads them.

Bash manual: shell grammar. Only what ends a script with a syntax error is looked for; what a word
means is read elsewhere (``shell_tree``).
"""

from __future__ import annotations

import re

from medic.patterns import regex
from medic.records import dataclass
from medic.syntax.shell_quotes import Document, Words
from medic.syntax.shell_refusal import refuse

LOOPS = ("for", "while", "until", "select")
_OPENING = {"fi": ("if",), "done": LOOPS, "esac": ("case",), "}": ("{",)}
_OPERATOR = regex(r";;&|;;|;&|&&|\|\||\|&|;|&(?!>)|\|")
_REDIRECT = regex(r"<<<|<<-?|<>|>>|>\||>&|<&|&>>|&>|[<>](?!\()")
_NO_ARGUMENTS = regex(r"\([ \t]*\)")
_COMMENT = regex(r"#[^\n]*")
_IN = regex(r"in(?=[\s;])")
_BLANKS = regex(r"(?:[ \t]|\\\n)*")
_SPACES = regex(r"(?:\s|\\\n)*")
_IN_TEST = regex(r"(?:[\s()<>|&]|\\\n)*")


@dataclass
class Frame:
    """A compound command that is open; ``part`` is what of it is read: cond, body, else, …."""

    word: str
    start: int
    part: str = "body"
    clause: int = 0  # where the part begins: at elif, else, …


class Scanner(Words):
    """Follows commands and blocks; raises Refused where bash stops."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.pairs: list[tuple[str, int, int]] = []  # (opening word, its place, its end's)

    def commands(self, start: int, closer: str) -> None:
        List(self, start, closer).read()


class List:
    """One list of commands: the script, or what stands in ``$( )``.

    ``state``: start (nothing read yet), sep (a command may follow), op (one must follow), word
    (inside a command), done (behind a block).
    """

    def __init__(self, scanner: Scanner, start: int, closer: str) -> None:
        self.scanner = scanner
        self.text = scanner.text
        self.start, self.closer = start, closer
        self.open: list[Frame] = []
        self.state = "start"
        self.first = True  # the word read is the first of its command

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
                scanner.at = _end(_COMMENT, self.text, scanner.at)
            elif self._in_case():
                self._pattern()
            elif here == ")" and not self.open and self.closer == ")":
                scanner.at += 1
                return
            else:
                self._sign(here)
        if self.open:
            raise refuse("open", self.open[-1].word, self.open[-1].start)
        if self.closer:
            raise refuse("open", "$(", self.start)

    def _sign(self, here: str) -> None:
        scanner, at = self.scanner, self.scanner.at
        if operator := _OPERATOR.match(self.text, at):
            self._operator(operator.group())
        elif redirect := _REDIRECT.match(self.text, at):
            self._redirect(redirect.group())
        elif here == "(":
            self._parenthesis()
        elif here == ")":
            self._end(")", at)
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
        end = re.compile(rf"^{tabs}{re.escape(one.end)}\r? ?$", re.MULTILINE)
        found = end.search(self.text, self.scanner.at)
        if found is None:
            raise refuse("document", one.end, one.start)
        self.scanner.at = found.end()

    # --- operators --------------------------------------------------------------------------

    def _operator(self, sign: str) -> None:
        at = self.scanner.at
        frame = self.open[-1] if self.open else None
        if sign in (";;", ";&", ";;&"):
            if frame is None or frame.word != "case" or self.state == "op":
                raise refuse("unexpected", sign, at, _named(frame))
            frame.part = "pattern"
            self.state = "sep"
        elif self.state in ("start", "sep", "op"):
            raise refuse("unexpected", sign, at)
        else:
            self.state = "sep" if sign in (";", "&") else "op"
        self.first = True
        self.scanner.at += len(sign)

    def _redirect(self, sign: str) -> None:
        scanner, start = self.scanner, self.scanner.at
        scanner.at = _end(_BLANKS, self.text, start + len(sign))
        word = scanner.word()
        if not word:
            raise refuse("other", sign, start)
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
        found = _NO_ARGUMENTS.match(self.text, at)
        if found is None or self.state != "word" or not self.first:
            raise refuse("unexpected", "(", at)
        scanner.at = found.end()
        self.state = "sep"

    # --- words ------------------------------------------------------------------------------

    def _word(self, word: str, at: int) -> None:
        if self.state == "word":
            self.first = False
            return
        frame = self.open[-1] if self.open else None
        if frame and frame.word == "for" and frame.part == "cond" and word not in ("do", "{"):
            raise refuse("lacks", "do", frame.start, (word, at))
        if word in _OPENING:
            self._end(word, at)
        elif word in ("then", "elif", "else", "do"):
            self._part(word, at)
        elif self.state == "done":
            self.state = "word"
        elif word in ("if", "while", "until"):
            self._begin(word, at, "cond")
        elif word in ("for", "select"):
            self._for(at)
        elif word == "case":
            self._begin(word, at, "head")
            self._case()
        elif word == "{":
            self._begin(word, at, "body")
        elif word == "[[":
            self._test(at)
        elif word == "function":
            self._function()
        elif word not in ("!", "time", "coproc"):
            self.state, self.first = "word", True

    def _begin(self, word: str, at: int, part: str) -> None:
        self.open.append(Frame(word, at, part, at))
        self.state = "start"

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
            raise refuse("empty", word, at, _named(frame))
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
        raise refuse("unexpected", word, at, _named(frame))

    def _end(self, word: str, at: int) -> None:
        """A closing word: of the innermost block, which has to be read up to there."""
        frame = self.open[-1] if self.open else None
        opening = _OPENING.get(word, ("(",))
        if frame is None or frame.word not in opening:
            if frame is not None and any(one.word in opening for one in self.open):
                raise refuse("open", frame.word, frame.start, (word, at))
            raise refuse("unexpected", word, at, _named(frame))
        if frame.part == "cond":
            lacks = "then" if frame.word == "if" else "do"
            raise refuse("lacks", lacks, frame.clause, (word, at))
        if self.state == "op" or (self.state == "start" and word != "esac"):
            raise refuse("empty", word, at, _named(frame))
        self.open.pop()
        self.scanner.pairs.append((frame.word, frame.start, at))
        self.state = "done"

    # --- blocks with a head of their own ----------------------------------------------------

    def _for(self, at: int) -> None:
        """``for NAME [in WORDS]`` up to its end of line, ``for ((…))``."""
        scanner = self.scanner
        word = self.text[at : scanner.at]
        scanner.at = _end(_BLANKS, self.text, scanner.at)
        self._begin(word, at, "cond")
        if self.text.startswith("((", scanner.at):
            scanner.parens(scanner.at, 2)
            self.state = "done"
        else:
            scanner.word()  # the name
            behind = _end(_SPACES, self.text, scanner.at)
            listed = _IN.match(self.text, behind)
            scanner.at = listed.end() if listed else scanner.at
            self.state, self.first = ("word", False) if listed else ("done", True)

    def _case(self) -> None:
        """``case WORD in``."""
        scanner, frame = self.scanner, self.open[-1]
        for _ in range(2):
            scanner.at = _end(_SPACES, self.text, scanner.at)
            word = scanner.word()
        if word != "in":
            raise refuse("lacks", "in", frame.start)
        frame.part = "pattern"

    def _in_case(self) -> bool:
        return bool(self.open) and self.open[-1].part == "pattern"

    def _pattern(self) -> None:
        scanner, at, frame = self.scanner, self.scanner.at, self.open[-1]
        if self.text[at] == "(":
            scanner.at += 1
        word = scanner.word()
        if word == "esac" and self.text[at] != "(":
            frame.part = "body"
            self.state = "sep"
            self._end(word, at)
            return
        while True:
            scanner.at = _end(_BLANKS, self.text, scanner.at)
            here = self.text[scanner.at : scanner.at + 1]
            if here == ")":
                break
            if here != "|" and (not word or word in _OPENING):
                raise refuse("open", "case", frame.start, (word, at) if word else None)
            if here != "|":
                raise refuse("lacks", ")", at)
            scanner.at = _end(_BLANKS, self.text, scanner.at + 1)
            scanner.word()
        scanner.at += 1
        frame.part, self.state = "body", "start"

    def _test(self, at: int) -> None:
        """``[[ … ]]``."""
        scanner = self.scanner
        while scanner.at < len(self.text):
            scanner.at = _end(_IN_TEST, self.text, scanner.at)
            word = scanner.word()
            if word == "]]":
                self.state = "done"
                return
            if not word or word in ("then", "do"):
                break
        raise refuse("open", "[[", at)

    def _function(self) -> None:
        scanner = self.scanner
        scanner.at = _end(_BLANKS, self.text, scanner.at)
        scanner.word()
        scanner.at = _end(_BLANKS, self.text, scanner.at)
        scanner.at = _end(_NO_ARGUMENTS, self.text, scanner.at)
        self.state = "sep"


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _named(frame: Frame | None) -> tuple[str, int] | None:
    return (frame.word, frame.start) if frame else None
