"""What the knowledge is made of: symptoms, checks, causes, remedies, procedures, frameworks, terms,
models, GPUs, and the words that people say them in.

Plain dataclasses: ``schema`` validates YAML against them, ``index`` builds them from the compiled
knowledge. In YAML an underscore of a field name is written as a hyphen (``told_by``: ``told-by``).
Each is loaded with its own module when it is first asked for: a start pays for what it uses.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from medic.entries.causes import Cause, DoNot, Lint, Shows, Telltale, ToldBy, Version
    from medic.entries.evidence import (
        Ask,
        Check,
        Conditions,
        Outcome,
        Phrases,
        Range,
        Signature,
        Source,
        Symptom,
        Threshold,
        Wording,
    )
    from medic.entries.frameworks import Framework, Key, Recognise
    from medic.entries.remedies import Costs, Procedure, Remedy, Set, Step, WorkedIf
    from medic.entries.sayings import Claim, Saying, Usual, Vocabulary
    from medic.entries.sizes import Gpu, Model
    from medic.entries.terms import Term
    from medic.entries.words import (
        Compute,
        Experiment,
        Level,
        NotIn,
        Otherwise,
        Phase,
        Prior,
        Role,
        Severity,
        Weight,
    )

_HOMES = {
    "causes": ("Cause", "DoNot", "Lint", "Shows", "Telltale", "ToldBy", "Version"),
    "evidence": (
        "Ask",
        "Check",
        "Conditions",
        "Outcome",
        "Phrases",
        "Range",
        "Signature",
        "Source",
        "Symptom",
        "Threshold",
        "Wording",
    ),
    "frameworks": ("Framework", "Key", "Recognise"),
    "remedies": ("Costs", "Procedure", "Remedy", "Set", "Step", "WorkedIf"),
    "sayings": ("Claim", "Saying", "Usual", "Vocabulary"),
    "sizes": ("Gpu", "Model"),
    "terms": ("Term",),
    "words": (
        "Compute",
        "Experiment",
        "Level",
        "NotIn",
        "Otherwise",
        "Phase",
        "Prior",
        "Role",
        "Severity",
        "Weight",
    ),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}
_TYPES = {
    "symptoms": "Symptom",
    "checks": "Check",
    "causes": "Cause",
    "remedies": "Remedy",
    "procedures": "Procedure",
    "frameworks": "Framework",
    "terms": "Term",
    "models": "Model",
    "gpus": "Gpu",
    "vocabulary": "Vocabulary",
    "usual": "Usual",
}
KINDS = tuple(_TYPES)

__all__ = [
    "KINDS",
    "Ask",
    "Cause",
    "Check",
    "Claim",
    "Compute",
    "Conditions",
    "Costs",
    "DoNot",
    "Experiment",
    "Framework",
    "Gpu",
    "Key",
    "Level",
    "Lint",
    "Model",
    "NotIn",
    "Otherwise",
    "Outcome",
    "Phase",
    "Phrases",
    "Prior",
    "Procedure",
    "Range",
    "Recognise",
    "Remedy",
    "Role",
    "Saying",
    "Set",
    "Severity",
    "Shows",
    "Signature",
    "Source",
    "Step",
    "Symptom",
    "Telltale",
    "Term",
    "Threshold",
    "ToldBy",
    "Usual",
    "Version",
    "Vocabulary",
    "Weight",
    "Wording",
    "WorkedIf",
    "entry_type",
]


def entry_type(kind: str) -> Any:
    """The dataclass of a kind of entry, by the name of its folder."""
    return __getattr__(_TYPES[kind])


def __getattr__(name: str) -> Any:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(name)
    found = getattr(import_module(f"medic.entries.{module}"), name)
    globals()[name] = found  # from now on it is found without being asked for
    return found
