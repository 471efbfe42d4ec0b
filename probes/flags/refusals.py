"""Where bash stops at a script: a block, a quote or a here-document that nothing closes, …."""

from __future__ import annotations

from medic.facts import Document, Problem, Repair, Respelt
from medic.i18n import Text
from medic.records import dataclass
from medic.run_config import Span
from medic.text.patterns import regex

from .script_text import ScriptText

REFUSED = "script-syntax-error"
_CLOSES = {"if": "fi", "for": "done", "while": "done", "until": "done", "select": "done",
           "case": "esac", "{": "}", "(": ")", "$(": ")", "<(": ")", ">(": ")", "${": "}",
           "((": "))", "[[": "]]"}  # fmt: skip
_CLOSING = frozenset(("fi", "done", "esac", "}", ")"))
# Text that shows what is to be typed there: <path to data>.
_PLACEHOLDER = regex(r"(?<!<)<[A-Za-z][^<>|&;]*>")
# A command, not prose that got into the file: flags, assignments, programs of a shell.
_A_COMMAND = regex(
    r"(?:^|\s)--?[A-Za-z][\w-]*(?:[ =]|$)|^\s*(?:export\s+|local\s+)?[A-Za-z_][\w.]*\s*\+?=|"
    r"^\s*(?:echo|export|printf|python3?|torchrun|if|for|while)\s"
)

_PASTED = regex(r"<(?:pasted )?command\d*>$")
# The first sign of a line that could open a quote or a comment.
_APOSTROPHE = regex(r"(?i)[^\"#']*[a-z]'(?:s|t|d|m|re|ve|ll)(?![\w'])")

_QUOTE = Text(
    "the {word} opened here is never closed: all that follows is read inside out",
    "此处的 {word} 没有闭合：后面的内容都会被读错",
)
_OPEN = Text("{word} is never closed here: its {closer} is missing", "此处的 {word} 缺少 {closer}")
_BEFORE = Text("{open}, bash stops at {other} in line {line}", "{open}，bash 会停在第 {line} 行的 {other}")  # fmt: skip
_CLOSES_NOTHING = Text("{word} closes nothing: no block is open there", "{word} 没有对应的开头")
_OUT_OF_PLACE = Text("{word} stands where no command ends or begins", "{word} 出现在不该出现的位置")
_NO_COMMAND = Text(
    "no command stands before {word} (a line before it may lack its backslash)",
    "{word} 之前没有命令（上一行可能缺少反斜杠）",
)
_APART = regex(r"^\s*(?:export\s+|local\s+)?([A-Za-z_]\w*)(?:\s+\+?=\s*|\+?=\s+)\(")
_BLANKS = Text(
    "blanks around =: {name} gets no list, ( is a syntax error here",
    "= 两边有空格：{name} 得不到数组，此处的 ( 是语法错误",
)
_PARENTHESIS = Text(
    "( is special to the shell: a value with parentheses needs quotes",
    "( 对 shell 有特殊含义：含括号的取值需要加引号",
)
_EMPTY = Text(
    "no command stands before {word}: a block of a comment alone is a syntax error, write :",
    "{word} 之前没有命令：只有注释的代码块是语法错误，请写 :",
)
_AWAITS = Text(
    "{word} is the last word of the script: a command has to follow",
    "{word} 是脚本的最后一个词：后面必须有命令",
)
_PARTED = regex(r"\d?\s*>\s+&\s*\d")
_TO_STREAM = Text(
    "a blank parts > and &: a redirection to a stream is one word, 2>&1",
    "> 与 & 之间有空格：重定向到流必须连写，如 2>&1",
)
_LACKS = Text("this {other} lacks its {word}", "此处的 {other} 缺少 {word}")
_DOCUMENT = Text(
    "no line below is {word} and nothing else: all the rest is text of this here-document",
    "下面没有仅含 {word} 的一行：其后的全部内容都成了 here-document 的文本",
)
_NEAR = Text(
    "{document}; in line {line} blanks stand around {word}",
    "{document}；第 {line} 行的 {word} 前后有空白",
)
_AT_THE_EDGE = Text(
    "{word} in line {line} with no blanks around it", "第 {line} 行的 {word} 前后不留空白"
)
_WHY = Text("the shell reads the script to its end with it", "补上后 shell 可以读完整个脚本")


@dataclass(frozen=True)
class Stop:
    """What stops the shell, where, and how it is mended if that is one thing."""

    what: Text
    span: Span
    repair: Repair | None = None


def stop(script: ScriptText, document: Document) -> Stop | None:
    """None also where the script shows what is to be filled in, or is no script but prose."""
    problem = next((p for p in document.problems if p.kind == "refused"), None)
    if problem is None:
        return None
    kind, _, word = problem.detail.partition(" ")
    line = script.line_text(problem.span.line)
    if (
        _is_spoken(script)
        or _PLACEHOLDER.search(line)
        or (word == "(" and not _A_COMMAND.search(line))
    ):
        return None
    what = _said(script, problem, kind, word)
    mend = problem.mend
    near = _near(script, problem, word) if kind == "document" else 0
    why = _AT_THE_EDGE.fill(word=word, line=near) if near else _WHY
    repair = Repair((Respelt((mend,), joins=True),), safe=False, why=why) if mend else None
    return Stop(what, problem.span, repair)


def _is_spoken(script: ScriptText) -> bool:
    """Whether a part of a pasted text has a word with an apostrophe: no quote, and no script."""
    if not _PASTED.search(script.name) or script.line_text(1).startswith("#!"):
        return False
    return any(map(_APOSTROPHE.match, script.lines))


def _said(script: ScriptText, problem: Problem, kind: str, word: str) -> Text:
    if kind == "open":
        return _left_open(script, problem, word)
    if kind == "lacks":
        opening = script.line_text(problem.span.line)[problem.span.column - 1 :].split()
        return _LACKS.fill(other=(opening or [""])[0], word=word)
    if kind == "document":
        text, near = _DOCUMENT.fill(word=word), _near(script, problem, word)
        return _NEAR.fill(document=text, line=near, word=word) if near else text
    if kind in ("empty", "awaits"):
        return (_EMPTY if kind == "empty" else _AWAITS).fill(word=word)
    if word == "&" and _PARTED.search(script.line_text(problem.span.line)):
        return _TO_STREAM
    if word == "(":
        apart = _APART.match(script.line_text(problem.span.line))
        return _BLANKS.fill(name=apart[1]) if apart else _PARENTHESIS
    if word in _CLOSING:
        return _CLOSES_NOTHING.fill(word=word)
    return (_NO_COMMAND if word[0] in ";&|" else _OUT_OF_PLACE).fill(word=word)


def _left_open(script: ScriptText, problem: Problem, word: str) -> Text:
    if word not in _CLOSES:
        return _QUOTE.fill(word=word)
    text = _OPEN.fill(word=word, closer=_CLOSES[word])
    if problem.other is None:
        return text
    there = script.line_text(problem.other.line)[problem.other.column - 1 :].split()
    return _BEFORE.fill(open=text, other=(there or [""])[0], line=problem.other.line)


def _near(script: ScriptText, problem: Problem, word: str) -> int:
    """The first line below that is the word with blanks around it; 0 if there is none."""
    below = range(problem.span.line + 1, len(script.lines) + 1)
    return next((n for n in below if script.line_text(n).strip() == word), 0)
