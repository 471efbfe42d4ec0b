"""What a script puts into the environment: ports out of range, names that nothing reads."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from medic.facts import Document, Repair, Respelt
from medic.i18n import Text
from medic.patterns import regex
from medic.run_config import Edit, Span

from .distance import digits_of, is_swapped, letters_apart
from .masked import MASK, numbered
from .script_text import ScriptText
from .slip import Slip

_PORT = regex(r"(?:\b(MASTER_PORT=)|(--rdzv[_-]endpoint)[ =]\S*?:)[\"']?(\d{5,7})\b")
_LAST_PORT = 65535
_SET = regex(r"^\s*(?:export\s+)?([A-Z][A-Z0-9_]{9,})=")
_NOTHING_READS = Text(
    "{name}: nothing reads this variable; {meant} is meant",
    "{name}：没有程序读取该变量，应为 {meant}",
)
# An assignment in front of a command, or alone; a value with blanks has quotes.
_GIVES = regex(
    r"(?:^|(?<=[\s;]))([A-Z][A-Z0-9_]+)=(\"[^\"]*\"|'[^']*'|[^\s;&|()<>`]*)(?=$|[\s;&|])"
)
_NOT_TAKEN = Text(
    "{name}={value}: {readers} does not take this value", "{name}={value}：{readers} 不接受这个取值"
)
_VOWELS = frozenset("AEIOUY")
_MEANT = Text("the only known variable that is near", "唯一相近的已知变量")


def ports(script: ScriptText) -> Iterator[tuple[str, int, Span]]:
    """(name, port, place) of ports beyond 65535, where no flag of a launcher hands them on."""
    handed = "master_port" in script.text or "master-port" in script.text
    for number, line in enumerate(script.lines, 1):
        for found in _PORT.finditer(line) if not line.lstrip().startswith("#") else ():
            name = (found[1] or found[2]).strip("-=: ").replace("_", "-")
            if int(found[3]) > _LAST_PORT and not (found[1] and handed):
                span = script.span(number, found.start(3) + 1, found.end(3) + 1)
                yield (found[1] or name).rstrip("="), int(found[3]), span


def unread(script: ScriptText, known: Collection[str]) -> Iterator[Slip]:
    """Names one letter left out, added or swapped from one that is read, or one vowel for another.
    A consonant for another is no slip: libraries have such pairs of their own.
    """
    for number, line in enumerate(script.lines, 1):
        found = _SET.match(line) if number not in script.documents else None
        if found is None or found[1] in known or found[1] in script.used:
            continue
        name = found[1]
        near = [one for one in known if _slip(name, one)]
        if len(near) == 1:
            span = script.span(number, found.start(1) + 1, found.end(1) + 1)
            edit = Edit(span.file, span.start, span.end, near[0])
            repair = Repair((Respelt((edit,), joins=True),), safe=False, why=_MEANT)
            yield Slip(_NOTHING_READS.fill(name=name, meant=near[0]), span, repair)


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
            if re.fullmatch(pattern, value) is None:
                span = script.span(number, found.start(2) + 1, found.end(2) + 1)
                what = _NOT_TAKEN.fill(name=found[1], value=value, readers=readers)
                yield Slip(what, span)


def _slip(name: str, other: str) -> bool:
    if digits_of(name) != digits_of(other):
        return False
    if len(name) == len(other):
        pairs = [(a, b) for a, b in zip(name, other, strict=True) if a != b]
        if len(pairs) == 1 and {*pairs[0]} <= _VOWELS:
            return True
    one_more = abs(len(name) - len(other)) == 1
    return is_swapped(name, other) or (one_more and letters_apart(name, other, 1) is not None)
