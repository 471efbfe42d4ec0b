"""Framework entries as a table from key paths and flags to canonical fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import Protocol

from medic.i18n import Text

from ..manner import Manner

Plain = int | float | bool | str | None


class Key(Protocol):
    """One key of a framework entry; see ``entries.Key``."""

    @property
    def key(self) -> str: ...
    @property
    def field(self) -> str: ...
    @property
    def scope(self) -> str: ...
    @property
    def factor(self) -> float: ...
    @property
    def true_means(self) -> Plain: ...
    @property
    def false_means(self) -> Plain: ...
    @property
    def values(self) -> Mapping[str, Plain]: ...
    @property
    def not_beside(self) -> str: ...


class Recognise(Protocol):
    @property
    def any_keys(self) -> Sequence[Sequence[str]]: ...
    @property
    def syntax(self) -> Sequence[str]: ...
    @property
    def file_names(self) -> Sequence[str]: ...
    @property
    def commands(self) -> Sequence[str]: ...
    @property
    def named_by(self) -> Sequence[str]: ...
    @property
    def block_by(self) -> Mapping[str, str]: ...
    @property
    def own_commands(self) -> bool: ...


class Condition(Protocol):
    """What a key of a rule has to be; see ``entries.Condition``."""

    @property
    def min(self) -> float | None: ...
    @property
    def max(self) -> float | None: ...
    @property
    def unlike(self) -> Sequence[Plain]: ...
    @property
    def stated(self) -> bool | None: ...
    @property
    def given(self) -> bool | None: ...


class RuleFix(Protocol):
    """The one right repair of what a rule finds; see ``entries.RuleFix``."""

    @property
    def rename(self) -> Mapping[str, str]: ...
    @property
    def set(self) -> Mapping[str, Plain]: ...
    @property
    def words(self) -> Mapping[str, Mapping[str, Plain]]: ...
    @property
    def remove(self) -> Sequence[str]: ...
    @property
    def safe(self) -> bool: ...


class Rule(Protocol):
    """A rule of a framework entry; see ``entries.Rule``."""

    @property
    def name(self) -> str: ...
    @property
    def cause(self) -> str: ...
    @property
    def where(self) -> Mapping[str, Plain | Sequence[Plain] | Condition]: ...
    @property
    def say(self) -> Text: ...
    @property
    def fix(self) -> RuleFix | None: ...
    @property
    def holds_in(self) -> Mapping[str, str]: ...
    @property
    def only_in(self) -> Mapping[str, str]: ...
    @property
    def mild(self) -> bool: ...


class Framework(Manner, Protocol):
    """A framework entry; see ``entries.Framework``."""

    @property
    def title(self) -> str: ...
    @property
    def known(self) -> Sequence[str]: ...
    @property
    def known_below(self) -> Mapping[str, Sequence[str]]: ...
    @property
    def recognise(self) -> Recognise: ...
    @property
    def keys(self) -> Sequence[Key]: ...
    @property
    def role(self) -> str: ...
    @property
    def defaults(self) -> Mapping[str, Plain]: ...
    @property
    def yaml_floats(self) -> str: ...
    @property
    def unknown_key(self) -> str: ...
    @property
    def auto_words(self) -> Sequence[str]: ...
    @property
    def exact(self) -> Sequence[str]: ...
    @property
    def choices(self) -> Mapping[str, Sequence[str]]: ...
    @property
    def rules(self) -> Sequence[Rule]: ...
    @property
    def builds_on(self) -> Sequence[str]: ...
    @property
    def types(self) -> Mapping[str, Sequence[str]]: ...
    @property
    def reads(self) -> Sequence[str]: ...
    @property
    def prefixed(self) -> Mapping[str, str]: ...
    @property
    def takes(self) -> Mapping[str, Sequence[str]]: ...


# Parts of a file that describe something beside the training itself: what is named alike in them
# is not read by the ending of its path, only where an entry names the full path.
ASIDE = frozenset(
    [
        "eval", "evaluation", "evaluate", "evaluator", "evaluators", "valid", "validation", "val",
        "test", "testing", "inference", "generation", "generate", "generator", "discriminator",
        "sampling", "sample", "sampler", "rollout", "teacher", "student", "critic", "ref",
        "reference", "reward", "reward_model", "ema", "tokenizer", "draft", "predict", "prediction",
        "serving", "combiner", "vllm", "sglang", "wandb", "callback", "callbacks", "profiler", "profiling",
        "hf_config", "env", "env_vars", "search", "sweep",
    ]
)  # fmt: skip
# Groups that a flag may carry as its first word: --training-lr.
GROUPS = (
    "training", "train", "trainer", "model", "optimization", "optimizer", "optim", "data",
    "dataset", "distributed", "checkpoint", "scheduler", "lr_scheduler", "parallelism", "logging",
)  # fmt: skip

_MANY = 4096  # paths whose keys are kept

Found = tuple[int, Key]
Pattern = tuple[bool, tuple[str, ...], tuple[str]]  # any parents, steps, and these as a flag


def parts_of(path: Iterable[str]) -> tuple[str, ...]:
    """A key path as it is compared: lower case, ``_`` for ``-``, dots in a key are steps."""
    return tuple([step for part in path for step in _steps(part)])


@lru_cache(maxsize=4096)
def _steps(part: str) -> tuple[str, ...]:
    """The same of one step, which many files have in common."""
    return tuple(filter(None, part.lstrip("-+").replace("-", "_").lower().split(".")))


def _pattern(key: str) -> Pattern:
    """As a key of an entry writes it."""
    steps = parts_of([key.removeprefix("**.")])
    return key.startswith("**."), steps, ("_".join(steps),)


class _Tables:
    """Keys by their whole path, by the last step of their ending, and by their flag."""

    def __init__(self, keys: Iterable[Key]) -> None:
        self.exact: dict[tuple[str, ...], list[Found]] = {}
        self.ending: dict[str, list[tuple[tuple[str, ...], Found]]] = {}
        self.flags: dict[str, list[Found]] = {}
        for rank, key in enumerate(keys):
            free, steps, flag = _pattern(key.key)
            if free:
                self.ending.setdefault(steps[-1], []).append((steps, (rank, key)))
            else:
                self.exact.setdefault(steps, []).append((rank, key))
            self.flags.setdefault(flag[0], []).append((rank, key))


class Keys:
    """The keys of one framework, ``plain`` behind them where its entry is free."""

    def __init__(self, framework: Framework, plain: Keys | None = None) -> None:
        self.framework = framework
        self.plain = plain if framework.unknown_key == "free" else None
        self._tells = [[_pattern(k) for k in keys] for keys in framework.recognise.any_keys]
        self._found: dict[tuple[str, ...], Sequence[Found]] = {}

    @cached_property
    def _tables(self) -> _Tables:
        return _Tables(self.framework.keys)

    @cached_property
    def kinds(self) -> Mapping[tuple[str, ...], str]:
        """What the framework declares a key to be (``types`` of its entry), by the whole path."""
        types = self.framework.types
        return {parts_of([key]): kind for kind, keys in types.items() for key in keys}

    def find(self, path: Iterable[str]) -> Sequence[Found]:
        """(rank, key) of what a path states; a lower rank rules over a higher one. Files have most
        of their paths in common."""
        return self._of(parts_of(path))

    def _of(self, steps: tuple[str, ...]) -> Sequence[Found]:
        found = self._found.get(steps)
        if found is None:
            if len(self._found) >= _MANY:
                self._found.clear()
            found = self._found[steps] = self._looked_up(steps)
        return found

    def _looked_up(self, steps: tuple[str, ...]) -> list[Found]:
        found = self._tables.exact.get(steps) or self._by_ending(steps)
        if not found and self.plain is not None:
            first = len(self.framework.keys)
            found = [(first + rank, key) for rank, key in self.plain._of(steps)]
        return found

    def _by_ending(self, steps: tuple[str, ...]) -> list[Found]:
        if not steps or any(step in ASIDE for step in steps[:-1]):
            return []
        fits = [
            (len(ending), found)
            for ending, found in self._tables.ending.get(steps[-1], ())
            if steps[-len(ending) :] == ending
        ]
        longest = max((length for length, _ in fits), default=0)
        return [found for length, found in fits if length == longest]

    def find_flag(self, name: str) -> Sequence[Found]:
        """The same for a flag's name, ``--training-lr`` as ``training.lr``."""
        flat = "_".join(parts_of([name]))
        found: Sequence[Found] = self._tables.flags.get(flat) or (
            self.find([name]) if "." in name else []
        )
        if not found and self.framework.unknown_key == "free":
            found = self._grouped_flag(flat)
        if not found and self.plain is not None:
            first = len(self.framework.keys)
            found = [(first + rank, key) for rank, key in self.plain.find_flag(flat)]
        return found

    def _grouped_flag(self, flat: str) -> list[Found]:
        for group in GROUPS:
            if flat.startswith(f"{group}_") and (
                found := self._tables.flags.get(flat[len(group) + 1 :], [])
            ):
                return found
        return []

    @property
    def first_signs(self) -> Iterable[tuple[str, ...]]:
        """Of each set of keys that tells this framework the first one, as ``Paths.endings`` has it."""
        return chain.from_iterable(
            (steps, flag) for (_, steps, flag), *_ in filter(None, self._tells)
        )

    def specificity(self, paths: Paths) -> int:
        """The size of the largest set of keys, all in ``paths``, that tells this framework."""
        return max((len(patterns) for patterns in self._tells if paths.have(patterns)), default=0)


class Paths:
    """The key paths of a file, or the flags of a command, each one step joined by ``_``."""

    def __init__(self, paths: Iterable[tuple[str, ...]]) -> None:
        self._exact = frozenset(paths)
        self.endings = frozenset(path[i:] for path in self._exact for i in range(len(path)))

    def have(self, patterns: Iterable[Pattern]) -> bool:
        """Whether every pattern fits a path."""
        exact, endings = self._exact, self.endings
        for free, steps, flag in patterns:
            if steps not in (endings if free else exact) and flag not in exact:
                return False
        return True
