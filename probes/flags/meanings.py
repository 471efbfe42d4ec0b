"""What a setting is called in other frameworks, and which setting a foreign name means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from medic.records import dataclass
from medic.run_config import NOBODYS

from .key_names import (
    BLOCKS_DIFFER,
    BY_BLOCK,
    Framework,
    Names,
    normal,
    plain_key,
    written,
)

# Settings whose other names are no other setting's.
_SYNONYMS = frozenset(
    (
        "micro_batch_size",
        "gradient_accumulation_steps",
        "global_batch_size",
        "learning_rate",
        "warmup_steps",
        "warmup_ratio",
        "weight_decay",
        "sequence_length",
        "epochs",
        "total_steps",
        "gradient_clip",
        "lr_schedule",
        "lora_rank",
        "save_interval",
        "log_interval",
        "eval_interval",
        "num_workers",
        "hidden_size",
        "num_layers",
        "num_heads",
        "tensor_parallel_size",
        "pipeline_parallel_size",
        "context_parallel_size",
    )
)
# What one framework calls its global batch, and another that of one device.
_EITHER_BATCH = frozenset(("train_batch_size", "batch_size_train", "training_batch_size"))
_BATCHES = ("micro_batch_size", "global_batch_size")
_FOREIGN: dict[str, tuple[Names, Mapping[str, tuple[str, str]]]] = {}
# By the first of the entries: those of one knowledge are read together.
_MEANT: list[tuple[Framework, Mapping[str, tuple[str, str]]]] = []
_WORDS: list[tuple[Framework, frozenset[str]]] = []
_TIMES: list[tuple[Framework, Mapping[str, int]]] = []
# Names of settings that no entry reads: what they count differs a little.
_MORE = {
    "lr_warmup_fraction": "warmup_ratio",
    "lr_warmup_ratio": "warmup_ratio",
    "warmup_proportion": "warmup_ratio",
    "t_warmup": "warmup_steps",
    "ppo_micro_batch_size_per_gpu": "micro_batch_size",
    "actor_learning_rate": "learning_rate",
}
# Words of users' own names, beside those of the frameworks' names.
_USUAL = frozenset("val vals trains tests evals dir dirs ids lrs".split())  # noqa: SIM905


def foreign_names(
    framework: Framework, every: Sequence[Framework], names: Names
) -> Mapping[str, tuple[str, str]]:
    """name -> (framework that calls it so, the field), where that is beyond doubt.

    The framework is "" where it is a name that no one framework has for itself.
    """
    kept = _FOREIGN.get(framework.name)
    if kept is None or kept[0] is not names:
        kept = _FOREIGN[framework.name] = (names, _translated(framework, every, names))
    return kept[1]


def _translated(
    framework: Framework, every: Sequence[Framework], names: Names
) -> Mapping[str, tuple[str, str]]:
    if not framework.keys_stand:
        return {}
    own = (
        names.leaves
        if BLOCKS_DIFFER not in framework.traits
        else frozenset(names.below.get("", ()))
    )
    return {name: found for name, found in meanings(every).items() if name not in own}


def meanings(every: Sequence[Framework]) -> Mapping[str, tuple[str, str]]:
    """name -> (framework that calls it so, the field) of names that are no other setting's.

    What is written at the top decides: scheduler.max_steps is another's, max_steps is not.
    """
    if _MEANT and _MEANT[0][0] is every[0]:
        return _MEANT[0][1]
    top: dict[str, set[str]] = {}
    deep: dict[str, set[str]] = {}
    told: dict[str, str] = {}
    for other in every:
        for key in other.keys:
            above, _, name = normal(plain_key(key)).rpartition(".")
            if not above or "_" in name:
                (deep if above else top).setdefault(name, set()).add(key.field)
            if other.name not in NOBODYS and (not above or "_" in name):
                told.setdefault(name, other.title)
    found = {**deep, **top, **{name: {field} for name, field in _MORE.items()}}
    meant = {
        name: (told.get(name, ""), field)
        for name, fields in found.items()
        if len(fields) == 1 and (field := next(iter(fields))) in _SYNONYMS
    }
    _MEANT[:] = [(every[0], meant)]
    return meant


def words_of_names(every: Sequence[Framework]) -> frozenset[str]:
    """The words that names of settings are made of."""
    if _WORDS and _WORDS[0][0] is every[0]:
        return _WORDS[0][1]
    names = (step for one in every for steps in written(one) for step in steps)
    words = frozenset(word for name in names for word in name.split("_")) | _USUAL
    _WORDS[:] = [(every[0], words)]
    return words


def times_named(every: Sequence[Framework]) -> Mapping[str, int]:
    """name at the top -> how many frameworks have it: of several, a script's own parser may, too."""
    if _TIMES and _TIMES[0][0] is every[0]:
        return _TIMES[0][1]
    counts = Counter(
        name for one in every for name in {steps[0] for steps in written(one) if len(steps) == 1}
    )
    _TIMES[:] = [(every[0], counts)]
    return counts


