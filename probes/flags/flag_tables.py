"""What a framework knows of the flags of one program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Protocol

from medic.facts import Launch
from medic.patterns import regex
from medic.records import dataclass

from .key_names import DOTTED, FLAT, USERS_OWN, Names, foreign_names, names_of, normal
from .key_names import Framework as Keyed
from .launchers import FRAMEWORKS
from .suspects import script_parts

# Programs whose flags are all the framework's; a user's own script has flags of its own beside.
# Some go by names that other projects use as well: those count where the flags agree.
_PROGRAMS = {
    "openrlhf": regex(r"(?:^|/)openrlhf/cli/\w+\.py$"),
    "llama-factory": regex(r"(?:^|/)llamafactory/\w+\.py$"),
    "ms-swift": regex(r"(?:^|/)swift/cli/\w+\.py$"),
}
_LIKELY = {
    "megatron": regex(r"(?:^|/)pretrain_(?:gpt|bert|t5|llama|vlm|ict|retro|mamba)\w*\.py$"),
    "openrlhf": regex(r"(?:^|/)train_(?:ppo(?:_ray)?|sft|dpo|rm|kto|kd|prm)\.py$"),
    "llama-factory": regex(r"(?:^|/)(?:train_bash|src/train)\.py$"),
}
_LAUNCHED = {
    "llamafactory-cli": "llama-factory",
    "lmf": "llama-factory",
    "swift": "ms-swift",
    "trl": "trl",
}
# What a script of TrainingArguments has no second name for.
_ARGUMENTS = frozenset(
    (
        "micro_batch_size",
        "gradient_accumulation_steps",
        "learning_rate",
        "epochs",
        "weight_decay",
        "gradient_clip",
        "total_steps",
        "warmup_ratio",
        "save_interval",
    )
)


class Framework(Keyed, Protocol):
    @property
    def builds_on(self) -> Sequence[str]: ...
    @property
    def switches(self) -> Sequence[str]: ...
    @property
    def valued(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class Table:
    """What a framework knows, for one program: ``closed`` if it has no flags but these."""

    framework: Framework
    names: Names
    closed: bool
    valued: frozenset[str]
    switches: frozenset[str]
    foreign: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def dotted(self) -> bool:
        return self.framework.name in DOTTED

    def knows(self, name: str) -> bool:
        plain = normal(name)
        above, _, leaf = plain.rpartition(".")
        if plain in self._kinds or (not above and plain in self.names.leaves):
            return True
        below = self.names.below.get(above, ()) if above or self.dotted else ()
        return leaf in below or self._free(above)

    def _free(self, above: str) -> bool:
        """Whether a block is not known, or holds what the user names."""
        return bool(above) and not self.names.below.get(above)

    @property
    def _kinds(self) -> frozenset[str]:
        return self.valued | self.switches

    def near(self, name: str) -> list[str]:
        """Names that a name could be a slip of, in the same block."""
        above = normal(name).rpartition(".")[0]
        same = self.names.below.get(above, ()) if above else self.names.candidates(())
        full = {f"{above}.{one}" if above else one for one in same}
        return sorted(full | {n for n in self._kinds if n.rpartition(".")[0] == above})


def program_of(launch: Launch) -> str:
    """The framework whose own program a launch starts, by its name alone."""
    if launch.launcher in _LAUNCHED:
        return _LAUNCHED[launch.launcher]
    path = _path(launch)
    return next((name for name, known in _PROGRAMS.items() if known.search(path)), "")


def _path(launch: Launch) -> str:
    parts, script = script_parts(launch), launch.script
    return "/".join(parts) or (script.raw.strip("\"'") if script is not None else "")


def _is_closed(launch: Launch, name: str) -> bool:
    likely = _LIKELY.get(name)
    sure = launch.launcher in FRAMEWORKS or program_of(launch) == name
    return sure or (likely is not None and likely.search(_path(launch)) is not None)


def table_of(
    launch: Launch,
    framework: Framework,
    every: Sequence[Framework],
    tables: Mapping[str, Framework],
) -> Table:
    closed = _is_closed(launch, framework.name)
    names = names_of(framework, tables)
    if closed and framework.name in FLAT:
        own = {normal(k.key.removeprefix("**.")) for k in framework.keys}
        lent = USERS_OWN - own - {normal(n) for n in framework.known}
        names = replace(names, leaves=names.leaves - lent)
    beside = (*framework.builds_on, *(("hf-trainer",) if framework.name == "ms-swift" else ()))
    bases = [tables[name] for name in beside if name in tables]
    known = foreign_names(framework, every, names)
    return Table(
        framework,
        names,
        closed,
        frozenset(normal(n) for one in (framework, *bases) for n in one.valued),
        frozenset(normal(n) for n in framework.switches),
        known if closed else {n: (o, f) for n, (o, f) in known.items() if f in _ARGUMENTS},
    )
