"""Commands kept in a variable's text (LAUNCHER="torchrun …"): the launcher's options in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Launch, Word
from medic.text.patterns import regex

from .launchers import LAUNCHERS, MODULES
from .script_text import ScriptText

_ASSIGNED = regex(r"^\s*(?:export\s+|local\s+|readonly\s+)?\w+=(?:\"([^\"]*)\"|'([^']*)')\s*$")
_WORD = regex(r"\S+")


def kept(script: ScriptText, launches: Sequence[Launch]) -> Iterator[tuple[str, list[Word]]]:
    """(launcher, its words) of one-line texts that no launch has read."""
    read = {word.span.line for one in launches for word in one.launcher_words}
    read |= {w.literal.line for o in launches for w in o.launcher_words if w.literal is not None}
    for number, line in enumerate(script.lines, 1):
        match = _ASSIGNED.match(line) if number not in read else None
        group = 1 if match is not None and match[1] is not None else 2
        if match is None or number in script.documents:
            continue
        if not _names_launcher(match[group]):
            continue
        start = match.start(group)
        words = [
            Word(script.span(number, start + w.start() + 1, start + w.end() + 1), w[0], w[0])
            for w in _WORD.finditer(match[group])
        ]
        yield from _launcher(words)


def _names_launcher(text: str) -> bool:
    return any(word in LAUNCHERS or word in MODULES for word in text.split())


def _launcher(words: list[Word]) -> Iterator[tuple[str, list[Word]]]:
    for at, word in enumerate(words):
        named = MODULES.get(word.raw, (word.raw,))[0]
        if named in LAUNCHERS and (at == 0 or words[at - 1].raw == "-m"):
            yield named, words[at + 1 :]
            return
