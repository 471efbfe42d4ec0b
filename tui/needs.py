"""What a probe lacks, in words: fields by what they mean and by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from medic.i18n import Text, plain
from medic.run_config import FIELDS
from medic.told.stated import called

from .lines import joined

ANSWER = Text("an answer", "回答")


def need(needs: Text) -> Text:
    """What is lacking; where that is a list of names, each field in words with its name, by which
    it can be given."""
    if needs.en != needs.zh:
        return needs
    return fields(name.strip() for name in needs.en.split(","))


def fields(names: Iterable[str]) -> Text:
    """Fields of the run in words, each with its name; other names as they are."""
    return joined([_field(name) for name in names])


def _field(name: str) -> Text:
    if name not in FIELDS:
        return plain(name)
    title = called(name)
    if name in (title.en, title.zh):
        return title
    return Text("{what} ({name})", "{what}（{name}）").fill(what=title, name=name)


VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|does|do|did|cannot|could|can|answers|holds|gave|failed)\b"
)
CLAUSE = re.compile(r"\b(?:that|which|who|whose)\b.*")


def is_reason(lack: Text) -> bool:
    """Whether it says why nothing could be read, a sentence of its own, not what is lacking."""
    if lack.en == lack.zh:
        return False
    return lack.en.lower().startswith("no ") or bool(VERB.search(CLAUSE.sub("", lack.en)))
