"""Text and log bytes to symptoms: the signature scan, the free-text search, pasted text.

Parts load when they are first used: a search of the knowledge needs no log reader.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from medic.match.advice import seeks_advice, tells_settled
    from medic.match.ease import asks_usage, complains_not, tells_set_up
    from medic.match.faults import signature_faults
    from medic.match.find import (
        alike,
        answers,
        complaints,
        search,
    )
    from medic.match.marks import Watched, scanned, watched
    from medic.match.matchers import matcher_of, settings_matcher_of
    from medic.match.notes import is_note
    from medic.match.paste import Fragment, gist, split_paste
    from medic.match.progress import makes_progress
    from medic.match.quotes import printed, quoted, raised
    from medic.match.reader import NOTES, Limits, iter_lines
    from medic.match.sayings import denied, sayings_of, told_of
    from medic.match.scan import Matcher
    from medic.match.text import Match, TextIndex
    from medic.match.told_values import without_healthy
    from medic.match.tone import (
        all_well,
        asks,
        asks_why,
        complains,
        contrasts,
        fine,
        only_asks,
        praises,
        reassures,
        reports,
    )
    from medic.match.usual import expected
    from medic.match.warns import harmless, harmless_lines, without_harmless

_HOMES = {
    "seeks_advice": "advice",
    "tells_settled": "advice",
    "Fragment": "paste",
    "gist": "paste",
    "is_note": "notes",
    "split_paste": "paste",
    "NOTES": "reader",
    "Limits": "reader",
    "iter_lines": "reader",
    "Matcher": "scan",
    "Watched": "marks",
    "all_well": "tone",
    "asks_usage": "ease",
    "asks": "tone",
    "asks_why": "tone",
    "complains": "tone",
    "complains_not": "ease",
    "tells_set_up": "ease",
    "denied": "sayings",
    "expected": "usual",
    "told_of": "sayings",
    "fine": "tone",
    "harmless": "warns",
    "harmless_lines": "warns",
    "without_harmless": "warns",
    "without_healthy": "told_values",
    "makes_progress": "progress",
    "only_asks": "tone",
    "praises": "tone",
    "reassures": "tone",
    "reports": "tone",
    "contrasts": "tone",
    "sayings_of": "sayings",
    "scanned": "marks",
    "watched": "marks",
    "signature_faults": "faults",
    "answers": "find",
    "complaints": "find",
    "alike": "find",
    "matcher_of": "matchers",
    "settings_matcher_of": "matchers",
    "printed": "quotes",
    "quoted": "quotes",
    "raised": "quotes",
    "search": "find",
    "Match": "text",
    "TextIndex": "text",
}

__all__ = [
    "NOTES",
    "Fragment",
    "Limits",
    "Match",
    "Matcher",
    "TextIndex",
    "Watched",
    "alike",
    "all_well",
    "answers",
    "asks",
    "asks_usage",
    "asks_why",
    "complains",
    "complains_not",
    "complaints",
    "contrasts",
    "denied",
    "expected",
    "fine",
    "gist",
    "harmless",
    "harmless_lines",
    "is_note",
    "iter_lines",
    "makes_progress",
    "matcher_of",
    "only_asks",
    "praises",
    "printed",
    "quoted",
    "raised",
    "reassures",
    "reports",
    "sayings_of",
    "scanned",
    "search",
    "seeks_advice",
    "settings_matcher_of",
    "signature_faults",
    "split_paste",
    "tells_set_up",
    "tells_settled",
    "told_of",
    "watched",
    "without_harmless",
    "without_healthy",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(name)
    return getattr(import_module(f"medic.match.{_HOMES[name]}"), name)
