"""Causes: why it happens, what they show, what tells them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from medic.entries.evidence import Conditions, Phrases, Signature, Source
from medic.entries.words import CONFIG, Level, Otherwise, Phase, Prior, Severity, Weight
from medic.i18n import Text
from medic.records import dataclass, field


@dataclass(frozen=True)
class Shows:
    __pydantic_config__ = CONFIG
    symptom: str
    level: Level


@dataclass(frozen=True)
class ToldBy:
    __pydantic_config__ = CONFIG
    check: str
    outcome: str
    weight: Weight


@dataclass(frozen=True)
class Lint:
    """Words of the lint check that carries the cause's name."""

    __pydantic_config__ = CONFIG
    severity: Severity
    message: Text
    then: Text
    otherwise: Otherwise = "rarely"
    weight: Weight = "strong"


@dataclass(frozen=True)
class Telltale:
    """Words that only this cause prints (``signatures``) or that people use for it alone.

    All telltales are the outcomes of one check, named like their causes. A line whose role is not
    context is also a sight of the first symptom that the cause shows. Phrases answer nothing: a
    description is compared with them, as with ``reports``. A text that says one of ``said_by``, in the
    vocabulary, tells of the cause itself.
    """

    __pydantic_config__ = CONFIG
    weight: Literal["confirms", "strong"] = "confirms"
    otherwise: Literal["never", "rarely"] = "never"
    signatures: Sequence[Signature] = ()
    phrases: Phrases = field(default_factory=dict)
    said_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class DoNot:
    """Advice that harms, why, and where it is said."""

    __pydantic_config__ = CONFIG
    say: Text
    instead_of: Source | None = None


@dataclass(frozen=True)
class Version:
    """A package with the versions (PEP 440) that have the fault; of several packages all must."""

    __pydantic_config__ = CONFIG
    package: str
    spec: str


@dataclass(frozen=True)
class Cause:
    """``reports`` are how victims describe it before they know the answer; ``speaks_of`` are sayings
    of which a text makes at least one that means it: the settings, parts or kinds that it is of."""

    __pydantic_config__ = CONFIG
    name: str
    code: str
    since: str
    title: Text
    family: str
    why: Text
    prior: Mapping[Literal["single-node", "cluster"], Prior]
    shows: tuple[Shows, ...]
    remedies: tuple[str, ...]
    sources: Sequence[Source]
    told_by: tuple[ToldBy, ...] = ()
    phases: tuple[Phase, ...] = ()
    applies_when: Conditions = field(default_factory=dict)
    versions: tuple[Version, ...] = ()
    lint: Lint | None = None
    telltale: Telltale | None = None
    do_not: Sequence[DoNot] = ()
    speaks_of: tuple[str, ...] = ()
    reports: Phrases = field(default_factory=dict)
