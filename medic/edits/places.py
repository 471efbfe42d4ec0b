"""Where a field that nothing states yet is to be written: beside its relatives."""

from __future__ import annotations

from medic.edits.keys import KeyTable, pattern, to_written
from medic.entries import Key
from medic.errors import EditRefused
from medic.records import dataclass
from medic.run_config import Change, Origin, RunConfig, Syntax

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


def place_for(config: RunConfig, table: KeyTable, change: Change) -> Place | None:
    """Where a field goes, by the frameworks' own names; None if no file has its group."""
    field = change.field
    group = [f for names in RELATIVES if field in names for f in names]
    near = frozenset(o.path for f in group for o in carriers(config, f))
    for relative in (*group, *(f for f in config if f not in group)):
        for origin in carriers(config, relative):
            dashes = _has_dashes(config, origin)
            found = _path(config, origin, table, change, dashes=dashes)
            if found is not None and origin.span is not None:
                launcher = table.is_launcher(origin.framework)
                path, key = found
                return Place(
                    origin.span.file, path, origin.syntax, origin, key, near, at_launcher=launcher
                )
    return None


def _has_dashes(config: RunConfig, origin: Origin) -> bool:
    """Whether the names beside an origin are written with dashes, not underscores."""
    names = [
        (other.key or other.path[-1]).lstrip("-")
        for field in config
        for other in carriers(config, field)
        if other.framework == origin.framework and other.syntax == origin.syntax
    ]
    return sum("-" in name for name in names) > sum("_" in name for name in names)


def _path(
    config: RunConfig, origin: Origin, table: KeyTable, change: Change, *, dashes: bool
) -> tuple[tuple[str, ...], Key] | None:
    """The first of the framework's keys that fits beside the origin and can say the value."""
    for key in _writable(config, table.own(origin.framework, change.field)):
        if not _can_say(key, change):
            continue
        free, steps = pattern(key)
        own = key.key.removeprefix("**.").split(".")
        if origin.syntax == "shell":
            return (spelt_like(origin.key, ".".join(own), dashes=dashes),), key
        parent = origin.path[:-1]
        own[-1] = spelt_like(origin.path[-1], own[-1], dashes=dashes)
        if not free:
            return tuple(own), key
        if len(steps) == 1 or tuple(p.lower() for p in parent[-len(steps) + 1 :]) == steps[:-1]:
            return (*parent, own[-1]), key
    return None


def _writable(config: RunConfig, keys: list[Key]) -> list[Key]:
    """The keys that this run's framework takes and that say the whole of the field, in their order
    of preference."""
    given = [k for k in keys if k.written_with and config.setting(k.written_with) is not None]
    return given + [k for k in keys if not (k.written_with or k.partly)]


def _can_say(key: Key, change: Change) -> bool:
    try:
        to_written(change.field, change.new, key, key.factor)
    except EditRefused:
        return False
    return True


def spelt_like(like: str, name: str, *, dashes: bool) -> str:
    """A name with as many dashes in front as its neighbour, and between its words."""
    front = like[: len(like) - len(like.lstrip("-"))]
    return front + (name.replace("_", "-") if dashes else name)
