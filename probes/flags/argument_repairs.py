"""Repairs of a command's flags and variables, where one of them is the right one."""

from __future__ import annotations

from collections.abc import Sequence

from medic.facts import Added, Launch, Removed, Repair, Respelt, Rewritten, Word
from medic.i18n import Text
from medic.run_config import Edit, Origin, Span

from ..config.values import PRECISION_NAMES
from .distance import NEAREST, nearest_value
from .unset import Unset

LAST = Text(
    "the parser takes the last one; check that it is the one you mean",
    "解析器以最后一个为准；请确认它才是想要的值",
)
BEFORE = Text("an option of the launcher stands before the script", "启动器选项写在脚本之前")
MEANT = Text("the variable that reads almost alike", "拼写几乎相同的变量")
TAKEN_OUT = Text("nothing takes this word", "没有选项接受这个词")
ONE_TASK = Text(
    "one task a node; give it the CPUs of all the node's processes",
    "每个节点一个任务；请为它分配该节点全部进程所需的 CPU",
)
# The entries that describe the launchers' own options.
_ENTRIES = {"torchrun": "torchrun", "deepspeed": "deepspeed-launcher", "accelerate": "accelerate"}


def nearest_choice(place: Span, flag: str, value: str, choices: Sequence[str]) -> Repair | None:
    """The choice that a value is a name or a misspelling of, if that is one."""
    meant = nearest_value(value, choices, PRECISION_NAMES)
    if meant is None:
        return None
    return Repair((Rewritten(place, "shell", flag, meant),), safe=False, why=NEAREST)


def without_first(place: Span, flag: str) -> Repair:
    """Of a flag that is given twice the one that the parser reads over."""
    return Repair((Removed(place, "shell", flag),), safe=False, why=LAST)


def without_word(before: Word, word: Word) -> Repair | None:
    """Without a word and the blank before it, where both are written on one line."""
    one, other = before.span, word.span
    if one.file != other.file or one.end_line != other.line or one.end > other.start:
        return None
    edit = Edit(one.file, one.end, other.end, "")
    return Repair((Respelt((edit,), joins=True),), safe=False, why=TAKEN_OUT)


def moved_before(launch: Launch, at: int) -> Repair | None:
    """The argument ``at`` as an option of the launcher, behind the last of its own options."""
    word = launch.arguments[at]
    flag, sign, value = (word.value or "").partition("=")
    place, known = word.span, bool(sign)
    following = launch.arguments[at + 1] if at + 1 < len(launch.arguments) else None
    if not sign and following is not None and not following.raw.startswith("-"):
        place, value, known = following.span, following.value or "", bool(following.value)
    beside = _last_option(launch)
    if beside is None or (place != word.span and not known):
        return None
    steps = (Removed(place, "shell", flag), Added(beside, (flag,), value if known else True))
    return Repair(steps, safe=False, why=BEFORE)


def _last_option(launch: Launch) -> Origin | None:
    """The launcher's last option that has a value, as a place to stand beside."""
    words, entry = launch.launcher_words, _ENTRIES.get(launch.launcher, "")
    for i in range(len(words) - 1, 0, -1):
        flag = words[i - 1].value or ""
        if entry and flag.startswith("--") and "=" not in flag and not words[i].raw.startswith("-"):
            return Origin("file", words[i].span, "shell", (flag,), flag, entry)
    return None


def meant_variable(one: Unset) -> Repair | None:
    """A variable of the script in place of the one that nothing sets."""
    span = one.word.span
    if not one.near:
        return None
    edit = Edit(span.file, span.start, span.end, one.word.raw.replace(one.variable, one.near))
    return Repair((Respelt((edit,)),), safe=False, why=MEANT)


def one_task(tasks: Span) -> Repair:
    """One task a node, in the directive that asks for more."""
    edit = Edit(tasks.file, tasks.start, tasks.end, "1")
    return Repair((Respelt((edit,)),), safe=False, why=ONE_TASK)
