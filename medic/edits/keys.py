"""Framework keys, backwards: from a canonical field to what is written, and under which name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from medic.entries import Framework, Key
from medic.errors import EditRefused
from medic.run_config import FIELDS, PLAIN, Origin, Scalar

# The words of one vocabulary for fp32, fp16, bf16 and fp8; empty where it has none.
_PRECISIONS = (
    ("fp32", "fp16", "bf16", "fp8"),
    ("float32", "float16", "bfloat16", "float8"),
    ("torch.float32", "torch.float16", "torch.bfloat16", ""),
    ("32-true", "16-true", "bf16-true", ""),
    ("32", "16-mixed", "bf16-mixed", ""),
    ("amp_fp32", "amp_fp16", "amp_bf16", "amp_fp8"),
    ("no", "fp16", "bf16", "fp8"),
    ("32", "16", "bf16", ""),
)
_WORD_SWITCHES = ("granularity", "mode", "fsdp", "strategy", "name", "type", "method")
_BOOLEANS = ("", "true", "false", "yes", "no", "on", "off", "1", "0")


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

    def is_auto(self, framework: str, value: Scalar) -> bool:
        """Whether a value leaves the choice to another part of the run."""
        entry = self._frameworks.get(framework)
        return entry is not None and str(value).lower() in entry.auto_words

    def is_launcher(self, framework: str) -> bool:
        entry = self._frameworks.get(framework)
        return entry is not None and entry.role == "launcher"

    def names(self, framework: str, field: str) -> bool:
        """Whether the framework's own entry has a key for the field."""
        return bool(self.own(framework, field))

    def stating(self, framework: str, field: str) -> list[Key]:
        return [key for key in self.of(framework) if key.field == field]

    def own(self, framework: str, field: str) -> list[Key]:
        """The framework's own keys for a field: a file of a known framework takes no other."""
        entry = self._frameworks.get(framework)
        return [key for key in (entry.keys if entry else ()) if key.field == field]

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


def to_written(field: str, new: Scalar, key: Key | None, factor: float, raw: str = "") -> Scalar:
    """What is written under ``key`` so that it reads as ``new``. Raises EditRefused.

    ``raw`` is what stands there, which tells the words that the framework has for a precision;
    empty for a key that is inserted.
    """
    if key is not None and (key.true_means is not None or key.false_means is not None):
        if new in (key.true_means, key.false_means):
            return new == key.true_means
        raise _cannot(key, new)
    if key is not None and key.values and (word := _inverse(key, new)) is not None:
        return word
    if field == "precision":
        return _precision(key, new, raw)
    if isinstance(new, bool):
        return _switch(key, new, raw)
    if not isinstance(new, (int, float)) or factor == 1:
        return new
    from fractions import Fraction

    exact = Fraction(str(new)) / Fraction(str(factor))
    if exact.denominator == 1:
        return int(exact) if isinstance(new, int) else float(exact)
    if FIELDS[field][0] is int:
        raise EditRefused(
            f"{new} is no whole number in the unit of the key (x{factor:g})",
            f"按该键的单位（x{factor:g}）换算后 {new} 不是整数",
        )
    return float(exact)


def _inverse(key: Key, new: Scalar) -> str | None:
    return next((word for word, meaning in key.values.items() if meaning == new), None)


def _cannot(key: Key | None, new: Scalar) -> EditRefused:
    name = key.key.removeprefix("**.") if key is not None else "-"
    return EditRefused(
        f"the word of {name} for {new} is not known", f"不知道 {name} 用哪个词表示 {new}"
    )


def _precision(key: Key | None, new: Scalar, raw: str) -> str:
    """The word for a precision among those that the old one is of."""
    old = raw.strip("'\"").lower()
    words = next((words for words in _PRECISIONS if old in words), None)
    if words is None or not isinstance(new, str) or new not in _PRECISIONS[0]:
        raise _cannot(key, new)
    word = words[_PRECISIONS[0].index(new)]
    if not word:
        raise _cannot(key, new)
    return word


def _switch(key: Key | None, new: bool, raw: str) -> bool:
    """Some switches take words for how they are on: full, selective, whole_layer."""
    last = steps_of(key.key)[-1] if key is not None else ""
    takes_words = last.endswith(_WORD_SWITCHES) and not last.startswith(("use_", "enable_"))
    if raw.strip("'\"").lower() not in _BOOLEANS or (not raw and takes_words):
        raise _cannot(key, new)
    return new
