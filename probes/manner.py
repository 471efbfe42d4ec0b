"""What the entry of a framework says of its ways, beside its keys; see ``entries.Framework``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol


class Manner(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def overrides(self) -> str: ...
    @property
    def traits(self) -> Sequence[str]: ...
    @property
    def hands_on(self) -> Sequence[str]: ...
    @property
    def nearly(self) -> Mapping[str, str]: ...
