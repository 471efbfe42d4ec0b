"""Where a suspect flag was seen: the line of the log, the line of the script."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from medic.errors import Unreadable
from medic.facts import Source, Word
from medic.probe import Look
from medic.run_config import Span

from .suspects import Suspect

MAX_LINES = 50_000


class Places:
    """Sources of suspects, with the text of their line."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._names = {f.path: f.name for f in look.files("script")}

    def source(self, suspect: Suspect) -> Source:
        """The log line that complains of the flag; without one, its line in the script."""
        if suspect.log is not None:
            return suspect.log
        return self.in_script(suspect) or Source()

    def in_script(self, suspect: Suspect) -> Source | None:
        return self._at(suspect.word)

    def _at(self, word: Word | None) -> Source | None:
        if word is None or not word.span.line:
            return None
        span = word.span
        return Source(self._names.get(span.file, span.file), span.line, text=self._line(span))

    def where(self, suspect: Suspect) -> str:
        """Both places, the log first."""
        found = [s.where() for s in (suspect.log, self.in_script(suspect)) if s is not None]
        return ", ".join(found)

    def more(self, found: Sequence[Suspect]) -> tuple[Source, ...]:
        """Every other line on which one of the flags stands."""
        lead = self.source(found[0])
        words = [(one.log, *map(self._at, (one.word, *one.again))) for one in found]
        seen = [source for sources in words for source in sources if source is not None]
        others = {(s.file, s.line): s for s in seen if (s.file, s.line) != (lead.file, lead.line)}
        return tuple(others.values())

    def _line(self, span: Span) -> str:
        try:
            for number, text in islice(self._look.lines(span.file), MAX_LINES):
                if number == span.line:
                    return text
        except Unreadable:
            pass
        return ""
