"""What tells a person's words in a file from what a program printed."""

from __future__ import annotations

import re

from medic.text.encodings import utf8
from medic.text.patterns import regex

# A few words that complain, whatever their file is called, if not as a program's output or data.
WORDS_BYTES = 4096
NOTE_BYTES = 64 * 1024
_NOTES = regex(
    r"^(?:issue|description|report|notes?|question|bug|problem|said)(?:[\w.-]*\.(?:md|txt|log))?$",
    re.IGNORECASE,
)
_NOT_WORDS = regex(
    r"(?:^|[._-])(?:log|out(?:put)?|err(?:or)?|std(?:out|err)|nohup|slurm|prompts?|samples?|data"
    r"|responses?|completions?|generations?|answers?|train|test|val"
    r"|about|licen[cs]e|notice|changelog|vocab|merges|environment|requirements|constraints)\d*(?:$|[._-])",
    re.IGNORECASE,
)
_LOG_WORDS = regex(
    r"(?:^|[._-])(?:log|out(?:put)?|err(?:or)?|std(?:out|err)|nohup|slurm)\d*(?:$|[._-])",
    re.IGNORECASE,
)
_NUMBERS = regex(r"\d[\d.,:e+-]*")
# How a program begins a line, and no person does.
_PRINTED = regex(
    rb"(?im)^\s{0,8}(?:\[?\d{4}[-/]\d\d[-/]\d\d|\[?\d\d:\d\d|(?:global[_ ]?)?(?:step|iter\w{0,6}|epoch)\W{0,4}\d"
    rb"|\[?(?:INFO|WARN\w*|ERROR|DEBUG)\b|\{|Traceback \(most)"
)
# Its other beginnings, which a person's report may quote: a warning with its place, a bar, a callback.
_WARNED = regex(
    rb"(?m)^\s{0,8}(?:\S+\.py:\d+: |Exception ignored in: |Monitored metric \S+ did not improve|"
    rb"Restor(?:ing|ed) (?:all )?states from |[^\n|]{0,60}\d{1,3}%\||\(\w[\w ]*pid=\d+)"
)
# A program prints a sentence at times, seldom two that end.
_ENDED = regex(rb"[A-Za-z)\d][.?!](?=\s|$)|\xe3\x80\x82|\xef\xbc\x9f|\xef\xbc\x81")
_DIFFERENT = 0.7  # of a person's lines; the quoted ones may repeat


# Their beginnings: most names have none, and the pattern is not compiled for them.
_BEGINNINGS = ("issue", "description", "report", "note", "question", "bug", "problem", "said")


def is_called_note(name: str) -> bool:
    """Whether a file's name says that a person wrote it about a run."""
    return name.lower().startswith(_BEGINNINGS) and _NOTES.match(name) is not None


def is_written_by_hand(head: bytes) -> bool:
    """Whether a log's beginning has a person's sentences and none of a program's lines."""
    printed = _PRINTED.search(head) or _WARNED.search(head)
    return not printed and len(_ENDED.findall(head)) > 1


def may_complain(name: str, head: bytes) -> bool:
    """Whether a file so short and so called may hold a few words of a person."""
    short = 0 < len(head) < WORDS_BYTES
    return short and not _NOT_WORDS.search(name) and not _PRINTED.search(head)


def repeats(text: str) -> bool:
    """Whether lines come again with other numbers, as a program's do and a person's do not."""
    shapes = [_NUMBERS.sub("0", line.strip()) for line in text.split("\n") if line.strip()]
    return len(shapes) >= 4 and len(set(shapes)) < len(shapes) * _DIFFERENT


def names_data(name: str) -> bool:
    """Whether a file is called after data, a licence or the like, and no log."""
    return _NOT_WORDS.search(name) is not None and _LOG_WORDS.search(name) is None


def is_reported(text: str, name: str) -> bool:
    """Whether a text is a person's report with a log or a config pasted into it. What a README tells
    of a model is none: it needs lines of a log."""
    from medic.match.notes import is_report

    if names_data(name):
        return False
    return is_report(text, of_log=name.lower().startswith("readme"))


def names_log(name: str) -> bool:
    """Whether a file is called a log or an output."""
    return _LOG_WORDS.search(name) is not None


def tells_in_words(text: str, *, called: bool, named: bool) -> bool:
    """Whether a text that is pasted would be read as a person's words with what lies among them: it
    begins with a sentence where its name says that it is a report (``called``), else with a complaint. What
    the user names (``named``) and is a report or as short as what people paste is read as it would
    be if it was pasted, whatever it begins with."""
    from medic.match.notes import SHORT, speaks

    if named and (called or text.strip().count("\n") < SHORT) and _holds_words(text):
        return True
    return speaks(text, complaint=not called) and not repeats(text)


def _holds_words(text: str) -> bool:
    """Whether a part of a text is read as words where it is pasted."""
    from medic.match import split_paste
    from medic.match.notes import is_told

    parts = split_paste(text)
    kinds = [part.kind for part in parts]
    if len(text.strip().split("\n")) == 1 or kinds[:1] == ["prose"]:
        return True
    # A title with a tag in brackets, then a person who speaks: what repeats is what they quote.
    titled = kinds[1:2] == ["prose"] and "\n" not in parts[0].text and is_told(parts[1])
    return "prose" in kinds and (titled or not repeats(text))


def holds_log(head: bytes) -> bool:
    """Whether a text that its name calls a report has lines of a program."""
    if b"\0" in head:
        return False
    from medic.match import split_paste

    text = utf8(head).decode("utf-8", "replace")
    return any(f.kind == "log" for f in split_paste(text))
