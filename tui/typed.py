"""What the user types, taken apart: a /word, a path, an answer to the open choices, or words."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol

from medic.i18n import Lang, Text, current, follow, of_the_system, plain
from medic.text.safetext import shortened

from . import jobs, replies, words
from .actions import BY_WORD
from .keys_asked import told_of_key
from .lines import Block, Line, said

if TYPE_CHECKING:
    from .consultation import Consultation
    from .events import Choices

P = ParamSpec("P")

SHOWN_OF_PASTE = 3
LOOKED_AT = 400  # rows at either end of a paste
LONGEST_ROW = 400  # characters of a row
TELLS = re.compile(
    r"(?:^|[\s.:\]|])(?!ChildFailed|CalledProcess|ConnectionReset|BrokenPipe)[A-Z]\w*"
    r"(?:Error|Exception)\b(?:\s*:\s*\S|\s*$)|out of memory|"
    r"\b(?:Segmentation fault|Killed|NCCL WARN|Xid|No space left)\b|(?:^|\s)(?:FATAL|fatal error|error: \S)|oom-kill",
)
# Said by themselves these are no description of a run, with or without the slash.
BARE = {
    "help": "help", "帮助": "help",
    "quit": "quit", "exit": "quit", "bye": "quit", ":q": "quit", "退出": "quit",
    "undo": "undo", "back": "undo", "go back": "undo", "undo that": "undo", "undo it": "undo",
    "take it back": "undo", "撤销": "undo", "撤回": "undo", "返回": "undo", "上一步": "undo",
    "why": "why", "为什么": "why",
    "report": "report",
    "new": "new", "start over": "new", "start afresh": "new", "重新开始": "new", "新会话": "new",
}  # fmt: skip
# Words that change something and take nothing behind them, with what the user may have meant.
ALONE = {
    "none": Text("/ruleout N or NAME rules one out", "/ruleout 编号或名称 可排除其中一个"),
    "undo": Text(
        "it takes back what was said or changed last; /change N another answer",
        "它撤回最近一次操作；/change 编号 可更改其他回答",
    ),
}
FIRST = ("complaint", "meaning", "run")  # choices that words answer as well


CHINESE, ENGLISH = "chinese|mandarin|中文|汉语", "english|英文|英语"
# Before and behind the name of a language that is asked for.
_POLITE = "请|麻烦|你|能不能|可以|能"
_SPEAK = "用|说|讲|换成|切换成|切换到|切换为|改成|改用|切成|切到"
_REPLY = "回答|回复|说|显示|交流|界面|版|吗|吧|一下"
LANGUAGE = re.compile(
    r"^\W*(?:(?:can|could) you |please |now |let's )*(?:(?:speak|talk|use|write|answer|reply|respond|"
    r"switch|change|continue)(?: to me)?(?: to| in)? ?)?(?:in )?"
    rf"(?:{CHINESE}|{ENGLISH})(?:,? please| instead| version)*\W*$|"
    rf"^(?:{_POLITE})*(?:{_SPEAK})(?:{CHINESE}|{ENGLISH})(?:{_REPLY})*\W*$",
    re.IGNORECASE,
)
# A number as people write it for an answer, and what is numbers only.
_CHOSEN, _UNIT = "选|选项|选择|第|答|答案", "个|项|号"
NUMBERED = re.compile(
    rf"^(?:(?:option|number|answer|choice|no\.?|nr\.?|{_CHOSEN})[ :：]?|#)?(\d{{1,3}})"
    rf"(?:[.)、。）]|{_UNIT}| ?please)?$",
    re.IGNORECASE | re.ASCII,
)
NUMBERS = re.compile(r"[-+]?\d+(?:(?:[ ,.;/&+、，和与或-]|and|or)+\d+)*", re.ASCII)


WHOLE_SENTENCE = 4  # words
_WORD = re.compile(r"(?<![\w./-])[A-Za-z][A-Za-z'-]*(?![\w/])")
_SMALL_WORD = re.compile(
    r"(?i)\b(?:i|my|we|our|it|the|an?|is|are|was|were|does|do|did|not|after|when|every|each|until|since|"
    r"only|but|why|what|how|at|on|of|with|without)\b"
)
_PRINTED = re.compile(r"\w: |[=\[\](){}<>\\|]|^\W|\w+(?:Error|Exception)\b")


class Front(Protocol):
    """What shows the talk and takes what is typed: a screen, or lines on a terminal."""

    choices: Choices | None

    def wait_for(self, choices: Choices | None) -> None: ...
    def speak(self) -> None:
        """Shows all in the language that is in use now."""
        ...

    def work(
        self, job: Callable[Concatenate[Consultation, P], None], *values: P.args, **_: P.kwargs
    ) -> None: ...
    def action_do(self, word: str, argument: str = "") -> None: ...
    def add(self, block: Block) -> None:
        """Shows a block that the consultation did not tell."""
        ...

    def keep(self, block: Block) -> None:
        """Keeps what the user said, before anything is done with it."""
        ...


def take(screen: Front, text: str) -> None:
    """Does what was typed or pasted."""
    text = text.strip("\n")
    word = text.strip()
    _follow(screen, word)
    if (lang := language_asked(word)) is not None:
        echo(screen, text)
        screen.action_do("lang", lang)
        return
    if (key := told_of_key(word)) is not None:
        echo(screen, text)
        screen.add(key)
        return
    if _order(screen, word) or _choice(screen, word):
        return
    echo(screen, text)
    if screen.choices is not None and screen.choices.kind in FIRST:
        screen.wait_for(None)
    screen.work(jobs.say, text)


def _follow(screen: Front, text: str) -> None:
    """The language of the last whole sentence, unless one was asked for: Chinese for who writes
    Chinese, that of the system again for an English sentence. A path and a /word change nothing."""
    before = current()
    if "\n" in text or text.startswith("/") or _is_path(text):
        return
    if english_sentence(text):
        of_the_system()
    else:
        follow(text)
    if current() != before:
        screen.speak()
        screen.add(said(words.FOLLOWED if current() == "zh" else words.FOLLOWED_BACK, "muted"))


def english_sentence(text: str) -> bool:
    """Whether somebody says it, rather than a program, in English: a message that is quoted is
    English in every country."""
    said_ = len(_WORD.findall(text)) >= WHOLE_SENTENCE and _SMALL_WORD.search(text) is not None
    return said_ and text.isascii() and _PRINTED.search(text) is None


def language_asked(text: str) -> Lang | None:
    """The language that a sentence asks for, and nothing else."""
    asked = LANGUAGE.match(text)
    if asked is None:
        return None
    return "zh" if re.search(CHINESE, text, re.IGNORECASE) else "en"


def _order(screen: Front, text: str) -> bool:
    """Takes a /word; a path that begins with a slash is a file to add."""
    if bare := BARE.get(text.casefold().removeprefix("/").rstrip("?!？！")):
        echo(screen, text)
        screen.action_do(bare)
        return True
    if not text.startswith("/") or "\n" in text:
        return False
    word, _, argument = text[1:].partition(" ")
    if not text.strip("/ "):
        screen.action_do("commands")
        return True
    echo(screen, text)
    if word in ALONE and argument.strip():
        screen.add(said(words.TAKES_NOTHING.fill(word=f"/{word}", near=ALONE[word]), "warn"))
    elif word in BY_WORD:
        screen.action_do(word, argument)
    elif _is_path(text):
        screen.action_do("add", text)
    else:
        screen.work(jobs.unknown, word, list(BY_WORD))
    return True


def _is_path(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False


def _choice(screen: Front, text: str) -> bool:
    """Takes a number, ? or words that stand for an option as an answer to the choices."""
    choices = screen.choices
    text = NUMBERED.sub(r"\1", text)
    numbered = text == "?" or NUMBERS.fullmatch(text) is not None
    if choices is None:
        only_answers = numbered or replies.only_answers(text)
        if only_answers:
            echo(screen, text)
            screen.add(said(words.NO_CHOICE, "muted"))
        return only_answers
    if text == "?":
        screen.work(jobs.how, choices)
        return True
    place = _place(text, choices)
    if place is not None and 0 <= place < len(choices.options):
        _picked(screen, choices, place)
        return True
    if choices.kind == "walk" and replies.says_not_known(text):
        echo(screen, text)
        screen.work(jobs.how, choices)
        return True
    if numbered or replies.only_answers(text):
        known = words.NOT_A_CHOICE if numbered else words.NOT_YES_NO
        screen.add(said(known.fill(n=len(choices.options)), "muted"))
        return True
    return False


def _place(text: str, choices: Choices) -> int | None:
    if text.isdecimal():
        return int(text) - 1 if len(text) < 4 else -1
    return replies.place_of(text, choices)


def _picked(screen: Front, choices: Choices, place: int) -> None:
    value, title = choices.options[place]
    show(screen, Block("you", (Line(title, mark=f"{place + 1}  "),)))
    screen.wait_for(None)
    screen.work(jobs.choose, choices, value)


def echo(screen: Front, text: str) -> None:
    """What the user said, a long paste by its first line and the one that tells most."""
    rows = text.split("\n")
    if len(rows) <= SHOWN_OF_PASTE:
        lines = [Line(plain(shortened(row)), short=len(rows) > 1) for row in rows]
    else:
        first = next((i for i, row in enumerate(rows[:SHOWN_OF_PASTE]) if row.strip()), 0)
        shown = [first, *(n for n in (telling(rows),) if n != first)]
        lines = [Line(plain(shortened(rows[n])), short=True) for n in shown]
        lines.append(Line(words.LINES_IN_ALL.fill(n=len(rows)), "muted"))
    show(screen, Block("you", tuple(lines)))


def telling(rows: list[str]) -> int:
    """The line of a long paste by which a reader knows it again: the last that names an error, else
    the last one with words. Of a very long one its end and its beginning are looked at."""
    near = [*range(len(rows) - 1, max(-1, len(rows) - LOOKED_AT - 1), -1)]
    near += range(min(LOOKED_AT, near[-1]))
    errors = (n for n in near if TELLS.search(rows[n][:LONGEST_ROW]))
    worded = (n for n in near if any(map(str.isalnum, rows[n][:LONGEST_ROW])))
    return next(errors, next(worded, 0))


def show(screen: Front, block: Block) -> None:
    """Shows what the user said, and keeps it before anything is done with it."""
    screen.add(block)
    screen.keep(block)
