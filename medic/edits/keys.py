"""Framework keys, backwards: from a canonical field to what is written, and under which name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from medic.entries import Framework, Key
from medic.errors import EditRefused
from medic.run_config import FIELDS, Origin, Scalar

PLAIN = "plain"  # the entry whose keys every framework without strict keys shares


def steps_of(text: str) -> tuple[str, ...]:
    """A key path as keys are compared: lower case, ``_`` for ``-``, dots are steps."""
    flat = text.lstrip("-+").replace("-", "_").lower()
    return tuple(step for step in flat.split(".") if step)


def pattern(key: Key) -> tuple[bool, tuple[str, ...]]:
    """(any parents, steps)."""
    free = key.key.startswith("**.")
    return free, steps_of(key.key[3:] if free else key.key)


class KeyTable:
    """The keys of all frameworks."""

    def __init__(self, frameworks: Iterable[Framework]) -> None:
        self._frameworks = {f.name: f for f in frameworks}

    def of(self, framework: str) -> Iterator[Key]:
        """The keys of a framework, and behind them the plain ones where its entry is free."""
        entry = self._frameworks.get(framework)
        if entry is None:
            return
        yield from entry.keys
        plain = self._frameworks.get(PLAIN)
        if plain is not None and entry.unknown_key == "free" and framework != PLAIN:
            yield from plain.keys

    def is_launcher(self, framework: str) -> bool:
        entry = self._frameworks.get(framework)
        return entry is not None and entry.role == "launcher"

    def stating(self, framework: str, field: str) -> list[Key]:
        return [key for key in self.of(framework) if key.field == field]

    def key_of(self, origin: Origin, field: str) -> Key | None:
        """The key under which an origin states a field."""
        path = tuple(s for part in origin.path for s in steps_of(part)) or steps_of(origin.key)
        flat = "_".join(path)
        best: tuple[int, Key] | None = None
        for key in self.stating(origin.framework, field):
            steps = pattern(key)[1]
            fits = path[-len(steps) :] == steps or (
                origin.syntax == "shell" and (flat == "_".join(steps) or flat.endswith(steps[-1]))
            )
            if fits and (best is None or len(steps) > best[0]):
                best = (len(steps), key)
        return best[1] if best else None

    def switches(self, origin: Origin, field: str) -> Sequence[Key]:
        """Keys beside an origin that turn on one value of the field each (fp16, bf16)."""
        return [k for k in self.stating(origin.framework, field) if k.true_means is not None]


def to_written(field: str, new: Scalar, key: Key | None, factor: float) -> Scalar:
    """What is written under ``key`` so that it reads as ``new``. Raises EditRefused."""
    if key is not None and (key.true_means is not None or key.false_means is not None):
        if new == key.true_means:
            return True
        if new == key.false_means or key.true_means is not None:
            return False
        raise EditRefused(f"{key.key} cannot say {new}", f"{key.key} 无法表示 {new}")
    if key is not None and key.values:
        return _inverse(key, new)
    if isinstance(new, bool) or not isinstance(new, (int, float)) or factor == 1:
        return new
    exact = Fraction(str(new)) / Fraction(str(factor))
    if exact.denominator == 1:
        return int(exact) if isinstance(new, int) else float(exact)
    if FIELDS[field][0] is int:
        raise EditRefused(
            f"{new} is no whole number in the unit of the key (x{factor:g})",
            f"按该键的单位(x{factor:g})换算后 {new} 不是整数",
        )
    return float(exact)


def _inverse(key: Key, new: Scalar) -> Scalar:
    words = [word for word, meaning in key.values.items() if meaning == new]
    if words:
        return words[0]
    if isinstance(new, str) or key.field not in FIELDS or FIELDS[key.field][0] is not str:
        return new
    raise EditRefused(f"{key.key} has no word for {new}", f"{key.key} 没有表示 {new} 的取值")
