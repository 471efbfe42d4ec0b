"""What selects the settings of a launch: ``case $MODEL in``, an ``if`` with several arms.

Which arm a word takes is decided where all is text that is known. Where it is not, each arm of the
one construct on which most of the launch depends is a choice that a caller has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from medic.facts import Choice, Command
from medic.records import dataclass
from medic.syntax.treesitter import with_comments
from medic.text.patterns import regex

if TYPE_CHECKING:
    import tree_sitter

MAX_ARMS = 8
_ASKED = regex(r"^[\"']?\$(?:(\w+)|\{(\w+)(?:,,|\^\^|:?[-?][^{}$]*)?\})[\"']?$")
_GLOB = regex(r"[*?\[]")
_UNKNOWN = regex(r"[$`\\()]|.[\"'].")  # of a pattern: what is filled in, escaped, or quoted in part
_ENDS = regex(r"(?:^|[\s;{&|])(?:exit|return|usage|die)\b")
_ASSIGNS = regex(r"(?m)^[ \t]*(?:(?:export|local|readonly)[ \t]+)*([A-Za-z_]\w*)\+?=(.*)$")
_LONGEST = 40  # of a command whose answer is asked for, as it is told
_ROUNDS = 3  # variables within variables that are followed
_SPEAKS = frozenset(("echo", "printf", "mkdir", "export", "cd", "test", "["))


@dataclass(frozen=True)
class Arm:
    """One way through a construct. ``patterns``: what the variable is then; None where that is not
    text, () for what no pattern names."""

    patterns: tuple[str, ...] | None
    body: tuple[tree_sitter.Node, ...]
    text: str

    @property
    def ends(self) -> bool:
        """Whether the script ends there, as it does at what it does not know."""
        return _ENDS.search(self.text) is not None


def asked(word: str) -> str:
    """The variable that a word is the text of: ``"${MODEL,,}"``; "" for other words."""
    found = _ASKED.match(word.strip())
    return (found[1] or found[2]) if found else ""


def selector(word: str) -> str:
    """What the word of a ``case`` asks for: a variable, or what a command says: ``$(hostname)``."""
    name = asked(word)
    bare = word.strip().strip('"')
    return name or (bare if bare.startswith("$(") and len(bare) <= _LONGEST else "")


def arms_of_case(node: tree_sitter.Node) -> list[Arm]:
    """The arms of a ``case``; [] where one goes on into the next."""
    arms: list[Arm] = []
    for item in (child for child in with_comments(node) if child.type == "case_item"):
        if item.child_by_field_name("fallthrough") is not None:
            return []
        values = item.children_by_field_name("value")
        texts = [_plain(_text(value)) for value in values]
        known = tuple(text for text in texts if text is not None)
        patterns = known if values and len(known) == len(values) else None
        if patterns == ("*",):
            patterns = ()
        arms.append(Arm(patterns, (item,), _text(item)))
    return arms


def arms_of_if(
    parts: Sequence[tuple[tree_sitter.Node | None, Sequence[tree_sitter.Node]]],
) -> tuple[str, list[Arm]]:
    """(the variable, the arms) of an ``if`` that compares one variable with texts, in several arms."""
    names: set[str] = set()
    arms: list[Arm] = []
    for condition, body in parts:
        name, value = _compared(condition) if condition is not None else ("", "")
        names |= {name} if condition is not None else set()
        patterns = () if condition is None else (value,)
        arms.append(Arm(patterns, tuple(body), "\n".join(_text(one) for one in body)))
    name = names.pop() if len(names) == 1 else ""
    return (name, arms) if name and len(arms) > 1 else ("", [])


def _compared(condition: tree_sitter.Node) -> tuple[str, str]:
    """(variable, text) of ``[ "$X" = text ]`` and ``[[ $X == text ]]``."""
    parts = with_comments(condition)
    one = parts[0] if len(parts) == 1 else condition
    sides = [one.child_by_field_name(side) for side in ("left", "operator", "right")]
    left, operator, right = (_text(side) if side is not None else "" for side in sides)
    value = _plain(right)
    plain = operator in ("=", "==", "-eq") and value is not None and not _GLOB.search(value)
    return (asked(left), value or "") if plain else ("", "")


def arm_taken(value: str, arms: Sequence[Arm]) -> int | None:
    """Which arm a text takes, -1 for none; None where that cannot be known."""
    for i, arm in enumerate(arms):
        if arm.patterns is None:
            return None
        if not arm.patterns or any(fnmatchcase(value, one) for one in arm.patterns):
            return i
    return -1


def choices_of(node: tree_sitter.Node, name: str, arms: Sequence[Arm]) -> tuple[Choice, ...]:
    """The arms that a caller may choose, but those that end the script."""
    return tuple(_choices(node, name, arms))[:MAX_ARMS]


def _choices(node: tree_sitter.Node, name: str, arms: Sequence[Arm]) -> Iterator[Choice]:
    for i, arm in enumerate(arms):
        if arm.ends or arm.patterns is None:
            continue
        pattern = arm.patterns[0] if arm.patterns else "*"
        value = None if _GLOB.search(pattern) or not asked(f"${name}") else pattern
        lines = (
            (arm.body[0].start_point.row + 1, arm.body[-1].end_point.row + 1)
            if arm.body
            else (0, 0)
        )
        yield Choice(node.start_byte, i, name, pattern, value, *lines)


def names_set(arms: Sequence[Arm]) -> frozenset[str]:
    """The variables that the arms set."""
    found: set[str] = set()
    todo = [node for arm in arms for node in arm.body]
    while todo:
        here = todo.pop()
        target = here.child_by_field_name("name") if here.type == "variable_assignment" else None
        if target is not None:
            found.add(_text(target).partition("[")[0])
        todo += with_comments(here)
    return frozenset(found)


def selecting(
    found: Sequence[tuple[tuple[Choice, ...], frozenset[str]]],
    commands: Sequence[Command],
    text: str,
) -> tuple[Choice, ...]:
    """The choices of the construct on which most words of the commands depend; () where none does."""
    scored = [(_weight(names, commands, text), choices) for choices, names in found]
    weight, choices = max(scored, key=lambda one: one[0], default=(0, ()))
    return choices if weight else ()


def _weight(names: frozenset[str], commands: Sequence[Command], text: str) -> int:
    """How many words that are not known name one of the variables, or one that is made of them."""
    known = set(names)
    sets = _ASSIGNS.findall(text)
    for _ in range(_ROUNDS):
        uses = _uses(known)
        known |= {name for name, value in sets if "$" in value and uses.search(value)}
    uses = _uses(known)
    return sum(
        word.value is None and uses.search(word.raw) is not None
        for one in commands
        if one.words and one.words[0].value not in _SPEAKS
        for word in one.words
    )


def sets(text: str, name: str) -> bool:
    """Whether a line of the script gives the variable a value."""
    return re.search(rf"(?:^|[\s;&|(]){re.escape(name)}\+?=", text) is not None


def _uses(names: set[str]) -> re.Pattern[str]:
    return re.compile(rf"\$\{{?[#!]?(?:{'|'.join(map(re.escape, sorted(names)))})\b")


def _plain(text: str) -> str | None:
    """A pattern or a text without its quotes; None where it is not known."""
    bare = text.strip()
    quoted = len(bare) > 1 and bare[0] in "\"'" and bare[-1] == bare[0]
    inner = bare[1:-1] if quoted else bare
    if _UNKNOWN.search(inner) or (quoted and _GLOB.search(inner)):
        return None
    return inner


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
