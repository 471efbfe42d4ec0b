"""A word that says no, and that a parser reads as true: ``type=bool`` makes True of any text.

``--use_lora False`` beside ``Namespace(use_lora=True)`` of the run's own log, or beside the option
of the script (Python documentation, argparse, type: bool("False") is True).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import islice

from medic.errors import Unreadable
from medic.facts import Launch, Source
from medic.probe import Finding, Look
from medic.text.patterns import regex

from ..programs import program_text
from .match import boolean

HEAD = 400  # lines of a log in which a program prints its arguments
MAX_LINE = 32 * 1024  # characters
_NAMESPACE = regex(r"\bNamespace\(")
_TYPE_BOOL = regex(
    r"""add_argument\(\s*(?:['"]-{1,2}[\w-]+['"],\s*)*['"]--([\w-]+)['"][^()]*?\btype\s*=\s*bool\b(?!\w)"""
)


Told = tuple[str, Source]


def read_as_true(look: Look, launches: Sequence[Launch]) -> Finding | None:
    """The flag that is given a no and is on, with the line that shows it; None where there is none.
    A log counts only where it is of the one command that there is."""
    if len(launches) != 1:
        return None
    denied = {name.replace("-", "_"): (name, value) for name, value in _denied(launches[0])}
    if not denied:
        return None
    try:
        told = _printed(look, denied) or _declared(look, denied)
    except Unreadable:
        return None
    if told is None:
        return None
    name, value = denied[told[0]]
    values = {"arguments": f"--{name} {value}", "flag": f"--{name}"}
    return Finding("rejected-argument", "read-as-true", values, told[1])


def _denied(launch: Launch) -> Iterator[tuple[str, str]]:
    """The flags of a command that it gives a word like False, the last time that it names them."""
    given: dict[str, str | None] = {}
    words = [word.value for word in launch.arguments]
    for i, word in enumerate(words):
        if word is None or not word.startswith("--"):
            continue
        name, glued, value = word[2:].partition("=")
        behind = words[i + 1] if i + 1 < len(words) else None
        given[name] = value if glued else behind
    # A digit is a number for most options.
    return ((n, v) for n, v in given.items() if v and not v.isdigit() and boolean(v) is False)


def _printed(look: Look, denied: Iterable[str]) -> Told | None:
    for log in look.files("log"):
        for number, text in islice(look.lines(log.path), HEAD):
            if _NAMESPACE.search(text[:MAX_LINE]):
                for name in denied:
                    if any(f"{left}{name}=True{end}" in text for left in "( " for end in ",)"):
                        return name, Source(log.name, number, text=text.strip()[:2000])
                return None
    return None


def _declared(look: Look, denied: Container[str]) -> Told | None:
    for given in look.files("python"):
        text = program_text(look, given.path)
        for found in _TYPE_BOOL.finditer(text):
            if (name := found[1].replace("-", "_")) in denied:
                line = text.count("\n", 0, found.start()) + 1
                return name, Source(given.name, line, text=text.split("\n")[line - 1].strip())
    return None
