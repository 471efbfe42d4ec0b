"""The compiled knowledge: entries, and what the entries alone would cost seconds to work out.

``words`` holds what each term counts for each cause, ``phrases`` what entries are found by,
``tables`` finds causes by what they have, ``ties`` are what beliefs read of all of them, ``marks``
what a scan reads of the signatures and ``sieve`` how it passes over most of them, ``sayings`` and
``told`` what a sentence must say to mean an entry.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from medic.index.knowledge import Index
from medic.index.stored import tables
from medic.match import marks, sayings
from medic.match.documents import OUTCOMES, documents, spoken_outcomes, written
from medic.match.likeness import bags, weighed
from medic.match.matchers import written as written_sieve
from medic.schema.compiling import compile_knowledge


def build(folders: Iterable[Path]) -> dict[str, Any]:
    """The knowledge of the folders by kind, with its words. Raises KnowledgeError."""
    with _all_kept():
        return _built(folders)


@contextmanager
def _all_kept() -> Iterator[None]:
    """Without the collector of garbage: millions of objects are made here, and all of them kept;
    to look them over, again and again, takes a quarter of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _built(folders: Iterable[Path]) -> dict[str, Any]:
    compiled = compile_knowledge(folders)
    words = weighed(bags(compiled))
    phrases = {kind: written(documents(compiled, (kind,))) for kind in ("symptoms", "causes")}
    phrases[OUTCOMES] = written(spoken_outcomes(compiled))
    for cause in compiled["causes"].values():
        cause.pop("reports", None)  # they live on in the words
    found = {**compiled, "tables": tables(compiled), "words": words, "phrases": phrases}
    found |= {
        "sayings": sayings.written(compiled["vocabulary"]),
        "told": sayings.asked_of(compiled),
    }
    index = Index(found)
    signatures = marks.watched(index)
    return {
        **found,
        "ties": index.ties,
        "marks": marks.written(signatures),
        "sieve": written_sieve(signatures),
    }
