"""Characters of an editor or a web page that are none of the shell's: quotes, blanks, signs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medic.facts import Command, Document, Repair, Respelt
from medic.i18n import Text
from medic.run_config import Edit
from medic.text.codepoints import BLANKS, UNSEEN, code
from medic.text.patterns import regex

from .masked import MASK, numbered
from .script_text import ScriptText
from .slip import WHY, Slip, respelt

# What editors and web pages make of "--": hyphens, dashes, the minus sign.
_DASH = regex(r"^[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D-]*[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]"
              r"[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D-]*(?=[A-Za-z])")  # fmt: skip
# The same for the minus of a number: --lr=\u22121, which float() and int() refuse.
_MINUS = regex(
    r"(?:--?[A-Za-z][\w.-]*=)?[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]\d[\d.]*(?:[eE]-?\d+)?"
)
_IN_POWER = regex(
    r"(?:--?[A-Za-z][\w.-]*=)?-?\d[\d.]*[eE][\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]\d+"
)
_SIGN = regex(r"[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]")
_CURLED = "\u201c\u201d\u201e\u2018\u2019"
# Quotes in place of the shell's, or one half of a pair turned; not those of a sentence.
_FOR_QUOTES = regex(
    rf"(?:^|[\s=\[({{,:-])[{_CURLED}]|[{_CURLED}](?=$|[\s\])}},;|&])|"
    rf"(?<=[A-Za-z0-9)}}])[\u201c\u201e]|\u201d(?=[A-Za-z0-9$({{])"
)
_IN_LISTS = regex(rf"[\[{{,:]\s*[{_CURLED}]|[{_CURLED}]\s*[\]}},:]")
_BROKEN_PAIR = regex(r"(?<=[A-Za-z0-9)}])[\u201c\u201e]|\u201d(?=[A-Za-z0-9$({])")
_IN_JSON = regex(rf"^\s*[\[{{]?\s*[{_CURLED}][\w.-]+[{_CURLED}\"]\s*:")
_SPEAKS = regex(
    r"(?:^|[;&|{]\s*|\bthen\s+|\belse\s+)\s*(?:echo|printf|log\w*|info|warn|die|error)\b"
)
_TALK = frozenset(("echo", "printf"))
_NO_BLANK = regex(f"[{BLANKS}]+")
_INVISIBLE = regex(f"[{UNSEEN}]+")
_WIDE = regex(r"(?:^|(?<=[\s;]))(?:--?)?[A-Za-z_][\w.-]*(\uff1d)|\S(\uff1b)\s*(?:then|do|$)|(\uff5c)\s*tee\b|"
              r"(\uff06)\s*$")  # fmt: skip
_BESIDE_FLAG = regex(
    "(?<!\\S)--?[A-Za-z][\\w.-]*([\u00a0\u202f\u3000]+)|([\u00a0\u202f\u3000]+)(?=--[A-Za-z])|"
    "(?<!\\S)--[A-Za-z][\\w.-]*(\uff1d|\uff1a(?=[\\w.$]))"
)
_BEHIND_WORD = regex(
    r"(?:^|(?<=[\s=]))[!-~]*[\w\"'}]([\uff0c\u3002\uff1b\u3001\uff1a]+)(?=\s*\\?$|\s+-)"
)
_PARTS_FLAG = regex(r"(?:^|(?<=\s))(?:--[A-Za-z][\w.-]*|[A-Za-z_]\w*(?:\.\w+)+)(\uff1a)(?=[!-~])")
_ASCII = {"\uff1a": "=", "\uff1d": "=", "\uff1b": ";", "\uff5c": "|", "\uff06": "&"}

_WRONG_DASH = Text(
    "{word} begins with a dash that is no hyphen: it is no flag, but a value",
    "{word} 开头不是连字符（-）而是长破折号：它不会被当作选项",
)
_NO_MINUS = Text(
    "{word}: this is no minus sign but a dash of an editor, and the value is no number",
    "{word}：这不是减号（-），而是编辑器的破折号，该值不是数字",
)
_QUOTES = Text(
    "{word}: curled quotes are no quotes to the shell, they become part of the value",
    "{word}：弯引号对 shell 不是引号，会成为取值的一部分",
)
_JSON = Text("{word}: curled quotes are no quotes of JSON", "{word}：弯引号不是 JSON 的引号")
_BLANK = Text(
    "the blank at this place is none to the shell ({code}, a web page's or an editor's): it does "
    "not part the words",
    "此处的空白不是普通空格（{code}，来自网页或编辑器）：shell 不会在这里断词",
)
_UNSEEN = Text(
    "an invisible character ({code}) stands here and becomes part of the word",
    "此处有一个不可见字符（{code}），会成为这个词的一部分",
)
_FULL_WIDTH = Text(
    "{sign} is the full-width form: to the shell it is a letter; write {ascii}",
    "{sign} 是全角符号，shell 把它当作普通字符；请写半角 {ascii}",
)

_BELONGS = Text(
    "{sign} is a letter to the shell and becomes part of the word",
    "{sign} 对 shell 只是普通字符，会成为这个词的一部分",
)


def characters(script: ScriptText, document: Document) -> Iterator[Slip]:
    """Each place may be given several times."""
    for command in document.commands:
        yield from _dashes(command)
    for number, line in numbered(script, document):
        if line.isascii() and script.line_text(number).isascii():
            continue
        yield from _curled(script, number, line)
        yield from _odd_blanks(script, number, line)
        yield from _full_width(script, number, line)
        yield from _punctuation(script, number, line)
        yield from _in_lists_of_flags(script, number)


def _dashes(command: Command) -> Iterator[Slip]:
    words = command.words
    if words and words[0].value in _TALK:
        return
    for word in words:
        dash = _DASH.match(word.raw)
        if dash is not None:
            hyphens = "--" if len(word.raw) - dash.end() > 1 else "-"
            text = hyphens + word.raw[dash.end() :]
            yield Slip(_WRONG_DASH.fill(word=word.raw), word.span, respelt(word, text))
        elif not word.raw.isascii() and (
            _MINUS.fullmatch(word.raw) or _IN_POWER.fullmatch(word.raw)
        ):
            text = _SIGN.sub("-", word.raw)
            yield Slip(_NO_MINUS.fill(word=word.raw), word.span, respelt(word, text))


# --- quotes ---------------------------------------------------------------------------------


def _curled(script: ScriptText, number: int, line: str) -> Iterator[Slip]:
    text = script.line_text(number)
    if not any(c in text for c in _CURLED) or text.lstrip().startswith("#"):
        return
    if number in script.documents:
        found = _IN_JSON.match(text)
        if found:
            yield Slip(_JSON.fill(word=found[0].strip()), script.between(number, found.span()))
        return
    if _SPEAKS.search(text) and not _BROKEN_PAIR.search(text):
        return
    found = _FOR_QUOTES.search(line) or _in_quotes(line, text)
    if found is not None:
        start = next(i for i in range(found.start(), found.end()) if text[i] in _CURLED)
        word = _word(text, start)
        span = script.span(number, start + 1, start + 2)
        yield Slip(_QUOTES.fill(word=word), span, _straight(script, number, line, text))


def _in_quotes(line: str, text: str) -> re.Match[str] | None:
    """Inside straight quotes: in a list or a mapping, or where a pair was turned on one side."""
    for pattern in (_IN_LISTS, _BROKEN_PAIR):
        for found in pattern.finditer(text):
            listed = pattern is _BROKEN_PAIR or re.search(r"['\"][\[{]", text[: found.start() + 1])
            if listed and line[found.start()] not in "#":
                return found
    return None


def _word(text: str, at: int) -> str:
    begin = max(text.rfind(" ", 0, at), text.rfind("\t", 0, at)) + 1
    end = text.find(" ", at)
    return text[begin : end if end >= 0 else len(text)]


def _straight(script: ScriptText, number: int, line: str, text: str) -> Repair | None:
    """All curled quotes of the line straight, where that leaves pairs and no comment has any."""
    new = re.sub("[\u201c\u201d\u201e]", '"', text).replace("\u2018", "'").replace("\u2019", "'")
    if new.count('"') % 2 or new.count("'") % 2 or re.search(r"\w\u2019\w", text):
        return None
    if line.count(MASK) and not re.search(r"['\"]", line):
        return None
    span = script.span(number, 1, len(text) + 1)
    edit = Edit(span.file, span.start, span.end, new)
    return Repair((Respelt((edit,), joins=True),), safe=False, why=WHY)


# --- blanks and signs -----------------------------------------------------------------------


def _odd_blanks(script: ScriptText, number: int, line: str) -> Iterator[Slip]:
    """Outside of quotes and comments. A byte order mark at the start is told elsewhere."""
    if _SPEAKS.search(line):
        return
    for pattern, what, new in ((_NO_BLANK, _BLANK, " "), (_INVISIBLE, _UNSEEN, "")):
        for found in pattern.finditer(line):
            if number == 1 and found.start() == 0:
                continue
            span = script.between(number, found.span())
            repair = Repair((_parted(script, number, found.span(), new),), safe=True, why=WHY)
            yield Slip(what.fill(code=code(found[0][0])), span, repair)


def _parted(script: ScriptText, number: int, place: tuple[int, int], new: str) -> Respelt:
    """A text in the place of a sign; the whole word is edited where a blank makes two of it."""
    text, (start, end) = script.line_text(number), place
    if new:
        while start > 0 and text[start - 1] not in " \t":
            start -= 1
        while end < len(text) and text[end] not in " \t":
            end += 1
    span = script.between(number, (start, end))
    word = text[start : place[0]] + new + text[place[1] : end]
    return Respelt((Edit(span.file, span.start, span.end, word),), joins=True)


def _in_lists_of_flags(script: ScriptText, number: int) -> Iterator[Slip]:
    """Beside a flag in a text that becomes a command's arguments."""
    text = script.line_text(number)
    if text.lstrip().startswith("#") or _SPEAKS.search(text):
        return
    for found in _BESIDE_FLAG.finditer(text):
        group = next(i for i in (1, 2, 3) if found[i])
        span = script.between(number, found.span(group))
        sign = found[group][0]
        if group == 3:
            edit = Edit(span.file, span.start, span.end, "=")
            what = _FULL_WIDTH.fill(sign=sign, ascii="=")
        else:
            edit = Edit(span.file, span.start, span.end, " ")
            what = _BLANK.fill(code=code(sign))
        yield Slip(what, span, Repair((Respelt((edit,), joins=True),), safe=False, why=WHY))


