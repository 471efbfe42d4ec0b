"""Symptoms and checks: what shows itself, and questions put to the case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from medic.entries.words import CONFIG, NotIn, Otherwise, Role
from medic.i18n import Text
from medic.records import dataclass, field

Phrases = Mapping[Literal["en", "zh"], tuple[str, ...]]
Names = tuple[str, ...]  # of sayings, in the vocabulary


@dataclass(frozen=True)
class Range:
    __pydantic_config__ = CONFIG
    min: float | None = None
    max: float | None = None


# Values of context facts; what is not known of a case never excludes.
Conditions = Mapping[str, str | int | bool | tuple[str, ...] | Range]


@dataclass(frozen=True)
class Ask:
    """How a person answers: the question, where to look, minutes that it takes, and where nobody
    could answer: without one of the symptoms that it ``supposes``, seen or told of, or, ``of``
    something, where that was read and says nothing of it."""

    __pydantic_config__ = CONFIG
    say: Text
    how: Text
    minutes: float = 1.0
    applies_when: Conditions = field(default_factory=dict)
    supposes: Names = ()
    of: Literal["", "traceback"] = ""


@dataclass(frozen=True)
class Wording:
    """The package and versions that print this wording."""

    __pydantic_config__ = CONFIG
    package: str
    spec: str = ""


@dataclass(frozen=True)
class Signature:
    """A log pattern (RE2). ``captures`` gives each named group its unit; ``seen`` is what its lines
    say, where the title of the symptom says more, or something else."""

    __pydantic_config__ = CONFIG
    id: str
    pattern: str
    role: Role
    match: tuple[str, ...]
    no_match: tuple[str, ...] = ()
    captures: Mapping[str, Literal["bytes", "index", "integer", "number", "pci", "text"]] = field(
        default_factory=dict
    )
    wording: Wording | None = None
    not_in: tuple[NotIn, ...] = ()
    at_least: int = 1  # lines that it takes: a few of them are usual
    shared: bool = False  # other programs print it, too: it is a strong sign at most
    unless: str = ""  # of a shared one: a pattern of words around the line that leave no doubt
    seen: Text | None = None


@dataclass(frozen=True)
class Source:
    """Where a statement comes from: a handbook section, a document, or a measurement."""

    __pydantic_config__ = CONFIG
    handbook: str = ""
    at: str = ""
    document: str = ""


@dataclass(frozen=True)
class Better:
    """Metrics, by their canonical names, whose median rises or falls where a symptom is mended."""

    __pydantic_config__ = CONFIG
    rises: tuple[str, ...] = ()
    falls: tuple[str, ...] = ()


@dataclass(frozen=True)
class Symptom:
    """A sentence that is near to it means it where it says all of ``meant_when`` and none of
    ``not_when``. A text that says one of ``denied_when`` denies it, one of ``said_by`` tells of it.
    ``called``: patterns of its names, as in "no NaN", "没有卡死": a blank is any white space.
    ``better``: what the run after a change is compared by, where no failure ends a run."""

    __pydantic_config__ = CONFIG
    name: str
    family: str
    title: Text
    phrases: Phrases
    ask: Ask | None = None
    signatures: tuple[Signature, ...] = ()
    seen: Text | None = None  # the sentence for a finding, with placeholders
    benign: bool = False  # shown as information; never leads
    bare: bool = False  # says that something failed, and not what
    goes_on: bool = False  # seen while training goes on: no process ends by it
    better: Better | None = None
    meant_when: Names = ()
    not_when: Names = ()
    denied_when: Names = ()
    said_by: Names = ()
    called: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """``signatures`` are lines that answer the check so, ``phrases`` are sentences of a person;
    ``unknown``: it says no more than "I don't know", which everyone may answer anyway; ``noted``: no
    fault by itself, and worth a line of the answer; ``bare``: it says that something failed, or
    where, and not what; ``applies_when``: it is no answer elsewhere; ``meant_when``, ``not_when``
    and ``said_by``: as of a symptom."""

    __pydantic_config__ = CONFIG
    title: Text
    otherwise: Otherwise | None = None
    normal: bool = False
    unknown: bool = False
    noted: bool = False
    bare: bool = False
    seen: Text | None = None
    signatures: tuple[Signature, ...] = ()
    phrases: Phrases = field(default_factory=dict)
    applies_when: Conditions = field(default_factory=dict)
    meant_when: Names = ()
    not_when: Names = ()
    said_by: Names = ()


@dataclass(frozen=True)
class Threshold:
    __pydantic_config__ = CONFIG
    value: float
    unit: str
    source: str


@dataclass(frozen=True)
class Check:
    """A question put to the case; exactly one outcome is seen, or none. ``not_when`` is that of all
    its outcomes; ``beside``: symptoms without any of which a line that answers it says nothing."""

    __pydantic_config__ = CONFIG
    name: str
    family: str
    title: Text
    outcomes: Mapping[str, Outcome]
    thresholds: Mapping[str, Threshold] = field(default_factory=dict)
    ask: Ask | None = None
    not_when: Names = ()
    beside: tuple[str, ...] = ()
