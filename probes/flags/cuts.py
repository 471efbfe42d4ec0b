"""Commands that end before they should: a backslash that continues nothing, or none at all."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import PurePosixPath

from medic.facts import Command, Document
from medic.i18n import Text
from medic.records import dataclass
from medic.run_config import Span
from medic.text.patterns import regex

from .launch import launch_of
from .launchers import ALIASES, LAUNCHERS, MODULES
from .masked import MASK
from .script_text import ScriptText

_COMMENT_BEHIND = regex(r"\\[ \t]+#.*$")
_BLANK_BEHIND = regex(r"\\[ \t]+$")
# Other ends of a line that look as if it went on.
_SLASH = regex(r"(?<=\s)/[ \t]*$")
_TWO = regex(r"(?<!\\)\\\\$")
_IN_COMMENT = regex(r"(?<=\s)#[^\n]*\\$")
# A text that is printed or handed to a shell, not a list of flags.
_PRINTED = regex(r"(?<![\w-])(?:echo|printf|exec|eval)(?![\w-])|'")
_ENDED = regex(r"(?<!;);[ \t]*\\$")
# What a continued line of a command begins with: a flag, a variable, a script.
_CONTINUES = regex(r"^\s*(?:-{1,2}[A-Za-z]|[\"']?\$|[\"']?[\w./-]+\.py\b)")
_OVERRIDE = regex(r"^\s+\+{0,2}[a-z_]\w*(?:\.\w+)*=")
_READ = regex(r"\bread\s+(?:-\w+\s+(?:''\s+)?)*[A-Za-z_]\w*\s*<<-?\s*\w")
# A variable for one command, and the command.
_SETS = regex(r"^\s*[A-Za-z_]\w*=")
_STARTS = regex(
    r"^\s*(?:[A-Za-z_]\w*=|(?:python3?|torchrun|deepspeed|accelerate|srun|mpirun|bash|swift|megatron|"
    r"llamafactory-cli|trl|axolotl|litgpt|tune|vllm)\s)"
)
_FLAG = regex(r"^--?[A-Za-z]")
# What Hydra and its kin are given; no program has such a name, and no variable of the shell a dot.
_DOTTED = regex(r"^[+~]{0,2}[A-Za-z_]\w*(?:\.\w+)+=")
# A variable of several lines, and what makes a shell read a text again.
_TEXT = r"(?:[^\"\\]|\\[\s\S])*"  # of double quotes, some of which may close and open again
_SEVERAL = regex(
    rf"(?m)^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)=\"({_TEXT}(?:\"[^\s\";|&]+\"{_TEXT})*)\""
)
_READS_AGAIN = regex(r"(?:\b(?:bash|sh)[ \t]+-l?c[ \t]+|\beval[ \t]+)\"((?:[^\"\\]|\\[\s\S])*)\"")
_USED = regex(r"\$\{?([A-Za-z_]\w*)")
_CONTINUED = 2  # lines of the variable that end in a backslash: the others do on purpose
_LEFT_OUT = ("...", "…")  # documentation that shows a part of a command

BLANK = Text(
    "a blank follows the backslash: the line does not continue, {next} is cut off",
    "反斜杠后面有空格：这一行没有续上，{next} 被切断",
)
COMMENT = Text(
    "a comment follows the backslash: the line does not continue, {next} in the next line becomes"
    " a command of its own",
    "反斜杠后面跟着注释：这一行没有续上，下一行的 {next} 会被当成另一条命令",
)
NO_BACKSLASH = Text(
    "the line lacks its backslash: {next} in the next line becomes a command of its own",
    "行尾缺少反斜杠：下一行的 {next} 会被当成另一条命令",
)
SLASH = Text(
    "the line ends in / in place of \\: it does not continue, {next} in the next line is cut off",
    "行尾写成了 /，应为反斜杠 \\：这一行没有续上，下一行的 {next} 被切断",
)
TWO = Text(
    "two backslashes are one character to the shell: the line does not continue, {next} is cut off",
    "两个反斜杠对 shell 只是一个普通字符：这一行没有续上，{next} 被切断",
)
IN_COMMENT = Text(
    "the backslash belongs to the comment before it: the line does not continue, {next} in the next"
    " line is cut off",
    "反斜杠写在注释里，是注释的一部分：这一行没有续上，下一行的 {next} 被切断",
)
ENDED = Text(
    "the ; before the backslash ends the command: {next} becomes a command of its own",
    "反斜杠前的 ; 使命令在此结束：{next} 会被当成另一条命令",
)
BETWEEN = Text(
    "the comment or empty line ends the command: {next} becomes a command of its own",
    "注释或空行使命令在此结束：{next} 会被当成另一条命令",
)


_ENDS = (
    (_BLANK_BEHIND, BLANK),
    (_SLASH, SLASH),
    (_IN_COMMENT, IN_COMMENT),
    (_TWO, TWO),
    (_ENDED, ENDED),
)


@dataclass(frozen=True)
class Cut:
    """Where a command ends too early: the line to repair, and why."""

    line: int
    column: int
    end: int
    what: Text


def cuts(script: ScriptText, document: Document) -> list[Cut]:
    """One cut a line, in their order. Bash manual: escape character, comments."""
    found = {cut.line: cut for cut in _blanks(script)}
    for one in _in_variables(script):
        found.setdefault(one.line, one)
    for line, word in (*_flags_alone(document, script), *_scripts_alone(document)):
        if before := cut_above(script, line, word):
            found.setdefault(before.line, before)
    return [found[line] for line in sorted(found)]


def _blanks(script: ScriptText) -> Iterator[Cut]:
    """Lines that end as if they went on, before a line that goes on."""
    masked = script.code
    for number, line in enumerate(script.lines, 1):
        if line[-1:] not in ("\\", " ", "\t", "/"):
            continue
        if number in script.documents and not _becomes_words(script, number):
            continue
        following = script.line_text(number + 1)
        goes_on = _CONTINUES.match(following) or _OVERRIDE.match(following)
        goes_on = goes_on or (_SETS.match(line) and _STARTS.match(following))
        if line.lstrip().startswith("#") or not goes_on:
            continue
        for pattern, what in _ENDS:
            found = pattern.search(line)
            quoted = masked[number - 1][-1:] == MASK and _PRINTED.search(line) is not None
            if found is not None and not quoted:
                at = found.start() + 1
                yield Cut(number, at, len(line) + 1, what.fill(next=_first(following)))
                break


def _in_variables(script: ScriptText) -> Iterator[Cut]:
    """Lines without their backslash in a variable that ``bash -c "… $NAME"`` or ``eval`` reads: there
    the end of a line ends the command. Expanded as words it only parts them.
    """
    values = {found[1]: found for found in _SEVERAL.finditer(script.text) if "\n" in found[2]}
    again = {n for found in _READS_AGAIN.finditer(script.text) for n in _USED.findall(found[1])}
    for _ in values:  # one variable within another
        again |= {n for name in again & set(values) for n in _USED.findall(values[name][2])}
    for name in again & set(values):
        first = script.text.count("\n", 0, values[name].start()) + 1
        last = script.text.count("\n", 0, values[name].end()) + 1
        inner = range(first, last)
        if sum(script.line_text(n).endswith("\\") for n in inner) < _CONTINUED:
            continue
        for number in inner:
            line, following = script.line_text(number), script.line_text(number + 1)
            if line.endswith("\\") and number + 2 in inner and not following.strip():
                following = script.line_text(number + 2)
                if _FLAG.match(following.strip()):
                    what = BETWEEN.fill(next=_first(following))
                    yield Cut(number + 1, 1, 2, what)
            elif line.strip() and line[-1] != "\\" and _FLAG.match(following.strip()):
                end = len(line) + 1
                what = NO_BACKSLASH.fill(next=_first(following))
                yield Cut(number, max(1, end - 1), end, what)


def _becomes_words(script: ScriptText, number: int) -> bool:
    """Whether a here-document is read into a variable, which a command is made of."""
    while number in script.documents:
        number -= 1
    return _READ.search(script.line_text(number)) is not None


def _first(line: str) -> str:
    """The first word of a line, without the quotes that end or begin there."""
    return line.split(maxsplit=1)[0].strip("\"'")


def _flags_alone(document: Document, script: ScriptText) -> Iterator[tuple[int, str]]:
    """Commands whose name is a flag or an override, at the start of their line."""
    for command in document.every_command:
        own = (w for w in command.words if _is_within(w.span, command.span))
        first = command.words[0] if command.words else None
        word = next(own, first)  # before those of an inner script stands what starts the script
        text = word.text if word else ""
        inside = word is not None and _is_within(word.span, command.span)
        place = word.span if word is not None and inside else command.span
        line = script.line_text(place.line)
        stands = (
            line[place.column - 1 :].lstrip("\"'").startswith((text.partition("=")[0], "$"))
        )  # eval's are elsewhere
        if (
            (_FLAG.match(text) or _DOTTED.match(text))
            and stands
            and not line[: place.column - 1].strip()
        ):
            yield place.line, text


def _is_within(span: Span, whole: Span) -> bool:
    return whole.start <= span.start < whole.end


def _scripts_alone(document: Document) -> Iterator[tuple[int, str]]:
    """A launcher without a script, and in the next line a script without a launcher."""
    for first, second in (*pairwise(document.commands), *pairwise(document.unreached)):
        # Before the words of an inner script stands what starts it.
        own = (w for w in second.words if _is_within(w.span, second.span))
        word = first_own.value if (first_own := next(own, None)) is not None else None
        near = first.span.end_line < second.span.line <= first.span.end_line + 2
        if word and word.endswith(".py") and near and _launches_nothing(first):
            yield second.span.line, word


def _launches_nothing(command: Command) -> bool:
    values = [w.value for w in command.words[:16] if w.value]
    names = [PurePosixPath(value).name for value in values]
    launchers = any(ALIASES.get(name, name) in {*LAUNCHERS, *MODULES} for name in names)
    return launchers and len(command.words) > 1 and launch_of(command) is None


def cut_above(script: ScriptText, line: int, word: str) -> Cut | None:
    """The cut above a line that begins a command and should not."""
    above = line - 1
    while above > 0 and is_empty(script.line_text(above)):
        above -= 1
    if not above or above in script.documents:
        return None
    text = script.line_text(above)
    if text.strip() in _LEFT_OUT:
        return None
    if _BLANK_BEHIND.search(text):
        return Cut(above, len(text.rstrip()), len(text) + 1, BLANK.fill(next=word))
    if (comment := _COMMENT_BEHIND.search(text)) is not None:
        return Cut(above, comment.start() + 1, len(text) + 1, COMMENT.fill(next=word))
    if not text.endswith("\\"):
        end = len(text) + 1
        return Cut(above, max(1, end - 1), end, NO_BACKSLASH.fill(next=word))
    if above + 1 == line:
        return None  # the tree of the script is not what the shell reads
    between = script.line_text(above + 1)
    return Cut(above + 1, 1, max(2, len(between) + 1), BETWEEN.fill(next=word))


def is_empty(line: str) -> bool:
    """Nothing, or only a comment."""
    text = line.strip()
    return not text or text.startswith("#")
