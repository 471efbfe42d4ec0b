"""Two places of one launch that state different values."""

from __future__ import annotations

from collections.abc import Sequence

from medic.facts import Repair, Rewritten
from medic.i18n import Text
from medic.probe import Fires, LintResult, Passes
from medic.run_config import NOBODYS, OVERRIDDEN, Origin, RunConfig, Scalar, Value

from ..carriers import EXCLUSIVE, same

NAME = "conflicting-values"
NEEDS: tuple[str, ...] = ()

# Fields of which a run has one value. Intervals, paths and names of optimizers or schedules may
# well differ between an engine and its training, and a switch may be set in either.
_COMPARED = frozenset(
    [
        "micro_batch_size", "gradient_accumulation_steps", "global_batch_size",
        "global_batch_tokens", "total_tokens", "total_steps", "sequence_length",
        "data_parallel_size", "tensor_parallel_size", "pipeline_parallel_size",
        "context_parallel_size", "expert_parallel_size", "world_size", "nodes", "gpus_per_node",
        "learning_rate", "min_learning_rate", "warmup_steps", "warmup_ratio", "decay_steps",
        "weight_decay", "adam_beta2", "adam_epsilon", "gradient_clip", "precision", "zero_stage",
        "optimizer_offload", "hidden_size", "num_layers", "num_heads", "num_kv_heads", "ffn_size",
        "vocab_size", "num_experts", "lora_rank",
    ]
)  # fmt: skip
# Keys of which a run has one value as well, and which are no canonical field.
_KEYS = ("lora_alpha", "lora_dropout")
# Names that do not say what they count; without a framework they contradict nothing.
_VAGUE = frozenset(["batch_size", "bsz", "bs", "max_length", "dtype"])
# What the Trainer fills in where the DeepSpeed file says "auto" (transformers
# integrations/deepspeed.py, trainer_config_process), and the frameworks whose training it is.
_FILLED_IN = frozenset(
    [
        "micro_batch_size", "gradient_accumulation_steps", "global_batch_size", "learning_rate",
        "weight_decay", "adam_epsilon", "warmup_steps", "gradient_clip",
    ]
)  # fmt: skip
_TRAINERS = frozenset(["hf-trainer", "trl", "llama-factory", "ms-swift", "axolotl"])
_AUTO = Text(
    "the training's own value, {value}, counts then",
    "此时以训练端的取值 {value} 为准",
)
# Files of one program need not be of one launch.
_RUNS = Text(
    "; if the files are of two runs, `medic lint --each` checks each by itself",
    "；若两个文件属于两次运行，用 `medic lint --each` 逐个检查",
)


def check(config: RunConfig) -> LintResult | Sequence[Fires]:
    """One result a field. A flag that overrides the file of its own program is no conflict."""
    found: list[Fires] = []
    for field in config:
        value = config.values[field]
        if field not in _COMPARED or not config.stated(field):
            continue
        for other, origin in value.also:
            clash = _contradicts(value.origin, origin) or _machines_alone(config, field, origin)
            if not same(other, value.value) and clash:
                at, here, there = field, (value.value, value.origin), (other, origin)
                if _switched_on_later(value.origin, origin):
                    at, here, there = _place_of(origin), there, here
                values = {
                    "field": field,
                    "value": here[0],
                    "other": there[0],
                    "other_where": there[1].where(),
                    "runs": _RUNS if _two_files(value.origin, origin) else "",
                }
                found.append(Fires(at, values, repair=_auto(field, value, origin)))
                break
    found += filter(None, (_of_key(config, name) for name in _KEYS))
    return found or Passes()


def _of_key(config: RunConfig, name: str) -> Fires | None:
    """A key at one place of two files of a framework, with two values."""
    first = config.setting(name)
    if first is None or first.value is None:
        return None
    for one in config.settings:
        alike = (one.path, one.origin.framework) == (first.path, first.origin.framework)
        differs = one.value is not None and not same(one.value, first.value)
        if alike and differs and _two_files(first.origin, one.origin):
            values = {"field": name, "value": first.value, "other": one.value}
            return Fires(name, {**values, "other_where": one.origin.where(), "runs": _RUNS})
    return None


def _two_files(*origins: Origin) -> bool:
    """Whether two configuration files of one framework state the two, and no command does."""
    spans = [origin.span for origin in origins]
    frameworks = {origin.framework for origin in origins}
    files = {span.file for span in spans if span is not None}
    return (
        len(files) == 2
        and len(frameworks) == 1
        and not any(origin.syntax == "shell" for origin in origins)
    )


def _switched_on_later(ruling: Origin, other: Origin) -> bool:
    """Whether the second of two switches that exclude each other is the lower one of a file."""
    spans = ruling.span, other.span
    return other.note == EXCLUSIVE and (
        spans[0] is not None
        and spans[1] is not None
        and spans[0].file == spans[1].file
        and spans[0].line < spans[1].line
    )


def _place_of(origin: Origin) -> str:
    """A key as it is looked up: below ``bf16`` and ``fp16`` both are called ``enabled``."""
    return ".".join(origin.path) if len(origin.path) > 1 else origin.key


def _contradicts(ruling: Origin, other: Origin) -> bool:
    if other.note == EXCLUSIVE:
        return True
    names = [_leaf(origin) for origin in (ruling, other)]
    vague = any(
        origin.framework in NOBODYS and name in _VAGUE
        for origin, name in zip((ruling, other), names, strict=True)
    )
    if other.note == OVERRIDDEN or vague:
        return False
    return ruling.framework != other.framework or names[0] == names[1]


def _machines_alone(config: RunConfig, field: str, other: Origin) -> bool:
    """Whether a command changes the machines of accelerate's file and not its processes, which are
    those of all machines together (accelerate launch --help: num_processes)."""
    world = config.origin("world_size") if field == "nodes" else None
    spans = (other.span, world.span if world is not None else None)
    files = {span.file for span in spans if span is not None}
    from_file = world is not None and world.framework == other.framework == "accelerate"
    return from_file and None not in spans and len(files) == 1


def _leaf(origin: Origin) -> str:
    return origin.key.lstrip("-").replace("-", "_").split(".")[-1].lower()


def _auto(field: str, value: Value, other: Origin) -> Repair | None:
    """Of a Trainer and its DeepSpeed file the file says "auto", as transformers advises."""
    engine, trainer = sorted((value.origin, other), key=lambda o: o.framework != "deepspeed")
    if engine.framework != "deepspeed" or trainer.framework not in _TRAINERS:
        return None
    if engine.span is None or field not in _FILLED_IN:
        return None
    kept = value.value if trainer is value.origin else _stated_by(value, trainer)
    step = Rewritten(engine.span, engine.syntax, engine.path[-1], "auto")
    return Repair((step,), safe=False, why=_AUTO.fill(value=kept))


def _stated_by(value: Value, origin: Origin) -> Scalar:
    return next((stated for stated, place in value.also if place is origin), None)
