"""The compiled knowledge: entries, and what the entries alone would cost seconds to work out.

``words`` holds what each term counts for each cause, ``tables`` finds causes by what they have.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from medic.match.likeness import bags, weighed
from medic.schema import compile_knowledge
from medic.stored import tables


def build(folders: Iterable[Path]) -> dict[str, Any]:
    """The knowledge of the folders by kind, with its words. Raises KnowledgeError."""
    compiled = compile_knowledge(folders)
    words = weighed(bags(compiled))
    for cause in compiled["causes"].values():
        cause.pop("reports", None)  # they live on in the words
    return {**compiled, "tables": tables(compiled["causes"]), "words": words}
