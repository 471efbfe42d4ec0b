"""What a script puts into the environment: ports out of range, names that nothing reads."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from medic.facts import Document, Repair, Respelt
from medic.i18n import Text
from medic.run_config import Edit, Span
from medic.text.patterns import regex
from medic.text.slips import meant_variable

from .masked import COMMENT, MASK, numbered
from .script_text import ScriptText
from .slip import Slip

_PORT = regex(
    r"(?:\b(MASTER_PORT=)|(--rdzv[_-]endpoint)[ =]\S*?:|(?<!\S)(--port)[ =])[\"']?(\d{5,7})\b"
)
# Flags that hand the port on, and are told themselves.
_HANDED = regex(r"(?:master|main_process|main-process)[_-]port")
_LAST_PORT = 65535
_SET = regex(r"^\s*(?:export\s+)?([A-Z][A-Z0-9_]+)=")
_NOTHING_READS = Text(
    "{name}: nothing reads this variable; {meant} is meant",
    "{name}：没有程序读取该变量，应为 {meant}",
)
_BY_NOBODY = Text(
    "{name}: no known program reads this variable, only code of your own could; "
    "`medic explain {term}` tells what does it instead",
    "{name}：已知程序都不读取该变量，除非自己的代码会读；替代做法见 `medic explain {term}`",
)
# An assignment in front of a command, or alone; a value with blanks has quotes.
_GIVES = regex(
    r"(?:^|(?<=[\s;]))([A-Z][A-Z0-9_]+)=(\"[^\"]*\"|'[^']*'|[^\s;&|()<>`]*)(?=$|[\s;&|])"
)
_NOT_TAKEN = Text(
    "{name}={value}: {readers} does not take this value", "{name}={value}：{readers} 不接受这个取值"
)
_COLON_MEANT = Text(
    "{name}={value}: {readers} does not take this value; {meant} is meant",
    "{name}={value}：{readers} 不接受这个取值，应为 {meant}",
)
_AS_TAKEN = Text("with colons {readers} takes it", "改成冒号后 {readers} 即可接受")
_MEANT = Text("the only known variable that is near", "唯一相近的已知变量")


def ports(script: ScriptText) -> Iterator[tuple[str, int, Span]]:
    """(name, port, place) of ports beyond 65535, where no flag of a launcher hands them on."""
    handed = _HANDED.search(script.text) is not None
    for number, line in enumerate(script.lines, 1):
        for found in _PORT.finditer(line):
            if script.code[number - 1][found.start()] == COMMENT:
                continue
            if int(found[4]) > _LAST_PORT and not (found[1] and handed):
                name = (found[1] or found[3] or found[2].strip("-").replace("_", "-")).rstrip("=")
                span = script.span(number, found.start(4) + 1, found.end(4) + 1)
                yield name, int(found[4]), span


def unread(script: ScriptText, known: Collection[str]) -> Iterator[Slip]:
    """Names that are a slip away from one that is read; see ``meant_variable``."""
    for number, line in enumerate(script.lines, 1):
        found = _SET.match(line) if number not in script.documents else None
        name = found[1] if found is not None else ""
        meant = meant_variable(name, known) if name not in script.used else None
        if found is not None and meant is not None:
            span = script.span(number, found.start(1) + 1, found.end(1) + 1)
            edit = Edit(span.file, span.start, span.end, meant)
            repair = Repair((Respelt((edit,), joins=True),), safe=False, why=_MEANT)
            yield Slip(_NOTHING_READS.fill(name=name, meant=meant), span, repair)


def by_nobody(script: ScriptText, document: Document, unread: Mapping[str, str]) -> Iterator[Slip]:
    """Variables that are passed on as a cure and have no reader; not where the script itself uses one."""
    for number, line in numbered(script, document):
        for found in _GIVES.finditer(script.line_text(number)) if "=" in line else ():
            name = found[1]
            shown = line[found.start(1)] not in (MASK, COMMENT)
            if name in unread and name not in script.used and shown and found[2]:
                span = script.span(number, found.start(1) + 1, found.end(1) + 1)
                yield Slip(_BY_NOBODY.fill(name=name, term=unread[name]), span)


def not_taken(
    script: ScriptText, document: Document, accepted: Mapping[str, tuple[str, str]]
) -> Iterator[Slip]:
    """Values that the reader of a variable does not take, written out in the script."""
    for number, line in numbered(script, document):
        for found in _GIVES.finditer(script.line_text(number)) if "=" in line else ():
            pattern, readers = accepted.get(found[1], ("", ""))
            value = found[2].strip("\"'")
            if not pattern or line[found.start(1)] == MASK or "<" in value or "$" in value:
                continue
            if not value:  # to be filled in below, or as good as not set
                continue
            if re.fullmatch(pattern, value) is None:
                span = script.span(number, found.start(2) + 1, found.end(2) + 1)
                yield _refused(found[1], found[2], (pattern, readers), span)


def _refused(name: str, written: str, accepted: tuple[str, str], span: Span) -> Slip:
    """A value with its quotes that is not taken; as it is meant, where ``:`` for ``=`` mends it."""
    pattern, readers = accepted
    value, colons = written.strip("\"'"), written.replace("=", ":")
    meant = colons.strip("\"'")
    words = {"name": name, "value": value, "readers": readers}
    if meant == value or re.fullmatch(pattern, meant) is None:
        return Slip(_NOT_TAKEN.fill(words), span)
    edit = Edit(span.file, span.start, span.end, colons)
    why = _AS_TAKEN.fill(readers=readers)
    repair = Repair((Respelt((edit,)),), safe=False, why=why)
    return Slip(_COLON_MEANT.fill(words | {"meant": meant}), span, repair)
