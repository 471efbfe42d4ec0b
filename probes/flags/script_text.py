"""A launch script as lines, with the places of its words: what the shell's tree leaves out."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property, lru_cache

from medic.errors import Unreadable
from medic.facts import Source
from medic.i18n import Text
from medic.probe import Look
from medic.run_config import Span
from medic.text.encodings import without_odd
from medic.text.patterns import regex

from .masked import masked, quote_at

MAX_SCRIPT = 1024 * 1024
NEEDS_SCRIPT = Text("a launch script", "启动脚本")
_HEREDOC = regex(r"(?<!<)<<-?(?!<)\s*(?:\\|['\"]?)([A-Za-z_]\w*)")  # no here-string
_BACKGROUND = regex(r"(?<![&>|])&\s*(?:#.*)?$")
# … >log 2>&1 & PID=$!: behind the command and its redirections, with another command on the line.
_BEHIND = regex(
    r"(?:\s*(?:(?:(?<=\s)\d+)?(?:>>?|<|>&(?!\d))|&>>?)\s*(?:&\d|[^\s;&|<>]+))*\s*(&)(?![&>])"
)
_BRACKET = regex(r"[(){}]")
_BLOCK = 60  # lines that a block in the background has at most
_NAME = r"[A-Za-z_]\w*"
_SET = regex(rf"(?:^|[\s;])({_NAME})\+?=(\(?)", re.MULTILINE)
_SET_ALONE = regex(rf"^[ \t]*(?:[a-z]+ +(?:-\w+ +)*)*({_NAME})=", re.MULTILINE)
_SET_HERE = regex(rf"^[ \t]*({_NAME})=[^\n]*[^\n\\\s][ \t]*$", re.MULTILINE)
# A default (:-, :=) is no mere use: who writes it knows that the variable may be unset.
_USE = regex(rf"\$(?:({_NAME})|\{{#?({_NAME})(?:\}}|[#%/,^\[]|:[^-=+?]))")
_SET_IN_COMMENT = regex(rf"^[ \t]*#[ \t]*(?:export[ \t]+)?({_NAME})=\S+[ \t]*$")
_WORD = regex(r"\w+")
# --lr, and the last step of an override: data.files="$files".
_AS_FLAG = regex(r"(?:(?<!\S)--(?=\w+[\s=])|(?<=\w)\.(?=\w+=))(\w+)")
_HANDED_ON = regex(r"^[ \t]*export[ \t]+((?:\w+[ \t]+)*\w+)[ \t]*(?:$|[;#&])", re.MULTILINE)
_ARITHMETIC = regex(r"\(\((.*?)\)\)")
_COUNTED = regex(r"(?<![\w$}{+#-])(?<!\{!)([A-Za-z_]\w*)\b(?!\s*(?:\+\+|--|[-+*/%&|^]?=(?!=)))")


class ScriptText:
    """The text of one script. Lines and columns are 1-based, columns count characters."""

    def __init__(self, file: str, text: str, name: str = "") -> None:
        self.file = file
        self.name = name or file
        self.text = text
        self.lines = [line.rstrip("\r") for line in text.split("\n")]

    @cached_property
    def _starts(self) -> list[int]:
        """The byte at which each line starts."""
        found = [0]
        for line in self.text.split("\n"):
            found.append(found[-1] + len(line.encode()) + 1)
        return found

    def span(self, line: int, column: int, end: int) -> Span:
        start = self._starts[line - 1]
        written = self.lines[line - 1]
        first = start + len(written[: column - 1].encode())
        last = start + len(written[: end - 1].encode())
        return Span(self.file, first, last, line, column, line, end)

    def between(self, line: int, place: tuple[int, int]) -> Span:
        """The span of a match in a line: ``place`` counts from 0."""
        return self.span(line, place[0] + 1, place[1] + 1)

    def source(self, line: int) -> Source:
        return Source(self.name, line, text=self.lines[line - 1])

    def line_text(self, line: int) -> str:
        """The text of a line; empty for a line that the script does not have."""
        return self.lines[line - 1] if 0 < line <= len(self.lines) else ""

    def at(self, span: Span) -> Source:
        """The line of a place: of the script, or of a file that it sources."""
        if span.file != self.file:
            return Source(span.file, span.line)
        return Source(self.name, span.line, text=self.line_text(span.line))

    @cached_property
    def documents(self) -> frozenset[int]:
        """Lines of here-documents: text for another program."""
        found: set[int] = set()
        ends: list[str] = []
        for number, line in enumerate(self.lines, 1):
            if ends:
                found.add(number)
                ends = ends[1:] if line.strip() == ends[0] else ends
            elif "<<" in line and not line.lstrip().startswith("#"):
                ends = [m[1] for m in _HEREDOC.finditer(line) if not _computes(line[: m.start()])]
        return frozenset(found)

    def background(self, span: Span) -> Span | None:
        """The ``&`` behind a command of the script; None where it is waited for."""
        at = span.end_column - 1
        text = self.line_text(span.end_line)[at:]
        ends, behind = _BACKGROUND.search(text), _BEHIND.match(text)
        found = ends or behind
        start = at + (behind.start(1) if not ends and behind else found.start() if found else 0)
        return self.between(span.end_line, (start, start + 1)) if found else None

    def block_in_background(self, span: Span) -> tuple[int, int] | None:
        """Where the ``( … ) &`` or ``{ …; } &`` around a command ends, as line and column; what stands in
        it runs one after the other, and beside what follows it. None where there is none."""
        depth = 0
        for number in range(span.end_line, min(len(self.code), span.end_line + _BLOCK) + 1):
            start = span.end_column - 1 if number == span.end_line else 0
            for sign in _BRACKET.finditer(self.code[number - 1], start):
                depth += 1 if sign[0] in "({" else -1
                if depth < 0 and _BEHIND.match(self.line_text(number)[sign.end() :]):
                    return number, sign.end()
                depth = max(depth, 0)
        return None

    @cached_property
    def code(self) -> list[str]:
        """The lines without what the shell only hands on; see ``masked``."""
        return masked(self.lines, self.documents)

    def quote_at(self, line: int, column: int) -> str:
        """The outermost quote around a place; see ``masked.quote_at``."""
        return quote_at(self.lines, self.documents, line, column)

    @cached_property
    def words(self) -> Counter[str]:
        """How often each word stands in the script."""
        return Counter(_WORD.findall(self.text))

    @cached_property
    def uses(self) -> Counter[str]:
        """How often each variable is read as ``$X``, ``${X}``, ``${X##*/}`` or ``${X[0]}``."""
        return Counter(m[1] or m[2] for m in _USE.finditer(self.text))

    @cached_property
    def flag_names(self) -> Counter[str]:
        """How often each word stands as a flag: ``--lr`` of ``--lr ${lr}``."""
        return Counter(_AS_FLAG.findall(self.text))

    @cached_property
    def used(self) -> frozenset[str]:
        """Variables that are read as ``$X`` or ``${X}``."""
        return frozenset(self.uses)

    @cached_property
    def assigned(self) -> frozenset[str]:
        """Variables that a line of the script gives a value."""
        heads = rf"(?:^|[\s;&|(])({_NAME})\+?="
        return frozenset(re.findall(heads, self.text, re.MULTILINE))

    @cached_property
    def set_alone(self) -> frozenset[str]:
        """Variables that a line begins by giving a value: NAME=1 may also be an argument."""
        return frozenset(_SET_ALONE.findall(self.text))

    @cached_property
    def idle(self) -> frozenset[str]:
        """Variables that one line gives a value, and that stand nowhere else: not exported either."""
        return frozenset(name for name in _SET_HERE.findall(self.text) if self.words[name] == 1)

    def is_array(self, variable: str) -> bool:
        """Whether every line that sets the variable makes it a list."""
        return self._lists.get(variable, False)

    @cached_property
    def _lists(self) -> dict[str, bool]:
        """Variables that lines of the script set -> whether each of them gives a list."""
        found: dict[str, bool] = {}
        for name, opens in _SET.findall(self.text):
            found[name] = bool(opens) and found.get(name, True)
        return found

    def holds_options(self, variable: str) -> bool:
        """Whether a list begins with an option."""
        pattern = rf"(?m)(?:^|[\s;]){re.escape(variable)}\+?=\(\s*(?:#[^\n]*\s+)*[\"']?-"
        return re.search(pattern, self.text) is not None

    @cached_property
    def _bare(self) -> Counter[str]:
        """How often each variable stands as its name alone where that is no value for it either:
        ``export X Y``, ``$(( X * 8 ))``."""
        sums = (n for one in _ARITHMETIC.finditer(self.text) for n in _COUNTED.findall(one[1]))
        return Counter(sums) + self.handed_on

    @cached_property
    def handed_on(self) -> Counter[str]:
        """How often each variable stands behind a bare ``export``."""
        return Counter(n for one in _HANDED_ON.finditer(self.text) for n in one[1].split())

    @cached_property
    def _commented_out(self) -> Counter[str]:
        """How often each variable that is read is set in a comment that is nothing else, right beside a
        line that sets another one. A head that lists what a caller sets has none."""
        found: Counter[str] = Counter()
        for number, line in enumerate(self.lines, 1):
            one = _SET_IN_COMMENT.match(line) if "#" in line else None
            beside = (self.line_text(number - 1), self.line_text(number + 1))
            if one is not None and any(_SET_ALONE.match(near) for near in beside):
                found[one[1]] += 1
        code = "\n".join(line for line in self.lines if not line.lstrip().startswith("#"))
        read = {m[1] or m[2] for m in _USE.finditer(code)} if found else set()
        return Counter({name: n for name, n in found.items() if name in read})

    def named_otherwise(self, variable: str) -> bool:
        """Whether the name stands anywhere but as ``$X``, a flag, in a sum or behind a bare
        ``export``: set, tested, read, explained."""
        return self.words[variable] > self._reads(variable)

    def only_commented_out(self, variable: str) -> bool:
        """Whether nothing but lines that are commented out set it."""
        out = self._commented_out[variable]
        return out > 0 and self.words[variable] == self._reads(variable) + out

    def _reads(self, variable: str) -> int:
        return self.uses[variable] + self.flag_names[variable] + self._bare[variable]


def _computes(before: str) -> bool:
    """Whether what follows is inside ``(( ))``, where << shifts bits."""
    return before.count("((") > before.count("))")


@lru_cache(maxsize=4)
def _script(path: str, text: str, name: str) -> ScriptText:
    """Several probes look at the same script: its masked lines are made once."""
    return ScriptText(path, text, name)


def sourced(look: Look) -> frozenset[str]:
    """The given scripts that another one reads in: they are a part of it."""
    return frozenset(one for given in look.files("script") for one in _sourced(look, given.path))


def _sourced(look: Look, path: str) -> tuple[str, ...]:
    try:
        return look.parse(path).sourced
    except Unreadable:
        return ()


def read_script(look: Look, path: str, name: str) -> ScriptText | None:
    """The script's text; None for what is no text file."""
    try:
        with look.open(path, MAX_SCRIPT) as file:
            return _script(path, without_odd(file.read()).decode("utf-8"), name)
    except Unreadable:
        return None
