"""What sentences say: words with names, and what is claimed with them."""

from __future__ import annotations

from collections.abc import Mapping

from medic.entries.evidence import Names, Source
from medic.entries.words import CONFIG
from medic.i18n import Text
from medic.records import dataclass


@dataclass(frozen=True)
class Claim:
    """That a text has one of the words ``says``, or denies one of ``denies``: any place, or a clause
    that has a word ``of`` and no word ``not_of``; ``apart_from``: without the words that these
    match. Of the numbers that a word captures the first is ``at_least`` so much and ``below`` that,
    and the last less than the first (``falls``) or more (``rises``)."""

    __pydantic_config__ = CONFIG
    says: Names = ()
    denies: Names = ()
    of: Names = ()
    not_of: Names = ()
    apart_from: Names = ()
    at_least: float | None = None
    below: float | None = None
    falls: bool = False
    rises: bool = False


@dataclass(frozen=True)
class Saying:
    """Words, by ``patterns`` (RE2; case is ignored, a word is ASCII), of which one is enough, and
    not right behind one of ``denied_by``; or what is said with such words: a text has all of
    ``needs``, one of ``claims`` if there are any, and none of ``unless``. ``causes``: whom a guess in
    these words means, the usual ones first; of two such sayings the first of its file is taken."""

    __pydantic_config__ = CONFIG
    match: tuple[str, ...]
    no_match: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    denied_by: tuple[str, ...] = ()
    needs: Names = ()
    claims: tuple[Claim, ...] = ()
    unless: tuple[Claim, ...] = ()
    causes: Names = ()


@dataclass(frozen=True)
class Vocabulary:
    """Sayings about one subject. Their names are their own among those of all subjects.
    ``of_talk``: the app asks for them, no entry does."""

    __pydantic_config__ = CONFIG
    name: str
    sayings: Mapping[str, Saying]
    of_talk: bool = False


@dataclass(frozen=True)
class Usual:
    """What people ask about and any sound run does: a text that says all of ``when``, none of
    ``not_when``, and has no other word for trouble than ``words``, which are none here. ``unasked``: also
    where nothing is asked, since nothing else is meant by it."""

    __pydantic_config__ = CONFIG
    name: str
    title: Text
    when: Names
    match: tuple[str, ...]
    no_match: tuple[str, ...]
    sources: tuple[Source, ...] = ()
    not_when: Names = ()
    words: Names = ()
    unasked: bool = False