def _full_width(script: ScriptText, number: int, line: str) -> Iterator[Slip]:
    if _SPEAKS.search(line):
        return
    for found in _WIDE.finditer(line):
        group = next(i for i in range(1, 5) if found[i])
        sign = found[group]
        span = script.between(number, found.span(group))
        edit = Edit(span.file, span.start, span.end, _ASCII[sign])
        repair = Repair((Respelt((edit,), joins=True),), safe=False, why=WHY)
        yield Slip(_FULL_WIDTH.fill(sign=sign, ascii=_ASCII[sign]), span, repair)


def _punctuation(script: ScriptText, number: int, line: str) -> Iterator[Slip]:
    """Punctuation of Chinese text behind a word of ASCII, or between a flag and its value."""
    if _SPEAKS.search(line):
        return
    for pattern, what in ((_PARTS_FLAG, _FULL_WIDTH), (_BEHIND_WORD, _BELONGS)):
        for found in pattern.finditer(line):
            span = script.between(number, found.span(1))
            new = "=" if pattern is _PARTS_FLAG else ""
            repair = Repair(
                (Respelt((Edit(span.file, span.start, span.end, new),), joins=True),),
                safe=False,
                why=WHY,
            )
            yield Slip(what.fill(sign=found[1], ascii=new), span, repair)
