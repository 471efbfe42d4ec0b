"""Variables that do not become what they hold: kept by single quotes, without $, as one word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from medic.facts import Command, Document
from medic.i18n import Text
from medic.run_config import Span
from medic.text.patterns import regex

from .masked import COMMENT, MASK, numbered, quote_at, single_quoted
from .script_text import ScriptText
from .slip import Slip, replaced, respelt
from .sums import sums

_NAME = r"[A-Za-z_]\w*"
_KEPT = regex(
    rf"^(?P<key>(?:--?|\+{{0,2}})?[\w.-]+=)?'(?P<text>[\w./:@,%+-]*(?:\$(?:{_NAME}|\{{{_NAME}\}})"
    r"[\w./:@,%+-]*)+)'$"
)
_USE = regex(rf"\$(?:({_NAME})|\{{({_NAME})\}})")
_FLAG = regex(r"^--?[A-Za-z][\w.-]*$")
# Programs that read $ themselves, or hand their words to a shell.
_READ_DOLLARS = frozenset(
    """
    awk gawk mawk sed perl grep egrep fgrep rg jq yq find xargs parallel trap alias eval ssh pdsh
    envsubst echo printf su tmux screen watch kubectl docker podman make expr php node bash sh zsh
    dash test expect singularity apptainer gcloud aws az curl
    """.split()  # noqa: SIM905
)
_EVALUATES = regex(r"\beval\b|\benvsubst\b|\s-l?c\s|\bssh\s|\btrap\s|\$\{!|\bxargs\b")
_SET_KEPT = regex(
    rf"^\s*(?:export\s+|readonly\s+|local\s+)?{_NAME}=('[\w./:@,%+-]*(?:\$\{{?{_NAME}\}}?[\w./:@,%+-]*)+')"
    r"(?:\s*(?:#.*)?$|(?=\s+[^\s#]))"  # a line of its own, or before a command
)
_FLAG_KEPT = regex(
    rf"(?<!\S)--[A-Za-z][\w.-]*[ =]('[\w./:@,%+-]*(?:\$(?:{_NAME}|\{{{_NAME}\}})[\w./:@,%+-]*)+')(?=\s|$)"
)
_TAKES_DOLLARS = regex(r"\b(?:awk|sed|perl|grep|jq|xargs|parallel|envsubst|ssh|docker|kubectl)\b")
_TRAINS = regex(r"train|torchrun|python|accelerate|deepspeed|srun|swift")
_RUN_AS_COMMAND = regex(rf"\$\(\s*({_NAME})\s*\)")
_RANGE = regex(r"\{\d+\.\.\$\{?(\w+)\}?\}|\{\$\{?(\w+)\}?\.\.[\w$\{\}]+\}")
_BARE = regex(
    r"(?<=[\s\"'])--[A-Za-z][\w.-]*[ =](\{?([A-Z][A-Z0-9_]*)\}?(?:/[\w./-]*)?)(?=\s|$|\")"
)
# A variable's name as a word of its own line, and as the value of another variable.
_ALONE = regex(r"^\s+\"?(([A-Z][A-Z0-9]*_[A-Z0-9_]+))\"?\s*\\$")
_GIVEN = regex(r"^\s*(?:export\s+)?[A-Z][A-Z0-9_]*=(([A-Za-z][A-Za-z0-9]*_\w+))\s*\\?$")
_ONE_QUOTED = regex(rf'^"\$(?:({_NAME})|\{{({_NAME})(\[\*\])?\}})"$')
_LIST_USED = regex(rf'\$({_NAME})\b(?!\[)|\$\{{({_NAME})\}}|"\$\{{({_NAME})\[\*\]\}}"')
_BAD = regex(r"(?<!\\)\$\{[A-Za-z_]\w*(?=[\s;$])")
_ENVIRONMENT = frozenset(("RANK", "NNODES", "HOME", "USER", "PWD", "HOSTNAME", "PATH"))
_ALWAYS_SET = regex(r"^(?:HOME|USER|PWD|HOSTNAME|SLURM_\w+)$")
_SPEAKS = regex(r"(?:^|[;&|{]|\bthen\b)\s*(?:echo|printf)\b")

_SINGLE = Text(
    "single quotes keep {word} as it is: the program gets the name, not the value",
    "单引号内不展开变量：程序收到的是 {word} 这几个字符，而不是取值",
)
_COMMAND = Text(
    "$({name}) runs {name} as a command; the value of the variable is {use}",
    "$({name}) 会把 {name} 当作命令执行；取变量的值应写 {use}",
)
_NO_DOLLAR = Text(
    "{word} is the name of a variable of this script: without $ the program gets the name",
    "{word} 是本脚本的变量名：缺少 $，程序收到的是变量名",
)
_NO_RANGE = Text(
    "bash does not expand a variable in {word}: the loop runs once, write $(seq 1 $N)",
    "bash 不会在 {word} 中展开变量：循环只执行一次，请写 $(seq 1 $N)",
)
_ONE_WORD = Text(
    "{word} in double quotes is one argument: its {n} words reach the program as one",
    "{word} 在双引号内只是一个参数：其中 {n} 个词会作为一个整体传给程序",
)
_JOINED = Text(
    "{word} is one argument with all elements in it; each of its own is {all}",
    "{word} 会把全部元素合成一个参数；逐个传递应写 {all}",
)
_FIRST = Text(
    "{word} of an array is its first element alone; all of them are {all}",
    "{word} 只取数组的第一个元素；取全部应写 {all}",
)


_BAD_ONE = Text(
    "{word} is never closed by a } of its own: bash calls this a bad substitution",
    "{word} 缺少配对的 }：bash 会报 bad substitution",
)


def expansions(script: ScriptText, document: Document) -> Iterator[Slip]:
    """Each place may be given several times."""
    kept = [
        slip
        for command in document.commands
        for slip in _kept(command, document)
        if not _inside_double(script, slip.span)
    ]
    yield from kept
    for command in document.commands:
        yield from _one_word(command, script)
    evaluates = _EVALUATES.search(script.text) is not None
    for number, line in numbered(script, document):
        for slip in _of_line(script, number, line, evaluates=evaluates):
            if not any(_within(slip.span, one.span) for one in kept):
                yield slip


def _inside_double(script: ScriptText, span: Span) -> bool:
    """Whether a place lies inside of double quotes, where single ones are letters."""
    return quote_at(script.lines, script.documents, span.line, span.column) == '"'


def _within(span: Span, whole: Span) -> bool:
    """Whether a place is a part of a word that is told: ``--nproc='$N'`` is one fault."""
    return span.file == whole.file and whole.start < span.start < whole.end


def trains(command: Command) -> bool:
    """Whether a command starts a program that is no tool of the shell."""
    names = [w.value.rpartition("/")[2] for w in command.words[:3] if w.value]
    return not any(name in _READ_DOLLARS for name in names)


# --- words ----------------------------------------------------------------------------------


def _kept(command: Command, document: Document) -> Iterator[Slip]:
    """``--lr '$LR'``; an override of Hydra may well want ``${…}`` as it is."""
    words = command.words
    if not trains(command):
        return
    for before, word in pairwise(words):
        found = _KEPT.match(word.raw)
        if found is None:
            continue
        names = [a or b for a, b in _USE.findall(found["text"])]
        key = found["key"] or ""
        after_flag = _FLAG.match(before.value or before.raw) is not None
        # Hydra fills in ${name} itself, but hardly one in capital letters.
        hydra = bool(key) and not key.startswith("-") and "${" in found["text"]
        own = any(n in document.variables or n.startswith("SLURM_") for n in names)
        flag = key.startswith("-") or after_flag
        known = own or names[0].isupper() or _TRAINS.search(command.words[0].raw) is not None
        if known if flag else (names[0].isupper() or (own and not hydra)):
            yield Slip(
                _SINGLE.fill(word=word.raw), word.span, respelt(word, word.raw.replace("'", '"'))
            )


def _one_word(command: Command, script: ScriptText) -> Iterator[Slip]:
    """Options of a list that quotes make one word: ``train.py "$ARGS"``."""
    for before, word in pairwise(command.words):
        found = _ONE_QUOTED.match(word.raw)
        parts = (word.value or "").split()
        if found is None or len(parts) < 2 or not parts[0].startswith("-"):
            continue
        if "=" in parts[0] and not any(part.startswith("-") for part in parts[1:]):
            continue  # one option whose value has blanks
        if _FLAG.match(before.value or before.raw) is None and trains(command):
            name = found[1] or found[2]
            text = f'"${{{name}[@]}}"' if script.is_array(name) else f"${name}"
            yield Slip(_ONE_WORD.fill(word=word.raw, n=len(parts)), word.span, respelt(word, text))


# --- lines ----------------------------------------------------------------------------------


def _of_line(script: ScriptText, number: int, line: str, *, evaluates: bool) -> Iterator[Slip]:
    text = script.line_text(number)
    if not ("$" in text or "--" in text or "_" in text) or text.lstrip().startswith("#"):
        return
    if not evaluates:
        yield from _set_kept(script, number, line, text)
        yield from _ranges(script, number, line)
    if number not in script.documents:
        yield from _run(script, number, line, text)
        yield from sums(script, number, line)
        yield from _bad(script, number, line)
        yield from _lists(script, number, line, text)
        if not _SPEAKS.search(text):
            yield from _no_dollar(script, number, text)
            yield from _flag_kept(script, number, line, text)


def _set_kept(script: ScriptText, number: int, line: str, text: str) -> Iterator[Slip]:
    kept = _SET_KEPT.match(text)
    if kept is None or not _opens(line, kept.start(1)) or _TAKES_DOLLARS.search(text[kept.end() :]):
        return
    names = [a or b for a, b in _USE.findall(kept[1])]
    if all(name in script.assigned or _ALWAYS_SET.match(name) for name in names):
        span = script.between(number, kept.span(1))
        yield Slip(_SINGLE.fill(word=kept[1]), span, replaced(span, kept[1].replace("'", '"')))


def _flag_kept(script: ScriptText, number: int, line: str, text: str) -> Iterator[Slip]:
    """In a list of flags, which is no command yet."""
    for found in _FLAG_KEPT.finditer(text):
        if not _opens(line, found.start(1)) or _TAKES_DOLLARS.search(text[: found.start()]):
            continue
        names = [a or b for a, b in _USE.findall(found[1])]
        if not (names[0].isupper() or any(name in script.assigned for name in names)):
            continue
        span = script.between(number, found.span(1))
        new = found[1].replace("'", '"')
        yield Slip(_SINGLE.fill(word=found[1]), span, replaced(span, new))


def _opens(line: str, at: int) -> bool:
    """Whether the quote at a place of a masked line opens a text: ``'a '$HOME' b'`` has two."""
    return line[at : at + 2] == f"'{MASK}"


def _run(script: ScriptText, number: int, line: str, text: str) -> Iterator[Slip]:
    for found in _RUN_AS_COMMAND.finditer(text):
        kept = line[found.start()] == MASK and single_quoted(text, found.start())
        if _is_variable(script, found[1]) and line[found.start()] != COMMENT and not kept:
            span = script.between(number, found.span())
            yield Slip(
                _COMMAND.fill(name=found[1], use=f"${{{found[1]}}}"),
                span,
                replaced(span, f"${{{found[1]}}}"),
            )


def _bad(script: ScriptText, number: int, line: str) -> Iterator[Slip]:
    for found in _BAD.finditer(line):
        yield Slip(_BAD_ONE.fill(word=found[0]), script.between(number, found.span()))


def _ranges(script: ScriptText, number: int, line: str) -> Iterator[Slip]:
    for found in _RANGE.finditer(line):
        if "zsh" not in script.line_text(1):
            yield Slip(_NO_RANGE.fill(word=found[0]), script.between(number, found.span()))


def _lists(script: ScriptText, number: int, line: str, text: str) -> Iterator[Slip]:
    """An array of options without ``[@]``, or as one word."""
    for found in _LIST_USED.finditer(text):
        name = found[1] or found[2] or found[3]
        if line[found.start()] == MASK and found[3]:
            continue  # inside a longer text all elements stand side by side
        if not script.is_array(name) or not script.holds_options(name):
            continue
        every = f"${{{name}[@]}}"
        if found[3]:
            if _SPEAKS.search(text[: found.start()]):
                continue
            what = _JOINED.fill(word=found[0], all=every)
        else:
            what = _FIRST.fill(word=found[0], all=every)
        span = script.between(number, found.span())
        yield Slip(what, span, replaced(span, f'"{every}"' if found[3] else every))


def _no_dollar(script: ScriptText, number: int, text: str) -> Iterator[Slip]:
    alone = filter(None, (_ALONE.match(text), _GIVEN.match(text)))
    for found in (*_BARE.finditer(text), *alone):
        name = found[2]
        if len(name) < 2 or name not in script.set_alone or script.is_array(name):
            continue
        span = script.between(number, found.span(1))
        text_of = found[1].strip("{}")
        new = f"${{{name}}}{text_of[len(name) :]}" if "/" in text_of else f"${name}"
        yield Slip(_NO_DOLLAR.fill(word=found[1]), span, replaced(span, new))


def _is_variable(script: ScriptText, name: str) -> bool:
    """Set in the script, or named as programs are not; and no function of it."""
    function = re.search(rf"(?m)^\s*(?:function\s+)?{re.escape(name)}\s*\(\)", script.text)
    spelt = "_" in name or not name.islower()  # $(date), $(hostname)
    loud = name.isupper() and ("_" in name or name in _ENVIRONMENT)
    return ((spelt and name in script.assigned) or loud) and function is None
