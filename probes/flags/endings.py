"""Backslashes at the end of a line that join too much: words without a blank, the next command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Document, Launch
from medic.i18n import Text
from medic.text.patterns import regex

from .masked import MASK, indent, numbered
from .script_text import ScriptText
from .slip import Slip, replaced

# A quote that opens there, as of X="\, begins a text: nothing stands before the backslash.
_GLUED = regex(r"(?:[^\s\\\"'(]|[^=(\s][\"'])\\$")
_GOES_ON = regex(r"^--?[A-Za-z]")
_FLAG_LINE = regex(r"^\s+(?:--?[A-Za-z]|[\w.]+=)")
# Those of them that no wrapper starts.
_NEVER_ARGUMENTS = frozenset(
    "echo export wait fi done else elif esac mkdir rm exit unset module date touch".split()  # noqa: SIM905
)
# What begins a command of its own, not an argument.
_COMMANDS = frozenset(
    """
    echo export python python3 torchrun deepspeed accelerate srun wait fi done else elif esac sleep
    mkdir rm cp mv kill exit nohup source if for while unset module conda date touch
    """.split()  # noqa: SIM905
)

_NO_BLANK = Text(
    "no blank before the backslash or behind it: the words of both lines become one",
    "反斜杠前后都没有空格：两行的词连成了一个",
)
_SWALLOWED = Text(
    "the backslash at the end of this line makes {word} of line {line} an argument of the command",
    "这一行行尾的反斜杠把第 {line} 行的 {word} 也变成了该命令的参数",
)


def endings(script: ScriptText, document: Document, launches: Sequence[Launch]) -> Iterator[Slip]:
    for number, line in numbered(script, document):
        text, following = script.line_text(number), script.line_text(number + 1)
        if not text.endswith("\\") or line.endswith(MASK * 2) or number in script.documents:
            continue
        if _GLUED.search(text) and _GOES_ON.match(following):
            span = script.span(number, len(text), len(text) + 1)
            yield Slip(_NO_BLANK, span, replaced(span, " \\"))
        word = following.split(maxsplit=1)[0] if following.strip() else ""
        if word in _NEVER_ARGUMENTS and _FLAG_LINE.match(text) and _stands_out(following, text):
            yield _swallowed(script, number, word)
    for launch in launches:
        yield from _of_launch(script, launch)


def _of_launch(script: ScriptText, launch: Launch) -> Iterator[Slip]:
    for word in launch.arguments:
        line, inside = word.span.line, launch.span.start <= word.span.start < launch.span.end
        above, here = script.line_text(line - 1), script.line_text(line)
        if word.value not in _COMMANDS or not inside or not above.endswith("\\"):
            continue
        if not here[: word.span.column - 1].strip() and _stands_out(here, above):
            yield _swallowed(script, line - 1, word.value or "")


def _swallowed(script: ScriptText, number: int, word: str) -> Slip:
    """The line whose backslash is one too many."""
    text = script.line_text(number)
    span = script.span(number, len(text[:-1].rstrip()) + 1, len(text) + 1)
    return Slip(_SWALLOWED.fill(word=word, line=number + 1), span, replaced(span, ""))


def _stands_out(line: str, above: str) -> bool:
    """Whether a line is indented less than the one above, which belongs to the command."""
    return indent(line) < indent(above)
