"""What a flag that is meant is called in other releases of its framework."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from medic.facts import Release
from medic.i18n import Text
from medic.records import dataclass

from ..config.pins import Bounded, certain, left_out
from .key_names import normal

_CAUSES = ("argument-renamed-in-library", "argument-deprecated")
_EITHER = Text("{old} ({new} in {n} {spec})", "{old}（{n} {spec} 中为 {new}）")


class _Fix(Protocol):
    @property
    def rename(self) -> Mapping[str, str]: ...


class _Rule(Bounded, Protocol):
    @property
    def cause(self) -> str: ...
    @property
    def fix(self) -> _Fix | None: ...


class _Framework(Protocol):
    @property
    def rules(self) -> Sequence[_Rule]: ...


@dataclass(frozen=True)
class Now:
    """The flag to write; or where its release is not known, ``either`` of two in words."""

    flag: str
    either: Text | None = None


def now(flag: str, frameworks: Sequence[_Framework], releases: Mapping[str, Release]) -> Now:
    """What ``--max_seq_length``, or a key, is to be called: a release that renamed it has it no more."""
    name, dashes = normal(flag), "--" if flag.startswith("--") else ""
    for framework in frameworks:
        for rule in framework.rules:
            renames = rule.fix.rename if rule.fix and rule.cause in _CAUSES else {}
            new = next((new for old, new in renames.items() if normal(old) == name), "")
            if not new or "." in new or not rule.holds_in or left_out(rule, releases):
                continue
            spelt = dashes + (new.replace("_", "-") if "-" in flag[2:] else new)
            if certain(rule, releases):
                return Now(spelt)
            package, spec = next(iter(rule.holds_in.items()))
            return Now(flag, _EITHER.fill(old=flag, new=spelt, n=package, spec=spec))
    return Now(flag)
