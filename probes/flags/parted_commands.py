"""Commands that end before their program, their last words or where their output goes.

Unlike a flag, what follows may be a command of its own. That it is none shows by what stands before:
a wrapper without a program, variables of a command that does not come, lines of one indentation.
"""

from __future__ import annotations

from collections.abc import Iterator

from medic.records import dataclass
from medic.text.patterns import regex

from .cuts import Cut, cut_above, is_empty
from .masked import COMMENT, MASK, indent
from .script_text import ScriptText

_GOES_ON = regex(r"(?<!\\)(?:\\\\)*\\$")
_LED_OFF = regex(r"^\s+(?:&>>?|>&|2>&1|[12]>>?)\s*\S")
_SETS_ONLY = regex(
    r"^\s*(?:[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|[^\s\"'(;|&#])*(?:\s+|(?=\\?$)))+\\?$"
)
_PROGRAM = regex(
    r"^\s*(?:(?:python3?|torchrun|deepspeed|accelerate|srun|mpirun|bash|sh|swift|megatron|numactl|env|"
    r"llamafactory-cli|trl|axolotl|litgpt|tune|vllm|ray)\s|--\s)"
)
_WRAPPER = regex(
    r"^\s*(?:\w+=\S*\s+)*(?:(?:srun|mpirun|mpiexec|numactl|nohup)\s|(?:docker|podman|apptainer|singularity|"
    r"enroot)\s+(?:run|exec|start)\s|ray\s+job\s+submit\s|kubectl\s+exec\s)"
)
# A wrapper that has its program already.
_HAS_PROGRAM = regex(
    r"\s(?:python3?|torchrun|deepspeed|accelerate|bash|sh|env|\S+\.(?:py|sh)|--)(?:\s|$)"
)
_WORDS = regex(
    r"^\s+(?:[+~]{0,2}[A-Za-z_]\w*(?:\.\w+)+(?:=|\s|$)|[\"'][+~]{0,2}[A-Za-z_]\w*(?:\.\w+)+=|[\w./-]+\.py\s)"
)
# What begins a line of arguments: a flag, a variable, a quoted word, a file that is no script of its
# own, several settings or one that goes on.
_ARGUMENT = regex(
    r"^\s*(?:--?[A-Za-z]|\"?\$[{@A-Za-z]|[\"'][^\"']*[\"']?|(?!\.{1,2}/)[\w./-]+\.(?:py|ya?ml|json|toml)(?:\s|$)|"
    r"[+~]{0,2}[A-Za-z_][\w.]*=\S+\s+(?:\\$|[+~]{0,2}[A-Za-z_][\w.]*=))"
)
_STARTED = regex(
    r"(?m)^\s*(?:[A-Za-z_]\w*=\S*\s+)*(?:python3?|torchrun|deepspeed|accelerate|srun|mpirun|mpiexec|swift|"
    r"megatron|numactl|nohup|llamafactory-cli|trl|axolotl|litgpt|tune|vllm|ray|docker|podman|singularity|"
    r"apptainer|ssh)\s"
)
_OF_CONTAINER = regex(r"^\s*(?:docker|podman|apptainer|singularity|enroot)\s")
_ENDS_IN_OPTION = regex(r"\s-[\w-]+(?:=\S+|\s+[^\s-]\S*)?\s*\\?\s*$")
_INNER = regex(r"^\s*(?:docker|podman|apptainer|singularity|enroot|nice|time)\s")
_NO_COMMAND = regex(
    r"^\s*(?:if|for|while|until|case|function|elif|else|then|do|fi|done|esac|export|local|declare|\{|\}|"
    r"\(|\))(?:\s|$)|(?:;|\b)(?:then|do)\s*$|[{(|&;]\s*$|^\s*[A-Za-z_]\w*\+?=\("
)


@dataclass(frozen=True)
class _Statement:
    """Lines that backslashes join, and the indentation of its first and its last.

    ``broken``: the last backslash joins a comment or an empty line, ``end``.
    """

    first: int
    last: int
    text: str
    indent: int
    inner: int
    end: int = 0
    broken: bool = False


def parted(script: ScriptText) -> Iterator[Cut]:
    """One cut a statement: right behind it stands what belongs to it."""
    for one in _statements(script):
        following = one.end + 1
        while (
            one.broken and following <= len(script.lines) and is_empty(script.line_text(following))
        ):
            following += 1
        text, code = script.line_text(following), script.code[following - 1 : following]
        if not text.strip() or following in script.documents or not code:
            continue
        if code[0].lstrip()[:1] in (MASK, COMMENT, "") or _NO_COMMAND.search(one.text):
            continue
        if _belongs(one, text, indent(text)) and (
            cut := cut_above(script, following, text.split()[0].strip("\"'"))
        ):
            yield cut


def _belongs(one: _Statement, text: str, indent: int) -> bool:
    several = one.last > one.first
    if (several or one.broken) and all(_SETS_ONLY.match(line) for line in one.text.split("\n")):
        more = _SETS_ONLY.match(text) is not None and _GOES_ON.search(text) is not None
        return indent >= one.indent and (more or _PROGRAM.match(text) is not None)
    if indent <= one.indent:
        return False
    if _SETS_ONLY.match(one.text):
        return _PROGRAM.match(text) is not None
    if _LED_OFF.match(text):
        return True
    aligned = (several or one.broken) and indent == one.inner
    if _WRAPPER.match(one.text) and not _HAS_PROGRAM.search(one.text):
        open_end = aligned or _OF_CONTAINER.match(one.text) or _ENDS_IN_OPTION.search(one.text)
        if open_end and (_PROGRAM.match(text) or _INNER.match(text)):
            return True
    elif aligned and _WORDS.match(text):
        return True
    return _STARTED.search(one.text) is not None and _ARGUMENT.match(text) is not None


def _statements(script: ScriptText) -> Iterator[_Statement]:
    """Those outside of quotes, here-documents and lists."""
    first, depth, outside = 1, 0, True
    for number, line in enumerate(script.code, 1):
        if number == first:
            inside = number in script.documents or line[:1] == MASK
            outside = depth == 0 and not inside
        depth = max(0, depth + line.count("(") - line.count(")"))
        if _GOES_ON.search(line) and number not in script.documents:
            continue
        lines = script.lines[first - 1 : number]
        while len(lines) > 1 and is_empty(lines[-1]):
            lines.pop()
        last = first + len(lines) - 1
        if outside and not is_empty(lines[0]):
            ends = indent(lines[0]), indent(lines[-1])
            yield _Statement(first, last, "\n".join(lines), *ends, number, broken=last < number)
        first = number + 1
