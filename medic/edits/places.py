"""Where a field that nothing states yet is to be written: beside its relatives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from medic.edits.keys import KeyTable, pattern
from medic.entries import Key
from medic.run_config import Origin, RunConfig, Syntax

# Fields that stand together in a config; a missing one goes beside the first that is there.
RELATIVES = (
    (
        "micro_batch_size", "gradient_accumulation_steps", "global_batch_size",
        "global_batch_tokens", "sequence_length", "activation_checkpointing",
    ),
    (
        "learning_rate", "min_learning_rate", "warmup_steps", "warmup_ratio", "decay_steps",
        "lr_schedule", "weight_decay", "adam_beta2", "adam_epsilon", "optimizer", "gradient_clip",
        "total_steps", "total_tokens", "epochs",
    ),
    ("nodes", "gpus_per_node", "world_size", "master_port", "nccl_timeout"),
    ("num_workers", "pin_memory"),
    ("precision", "use_amp", "compile", "activation_checkpointing", "attention", "fused_loss"),
    ("zero_stage", "optimizer_offload", "fsdp"),
    ("log_interval", "save_interval", "eval_interval", "output_dir", "resume_from"),
)  # fmt: skip


@dataclass(frozen=True)
class Place:
    """A place for a key that is not there yet: the path below ``file``, beside ``beside``."""

    file: str
    path: tuple[str, ...]
    syntax: Syntax
    beside: Origin
    key: Key | None = None
    relatives: frozenset[tuple[str, ...]] = frozenset()
    at_launcher: bool = False  # an option of the launcher, which stands before the script


def carriers(config: RunConfig, field: str) -> list[Origin]:
    """The places in files that state a field."""
    value = config.values.get(field)
    origins = value.carriers() if value is not None else ()
    return [o for o in origins if o.source == "file" and o.span is not None]


def place_for(config: RunConfig, table: KeyTable, field: str) -> Place | None:
    """Where ``field`` goes, by the frameworks' own names; None if no file has its group."""
    group = [f for names in RELATIVES if field in names for f in names]
    rest = [f for f in config if f not in group]
    for relative in (*group, *rest):
        for origin in carriers(config, relative):
            path = _path(origin, table, field)
            if path is not None and origin.span is not None:
                near = {o.path for f in group for o in carriers(config, f)}
                return Place(
                    origin.span.file,
                    path[0],
                    origin.syntax,
                    origin,
                    path[1],
                    frozenset(near),
                    table.is_launcher(origin.framework),
                )
    return None


def _path(origin: Origin, table: KeyTable, field: str) -> tuple[tuple[str, ...], Key] | None:
    """The first of the framework's keys for the field that fits beside the origin."""
    for key in _usable(table, origin, field):
        free, steps = pattern(key)
        own = key.key.removeprefix("**.").split(".")
        if origin.syntax == "shell":
            return (spelt_like(origin.key, ".".join(own)),), key
        parent = origin.path[:-1]
        if not free:
            return tuple(own), key
        if len(steps) == 1 or tuple(p.lower() for p in parent[-len(steps) + 1 :]) == steps[:-1]:
            return (*parent, own[-1]), key
    return None


def _usable(table: KeyTable, origin: Origin, field: str) -> Iterator[Key]:
    keys = table.stating(origin.framework, field)
    yield from (k for k in keys if k.factor == 1)
    yield from (k for k in keys if k.factor != 1)


def spelt_like(like: str, name: str) -> str:
    """A flag spelt as its neighbour: dashes or underscores, as many dashes in front."""
    bare = like.lstrip("-")
    dashes = like[: len(like) - len(bare)]
    body = name.replace("_", "-") if "-" in bare and "_" not in bare else name
    return dashes + body