def own_name(framework: Framework, field: str, parents: tuple[str, ...]) -> str:
    """What a framework calls a canonical field in a block; "" if it has no such key there."""
    for key in framework.keys:
        above, _, name = normal(plain_key(key)).rpartition(".")
        free = key.key.startswith("**.") or framework.keys_stand != BY_BLOCK
        if key.field == field and ((free and not above) or above == ".".join(parents)):
            return name
    near = framework.nearly.get(field, "")
    return "" if parents or "." in near else near


@dataclass(frozen=True)
class Dictionary:
    """What a framework calls its settings, what others call them, and what any name means.

    The last two are made of every key of every framework, when they are first asked for: of a file
    without a name that is unknown nobody asks.
    """

    names: Names
    framework: Framework
    every: Sequence[Framework]

    @cached_property
    def foreign(self) -> Mapping[str, tuple[str, str]]:
        return foreign_names(self.framework, self.every, self.names)

    @cached_property
    def meant(self) -> Mapping[str, tuple[str, str]]:
        return meanings(self.every)

    def own(
        self, name: str, parents: tuple[str, ...], beside: Collection[str] = frozenset()
    ) -> str:
        """The framework's name of the setting that a foreign name means; "" if there is none.

        ``beside``: the names of its block. A batch of either kind is the one that is not there.
        """
        field = self.foreign.get(name, ("", ""))[1]
        if field:
            return meant_in(self.names, field, parents, self.meant)
        return either_batch(self.names, name, parents, beside, self.meant)


def either_batch(
    names: Names,
    name: str,
    parents: tuple[str, ...],
    beside: Collection[str],
    meant: Mapping[str, tuple[str, str]],
) -> str:
    """Of a name that may be either batch the framework's one that is not ``beside`` it."""
    if name not in _EITHER_BATCH or name in names.leaves:
        return ""
    sizes = [meant_in(names, one, parents, meant) for one in _BATCHES]
    there = [one in beside for one in sizes]
    return sizes[there.index(False)] if all(sizes) and sum(there) == 1 else ""


def dictionary(framework: Framework, every: Sequence[Framework], names: Names) -> Dictionary:
    return Dictionary(names, framework, every)


def meant_in(
    names: Names, field: str, parents: tuple[str, ...], meant: Mapping[str, tuple[str, str]]
) -> str:
    """The same, or the one name of the block that means the field in any framework (``meant``)."""
    own = own_name(names.framework, field, parents)
    if own:
        return own
    block = names.below.get(".".join(parents), ())
    found = [name for name in block if meant.get(name, ("", ""))[1] == field]
    listed = [normal(plain_key(key)).rpartition(".")[2] for key in names.framework.keys]
    first = sorted((listed.index(name), name) for name in found if name in listed)
    return found[0] if len(found) == 1 else first[0][1] if first else ""
