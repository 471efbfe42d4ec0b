"""Slips in a script that a shell or a parser reads otherwise than they look."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from medic.facts import Command, Document, Launch, Repair, Respelt, Word
from medic.i18n import Text
from medic.patterns import regex
from medic.records import dataclass
from medic.run_config import Edit, Span

from .distance import digits_of, is_swapped, letters_apart
from .launchers import ALIASES, FRAMEWORKS, LAUNCHERS, WRAPPERS
from .script_text import ScriptText

# What editors and web pages make of "--": hyphens, dashes, the minus sign.
_DASH = regex(r"^[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D-]*[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]"
              r"[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D-]*(?=[A-Za-z])")  # fmt: skip
_CURLED = "\u201c\u201d\u2018\u2019"
_CURLED_WORD = regex(rf"^(?:[\w.+-]+=)?\[?[{_CURLED}]|(?<=[\w/.])[{_CURLED}]$")
_CURLED_SET = regex(rf"^\s*(?:export\s+|readonly\s+|local\s+)?[A-Za-z_]\w*=([{_CURLED}])")
_EXPORT = regex(
    r"^\s*(?:export|local|readonly|declare(?:\s+-\w+)?)\s+([A-Za-z_]\w*)(\s+=\s*)(?=[^\s=~])"
)
_NAME = regex(r"^[A-Za-z_]\w*$")
_SET_BY_VALUE = regex(r"^\$\{?([A-Za-z_]\w*)\}?=")
_KEPT = regex(r"^((?:--?)?[\w.-]+=)?'\$(\{?)([A-Za-z_]\w*)\}?(?:/[\w./-]*)?'$")
_PROGRAM = regex(r"^[a-z][a-z-]{5,}$")
_PROGRAMS = ("python", "python3", "sbatch", *LAUNCHERS, *FRAMEWORKS, *WRAPPERS)

_WRONG_DASH = Text(
    "{word} begins with a dash that is no hyphen: it is no flag, but a value",
    "{word} 开头不是连字符（-）而是长破折号：它不会被当作选项",
)
_BLANKS = Text(
    "blanks around =: {flag} gets the value =, and {value} is a word of its own",
    "= 两边有空格：{flag} 的取值变成 =，{value} 成了单独的参数",
)
_QUOTES = Text(
    "{word}: curled quotes are no quotes to the shell, they become part of the value",
    "{word}：弯引号对 shell 不是引号，会成为取值的一部分",
)
_ASSIGNED = Text(
    "blanks around =: {name} is not set, the shell runs it as a command",
    "= 两边有空格：变量 {name} 没有被赋值，shell 会把它当作命令",
)
_NOT_SET = Text(
    "blanks around =: {name} gets no value, and the shell stops or goes on without it",
    "= 两边有空格：变量 {name} 得不到取值，shell 报错或继续执行",
)
_DOLLAR = Text(
    "${name}=: the value of {name} stands there, nothing is assigned; write {name}=",
    "${name}= 会先展开变量，并不是赋值；请写 {name}=",
)
_SINGLE = Text(
    "single quotes keep {word} as it is: the program gets the name, not the value",
    "单引号内不展开变量：程序收到的是 {word} 这几个字符，而不是取值",
)
_NO_PROGRAM = Text(
    "there is no program {word}; {meant} is meant", "没有 {word} 这个程序，应为 {meant}"
)
_WHY = Text("as it is meant to be read", "按原意书写")


@dataclass(frozen=True)
class Slip:
    """What is wrong, where, and how it is written right."""

    what: Text
    span: Span
    repair: Repair | None = None


def slips(script: ScriptText, document: Document, launches: list[Launch]) -> Iterator[Slip]:
    """Each place once, in no order."""
    for launch in launches:
        yield from _of_launch(launch, document)
    for command in document.commands:
        yield from _of_command(command, script)
    yield from _of_lines(script)


# --- words of a training command ------------------------------------------------------------


def _of_launch(launch: Launch, document: Document) -> Iterator[Slip]:
    script = (launch.script,) if launch.script is not None else ()
    words = (*launch.launcher_words, *script, *launch.arguments)
    for at, word in enumerate(words):
        dash = _DASH.match(word.raw)
        before = words[at - 1] if at else None
        if dash is not None:
            hyphens = "--" if len(word.raw) - dash.end() > 1 else "-"
            repair = _respelt(word, hyphens + word.raw[dash.end() :])
            yield Slip(_WRONG_DASH.fill(word=word.raw), word.span, repair)
        elif word.raw == "=" and before is not None and at + 1 < len(words):
            yield _spaced(before, word, words[at + 1])
        elif before is not None and _CURLED_WORD.search(word.raw):
            yield _curled(word)
        elif before is not None:
            yield from _unexpanded(word, before, document.variables)


def _spaced(flag: Word, sign: Word, value: Word) -> Slip:
    what = _BLANKS.fill(flag=flag.raw, value=value.raw)
    edit = Edit(flag.span.file, flag.span.start, value.span.end, f"{flag.raw}={value.raw}")
    return Slip(what, sign.span, Repair((Respelt((edit,), joins=True),), safe=False, why=_WHY))


def _unexpanded(word: Word, before: Word, variables: Mapping[str, str | None]) -> Iterator[Slip]:
    """``--lr '$LR'``; an override of Hydra may well want ``${…}`` as it is."""
    found = _KEPT.match(word.raw)
    if found is None:
        return
    flag = word.raw.startswith("-") or (before.raw.startswith("-") and not found[1])
    # Hydra fills in ${name} itself, but hardly one in capital letters.
    override = found[1] is not None and (not found[2] or found[3].isupper())
    if (flag or override) and (found[3] in variables or found[3].startswith("SLURM_")):
        repair = _respelt(word, word.raw.replace("'", '"'))
        yield Slip(_SINGLE.fill(word=word.raw), word.span, repair)


def _respelt(word: Word, text: str) -> Repair:
    edit = Edit(word.span.file, word.span.start, word.span.end, text)
    return Repair((Respelt((edit,), joins=True),), safe=False, why=_WHY)


# --- other commands -------------------------------------------------------------------------


def _of_command(command: Command, script: ScriptText) -> Iterator[Slip]:
    words = command.words
    if not words:
        return
    first = words[0]
    if len(words) > 2 and words[1].raw == "=" and _NAME.match(first.raw):
        yield _assigned(first, words[1], words[2])
        return
    found = _SET_BY_VALUE.match(first.raw)
    if found is not None and not found[0].startswith("${!"):
        repair = _respelt(first, first.raw.replace("$", "", 1))
        yield Slip(_DOLLAR.fill(name=found[1]), first.span, repair)
    meant = _program(first, script) if len(words) > 1 else ""
    if meant:
        what = _NO_PROGRAM.fill(word=first.raw, meant=meant)
        yield Slip(what, first.span, _respelt(first, meant))


def _assigned(name: Word, sign: Word, value: Word) -> Slip:
    edit = Edit(name.span.file, name.span.start, value.span.end, f"{name.raw}={value.raw}")
    repair = Repair((Respelt((edit,), joins=True),), safe=False, why=_WHY)
    return Slip(_ASSIGNED.fill(name=name.raw), sign.span, repair)


def _curled(word: Word) -> Slip:
    text = re.sub(f"[{_CURLED[:2]}]", '"', word.raw)
    text = re.sub(f"[{_CURLED[2:]}]", "'", text)
    closed = text.count('"') % 2 == 0 and text.count("'") % 2 == 0
    return Slip(_QUOTES.fill(word=word.raw), word.span, _respelt(word, text) if closed else None)


def _program(word: Word, script: ScriptText) -> str:
    """The program that a name is a slip of: letters swapped, or one inner letter wrong."""
    name = word.value or ""
    if not _PROGRAM.match(name) or name in _PROGRAMS or name in ALIASES or "/" in word.raw:
        return ""
    if re.search(rf"(?:alias\s+|function\s+)?\b{re.escape(name)}\b\s*(?:\(\)|=)", script.text):
        return ""
    return next((one for one in _PROGRAMS if _is_slip(name, PurePosixPath(one).name)), "")


def _is_slip(name: str, program: str) -> bool:
    if len(program) < len("python") or digits_of(name) != digits_of(program):
        return False
    if is_swapped(name, program):
        return True
    inner = name[:2] == program[:2] and name[-1] == program[-1]
    return inner and len(program) > len("python") and bool(letters_apart(name, program, 1))


# --- lines ----------------------------------------------------------------------------------


def _of_lines(script: ScriptText) -> Iterator[Slip]:
    """Assignments that the tree of the shell does not keep as commands."""
    for number, line in enumerate(script.lines, 1):
        if number in script.documents:
            continue
        export, curled = _EXPORT.match(line), _CURLED_SET.match(line)
        if export is not None:
            span = script.span(number, export.start(2) + 1, export.end(2) + 1)
            edit = Edit(span.file, span.start, span.end, "=")
            repair = Repair((Respelt((edit,)),), safe=False, why=_WHY)
            yield Slip(_NOT_SET.fill(name=export[1]), span, repair)
        elif curled is not None:
            rest = line[curled.start(1) :].strip()
            span = script.span(number, curled.start(1) + 1, len(line.rstrip()) + 1)
            yield Slip(_QUOTES.fill(word=rest), span)
