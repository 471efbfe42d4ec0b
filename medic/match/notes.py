"""Whether a file is a report that a person wrote."""

from __future__ import annotations

from collections.abc import Sequence

from medic.match.paste import Fragment, is_sentence, is_spoken, split_paste
from medic.text.patterns import regex

# A person's report is a sentence in this share of its lines, at least; a log holds one at times.
NOTE_SENTENCES = 0.1
INTRODUCES = 4  # words, of a line that ends with a colon: fewer are a label
FEW = 5  # lines of words alone, one of which complains: a program prints something else, too


def is_note(text: str) -> bool:
    """Whether a person wrote it: sentences, with log lines and settings between them, or a few
    words that complain."""
    lines = [line for line in text.split("\n") if line.strip()]
    parts = split_paste(text)
    prose = [f.text for f in parts if f.kind == "prose"]
    if len(lines) <= FEW and any(map(is_spoken, lines)) and len(prose) == len(parts):
        return True
    said = [line for part in prose for line in part.split("\n") if is_sentence(line)]
    return bool(said) and len(said) >= NOTE_SENTENCES * len(lines)


# How a person begins: no label, no tag, no call.
_BEGINS = regex(r"^(?:[A-Z][a-z']*|I|A|[A-Z]{2,}\w*|\d+|[\u4e00-\u9fff])(?![\w.]*[:(=_/])")


def speaks(text: str, *, complaint: bool = False) -> bool:
    """Whether a text begins with a sentence of a person, or with one that complains, and is short
    enough to have been pasted."""
    from medic.match.tone import complains

    lines = [line.strip() for line in text.split("\n") if line.strip()]
    parts = split_paste(text)
    if not lines or not parts or parts[0].kind != "prose" or len(lines) > SHORT:
        return False
    begin = lines[0]
    if not _BEGINS.match(begin) or _SAMPLE.match(begin) or _LOGGED.match(begin):
        return False
    if _NOTICE.match(begin):
        return False
    if not is_sentence(begin):
        return not complaint and _frames(begin, parts)
    return complains(begin) if complaint else True


def _frames(begin: str, parts: Sequence[Fragment]) -> bool:
    """Whether a few words introduce what was pasted, and words end the text: "Training an 8B with
    TP=2:", a traceback, "The model has no experts." """
    framed = len(parts) > 2 and parts[-1].kind == "prose"
    return framed and len(begin.split()) >= INTRODUCES and _INTRODUCES.search(begin) is not None


# Who speaks: a program says "we" where it recommends or assumes something.
_VOICE = regex(
    r"\b(?:I|I'(?:m|ve|d|ll)|[Mm]y|we(?:'(?:re|ve|d))?|[Oo]ur|We (?!recommend|assume|will|suggest|detect|"
    r"strongly|now|only|do not|don't|need|cannot|could)\w+)\b|我|咱|求助|求教|请问|怎么|为什么|大佬"
)
_ENDS = regex(r"[.?!:。？！：]\s*$|[.?!]\s|[。？！]")
_ASKS = regex(r"[?？]\s*$")
# A sample that a log prints: who speaks in it is its text.
_SAMPLE = regex(
    r"(?i)^\W*(?:prompt|question|answer|user|assistant|human|input|output|sample|response|q|a|system|"
    r"generat\w+|completion|instruction)\w{0,2}\W{0,4}[:：]"
)
_LOGGED = regex(
    r"(?i)^\s{0,8}(?:\[?\d{4}[-/]\d\d[-/]\d\d|\[?\d\d:\d\d|(?:global[_ ]?)?(?:step|iter\w{0,6}|epoch)\W{0,4}\d"
    r"|\[?(?:INFO|WARN\w*|ERROR|DEBUG)\b|\{|Traceback \(most|usage:|[|#*-]{3}|==)"
)
_CHINESE = regex(r"[\u4e00-\u9fff]")
_INTRODUCES = regex(r"(?:[:：]|报(?:了|错|出)?)\s*$")
# How programs begin a line in Chinese.
_NOTICE = regex(r"^\W*(?:警告|错误|提示|注意|信息|检测到|正在|已|开始|加载|预热)")
_CHARACTERS = 6  # of Chinese: fewer are a label
SHORT = 40  # log lines, above which the words behind them may be a sample that was printed


def has_voice(text: str) -> bool:
    """Whether anybody may speak in a text: cheap, and true of many that no person wrote."""
    return _VOICE.search(text) is not None or (
        not text.isascii() and _CHINESE.search(text) is not None
    )


def is_report(text: str, *, of_log: bool = False) -> bool:
    """Whether a text begins with a person's words, or ends with them behind a few lines of a log:
    a report into which a log or a config is pasted. ``of_log`` asks for lines of a log in it."""
    parts = split_paste(text)
    logged = sum(f.text.count("\n") + 1 for f in parts if f.kind == "log")
    if not parts or (of_log and not logged):
        return False
    behind = parts[-1:] if len(parts) > 1 and logged <= SHORT else []
    return any(is_told(part) for part in (parts[0], *behind) if part.kind == "prose")


def is_told(part: Fragment) -> bool:
    """Whether a person speaks in a part before its first line that reads as a program's."""
    lines = [line for line in part.text.split("\n") if line.strip()]
    if _SAMPLE.match(lines[0]):
        return False
    stop = next((n for n, line in enumerate(lines) if _LOGGED.match(line)), len(lines))
    return any(map(_is_own, lines[:stop]))


def _is_own(line: str) -> bool:
    from medic.match.tone import complains

    if not (is_spoken(line) or _ASKS.search(line)):
        return False
    if _VOICE.search(line) and _ENDS.search(line):
        return True
    written = len(_CHINESE.findall(line)) >= _CHARACTERS and not _NOTICE.match(line)
    return written and (_INTRODUCES.search(line) is not None or complains(line))
