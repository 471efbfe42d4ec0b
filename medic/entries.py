"""What the knowledge is made of: symptoms, checks, causes, remedies, procedures, frameworks.

Plain dataclasses: ``schema`` validates YAML against them, ``index`` builds them from the compiled
knowledge. In YAML an underscore of a field name is written as a hyphen (``told_by``: ``told-by``).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from medic.i18n import Text

Role = Literal["root", "either", "victim", "advice", "context"]
Level = Literal["always", "usually", "sometimes", "rarely"]
Weight = Literal["confirms", "strong", "weak", "against", "strongly-against", "rules-out"]
Otherwise = Literal["never", "rarely", "sometimes", "often"]
Prior = Literal["common", "occasional", "rare"]
Phase = Literal["launch", "first-steps", "steady", "save-or-eval", "after-resume"]
Severity = Literal["error", "warning", "info"]
NotIn = Literal["help-text", "echoed-config", "source-line"]
# Names of the functions in medic/changes that compute a field's value.
Compute = Literal[
    "halve-to-divisor",
    "keep-global-batch",
    "split-global-batch",
    "steps-from-tokens",
    "tokens-from-steps",
    "decay-to-total",
    "warmup-share",
    "half-learning-rate",
    "minimum-below-peak",
    "tenfold-learning-rate",
    "global-batch-product",
    "accumulation-from-global",
    "world-from-nodes",
    "gpus-from-host",
    "workers-from-cores",
    "next-free-port",
    "nearest-flag",
    "drop-flag-value",
    "negate-flag",
    "doubled-timeout",
]
CompiledEntry = dict[str, Any]

CONFIG: dict[str, Any] = {
    "extra": "forbid",
    "strict": True,
    "alias_generator": lambda name: name.replace("_", "-"),
}


@dataclass(frozen=True)
class Ask:
    """How a person answers: the question, where to look, minutes that it takes."""

    __pydantic_config__ = CONFIG
    say: Text
    how: Text
    minutes: float = 1.0


@dataclass(frozen=True)
class Wording:
    """The package and versions that print this wording."""

    __pydantic_config__ = CONFIG
    package: str
    spec: str = ""


@dataclass(frozen=True)
class Signature:
    """A log pattern (RE2). ``captures`` gives each named group its unit."""

    __pydantic_config__ = CONFIG
    id: str
    pattern: str
    role: Role
    match: tuple[str, ...]
    no_match: tuple[str, ...] = ()
    captures: Mapping[str, Literal["bytes", "index", "integer", "number", "text"]] = field(
        default_factory=dict
    )
    wording: Wording | None = None
    not_in: tuple[NotIn, ...] = ()


@dataclass(frozen=True)
class Source:
    """Where a statement comes from: a handbook section, a document, or a measurement."""

    __pydantic_config__ = CONFIG
    handbook: str = ""
    at: str = ""
    document: str = ""


@dataclass(frozen=True)
class Symptom:
    __pydantic_config__ = CONFIG
    name: str
    family: str
    title: Text
    phrases: Mapping[Literal["en", "zh"], tuple[str, ...]]
    ask: Ask | None = None
    signatures: tuple[Signature, ...] = ()
    seen: Text | None = None  # the sentence for a finding, with placeholders
    benign: bool = False  # shown as information; never leads


@dataclass(frozen=True)
class Outcome:
    __pydantic_config__ = CONFIG
    title: Text
    otherwise: Otherwise | None = None
    normal: bool = False
    seen: Text | None = None


@dataclass(frozen=True)
class Threshold:
    __pydantic_config__ = CONFIG
    value: float
    unit: str
    source: str


@dataclass(frozen=True)
class Check:
    """A question put to the case; exactly one outcome is seen, or none."""

    __pydantic_config__ = CONFIG
    name: str
    family: str
    title: Text
    outcomes: Mapping[str, Outcome]
    thresholds: Mapping[str, Threshold] = field(default_factory=dict)
    ask: Ask | None = None


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
class DoNot:
    """Advice that harms, why, and where it is said."""

    __pydantic_config__ = CONFIG
    say: Text
    instead_of: Source | None = None


@dataclass(frozen=True)
class Version:
    __pydantic_config__ = CONFIG
    package: str
    spec: str


@dataclass(frozen=True)
class Range:
    __pydantic_config__ = CONFIG
    min: float | None = None
    max: float | None = None


@dataclass(frozen=True)
class Cause:
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
    sources: tuple[Source, ...]
    told_by: tuple[ToldBy, ...] = ()
    phases: tuple[Phase, ...] = ()
    applies_when: Mapping[str, str | int | bool | tuple[str, ...] | Range] = field(
        default_factory=dict
    )
    versions: tuple[Version, ...] = ()
    lint: Lint | None = None
    do_not: tuple[DoNot, ...] = ()


@dataclass(frozen=True)
class Set:
    """A field's new value: a constant, or the name of a computation in medic/changes."""

    __pydantic_config__ = CONFIG
    set: str | int | float | bool | None = None
    compute: Compute | None = None


