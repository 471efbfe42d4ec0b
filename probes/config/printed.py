"""The probe that holds what the run printed at its start against the files that configure it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice

from medic.errors import Unreadable
from medic.facts import GivenFile, PrintedStart, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, source_of
from medic.run_config import FIELDS, Origin, RunConfig, Scalar

from .carriers import same
from .keys import Framework, Keys
from .start_blocks import Printed, printed
from .values import Written, canonical

DIFFERS = "printed-value-differs"
NEEDS_LOG = Text(
    "a log that shows the printed configuration, and the files", "打印了配置的日志以及配置文件"
)
# A start is over after so many lines; tracebacks and steps follow.
_MAX_LINES, _MAX_LOGS = 20_000, 8
# What the run takes as it is written. Sizes of the world follow from the launch.
_COMPARED = frozenset(
    [
        "micro_batch_size", "gradient_accumulation_steps", "global_batch_size", "total_steps",
        "sequence_length", "tensor_parallel_size", "pipeline_parallel_size",
        "context_parallel_size", "expert_parallel_size", "learning_rate", "min_learning_rate",
        "warmup_steps", "warmup_ratio", "decay_steps", "lr_schedule", "weight_decay", "adam_beta2",
        "adam_epsilon", "gradient_clip", "precision", "zero_stage", "hidden_size", "num_layers",
        "num_heads", "num_kv_heads", "ffn_size", "num_experts", "save_interval",
    ]
)  # fmt: skip
# A derived value may be held against what was printed: the place is one that it follows from.
_FOLLOWS = {"global_batch_size": ("micro_batch_size", "gradient_accumulation_steps")}


def run(look: Look) -> Iterator[Finding | Skip | PrintedStart]:
    config = look.fact(RunConfig)
    seen = start_values(look, config) if config.files else {}
    if seen:
        yield PrintedStart(seen)
    compared = False
    fired = False
    for field, (value, source) in seen.items():
        at = _place(config, field)
        if at is None or config.get(field) is None:
            continue
        compared = True
        mine = config.get(field)
        if not same(mine, value):
            fired = True
            yield _differs(config, field, at, value, source)
    if not fired:
        needs = Skip(needs=NEEDS_LOG, check=DIFFERS)
        yield Finding(DIFFERS, "passes") if compared else needs


def start_values(look: Look, config: RunConfig) -> Mapping[str, tuple[Scalar, Source]]:
    """field -> (value, line) of what the run printed at its last start, by canonical field."""
    return _read(look, look.files("log")[:_MAX_LOGS], config)


def _differs(config: RunConfig, field: str, at: Origin, value: Scalar, source: Source) -> Finding:
    told = {
        "field": field,
        "value": config.get(field),
        "printed": value,
        "where": source.where(),
        "line": source.text,
    }
    place = source_of(at, f"{at.key}: {config.get(field)}") if at.span else source
    return Finding(DIFFERS, "fires", told, place, more=(source,), span=at.span)


def _place(config: RunConfig, field: str) -> Origin | None:
    """Where the files state a field, or what it is computed from."""
    for name in (field, *_FOLLOWS.get(field, ())):
        origin = config.origin(name)
        if name == field and (origin is None or origin.source not in ("file", "derived")):
            return None
        if origin is not None and origin.source == "file" and origin.span is not None:
            return origin
    return None


def _read(
    look: Look, logs: Sequence[GivenFile], config: RunConfig
) -> Mapping[str, tuple[Scalar, Source]]:
    """field -> (value, line) of the last start in the logs."""
    frameworks: Sequence[Framework] = look.frameworks
    keys: dict[str, Keys] = {}
    found: dict[str, tuple[Scalar, Source]] = {}
    dump = config.framework if config.framework in ("megatron", "gpt-neox") else "megatron"
    for log in reversed(logs):  # the newest last: its values rule
        with suppress(Unreadable):  # told by the probe that reads the log
            for one in printed(list(islice(look.lines(log.path), _MAX_LINES)), dump):
                if one.framework and one.framework not in keys:
                    entry = next((f for f in frameworks if f.name == one.framework), None)
                    if entry is None:
                        continue
                    keys[one.framework] = Keys(entry)
                for field, value in _fields(one, keys):
                    found[field] = (value, Source(log.name, one.line, text=one.text))
    return found


def _fields(one: Printed, keys: Mapping[str, Keys]) -> Iterator[tuple[str, Scalar]]:
    """The canonical fields that a printed value states."""
    if not one.framework:
        yield one.path[0], one.value
        return
    if isinstance(one.value, str) and one.value.lower() == "none":
        return
    for _, key in keys[one.framework].find(one.path):
        written = Written(one.value, one.value, str(one.value))
        value = canonical(key, written, keys[one.framework].framework.auto_words)
        if value is not None and key.field in _COMPARED & FIELDS.keys():
            yield key.field, value


PROBE = Probe(
    name="config-printed",
    title=Text("what the run printed of its configuration", "启动时打印的配置"),
    tells=(DIFFERS,),
    run=run,
    needs=(RunConfig,),
    gives=(PrintedStart,),
    files=("log",),
    without=(Skip(NEEDS_LOG, DIFFERS),),
    seconds=0.1,
    limit_seconds=20,
)
