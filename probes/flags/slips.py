"""Slips in a script that a shell or a parser reads otherwise than they look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Document, Launch

from .characters import characters
from .conditions import conditions
from .endings import endings
from .expansions import expansions
from .placeholders import placeholders
from .programs import programs
from .run_together import exported, run_together
from .script_text import ScriptText
from .shell_words import shell_words
from .slip import Slip
from .spacing import spacing
from .unquoted import unquoted
from .value_slips import value_slips


def slips(script: ScriptText, document: Document, launches: Sequence[Launch]) -> Iterator[Slip]:
    """What is told first at a place is what is wrong there; the same may come several times."""
    yield from placeholders(script, document)
    yield from characters(script, document)
    yield from spacing(script, document, launches)
    yield from expansions(script, document)
    for command in document.every_command:
        yield from programs(command, script)
        yield from run_together(command)
    yield from exported(script, document)
    yield from shell_words(script, document, launches)
    yield from value_slips(document, launches)
    yield from unquoted(script, document)
    yield from conditions(script, document)
    yield from endings(script, document, launches)