@dataclass(frozen=True)
class Costs:
    __pydantic_config__ = CONFIG
    minutes: float
    say: Text


@dataclass(frozen=True)
class WorkedIf:
    """What a re-scan tests: these symptoms are gone, and the run is this many steps further."""

    __pydantic_config__ = CONFIG
    gone: str | tuple[str, ...] = ()
    after_steps: int = 0
    passes: str = ""  # a check that must see its normal outcome


@dataclass(frozen=True)
class Remedy:
    __pydantic_config__ = CONFIG
    name: str
    title: Text
    kind: Literal["config", "command", "code", "procedure"]
    safe: bool
    costs: Costs
    success: Level
    do: Text
    worked_if: WorkedIf
    needs: tuple[str, ...] = ()
    changes: Mapping[str, Set] = field(default_factory=dict)
    check: Text | None = None
    command: str = ""
    snippet: str = ""
    procedure: str = ""


@dataclass(frozen=True)
class Step:
    __pydantic_config__ = CONFIG
    name: str
    do: Text
    outcomes: Mapping[str, str]
    command: str = ""
    snippet: str = ""
    minutes: float = 1.0


@dataclass(frozen=True)
class Procedure:
    __pydantic_config__ = CONFIG
    name: str
    title: Text
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Key:
    """One framework key and the canonical field that it states.

    ``per-device``/``global`` is the scope of a batch size. ``true-means`` gives the value of a
    switch that is on (``bf16: true`` means precision bf16).
    """

    __pydantic_config__ = CONFIG
    key: str
    field: str
    scope: Literal["per-device", "global", ""] = ""
    factor: float = 1.0
    true_means: str | int | float | bool | None = None
    false_means: str | int | float | bool | None = None
    values: Mapping[str, str | int | float | bool] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True)
class Recognise:
    """How a file is known to be this framework's: any set of keys that must all be there."""

    __pydantic_config__ = CONFIG
    any_keys: tuple[tuple[str, ...], ...] = ()
    syntax: tuple[Literal["yaml", "json", "toml", "shell"], ...] = ()
    file_names: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


@dataclass(frozen=True)
class Framework:
    """How a framework states the run.

    A ``key`` of ``keys`` and ``recognise`` is a dotted path from the root of the file; ``**.x.y``
    is any path that ends so. ``-`` and ``_`` are the same, and a flag ``--a-b`` or ``--a.b`` is the
    path ``a.b``. ``role`` says what the file describes: the training, its engine (DeepSpeed), its
    launcher, or only the model. With ``unknown-key: free`` the names of ``plain`` count as well.
    """

    __pydantic_config__ = CONFIG
    name: str
    title: str
    recognise: Recognise
    keys: tuple[Key, ...]
    role: Literal["trainer", "engine", "launcher", "model"] = "trainer"
    defaults: Mapping[str, str | int | float | bool] = field(default_factory=dict)
    yaml_floats: Literal["yaml-1.1", "yaml-1.2"] = "yaml-1.1"
    unknown_key: Literal["error", "ignored", "free"] = "free"
    auto_words: tuple[str, ...] = ()
    known: tuple[str, ...] = ()  # keys that exist but state no canonical field


ENTRY_TYPES: Mapping[str, type] = {
    "symptoms": Symptom,
    "checks": Check,
    "causes": Cause,
    "remedies": Remedy,
    "procedures": Procedure,
    "frameworks": Framework,
}
