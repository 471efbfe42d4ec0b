"""Terms: names that people look up, such as a variable, an exit code or an XID."""

from __future__ import annotations

from typing import Literal

from medic.entries.evidence import Source
from medic.entries.words import CONFIG
from medic.i18n import Text
from medic.records import dataclass

TermKind = Literal[
    "variable", "exit-code", "signal", "xid", "status", "errno", "state", "field", "concept"
]


@dataclass(frozen=True)
class Term:
    """``says`` are its spellings, ``see`` names of other entries; ``myth`` is what it is believed
    to do and does not. ``accepts``: a regular expression of the values that a variable takes;
    empty where any may do."""

    __pydantic_config__ = CONFIG
    name: str
    kind: TermKind
    says: tuple[str, ...]
    title: Text
    what: Text
    sources: tuple[Source, ...]
    read_by: tuple[str, ...] = ()
    accepts: str = ""
    since: str = ""
    until: str = ""
    myth: Text | None = None
    do: Text | None = None
    see: tuple[str, ...] = ()
