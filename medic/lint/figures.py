"""The numbers of a run that are worth knowing before its launch, with what each was made of."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from medic.i18n import Text
from medic.records import dataclass
from medic.run_config import RunConfig


@dataclass(frozen=True)
class Figure:
    """``value`` is None where ``needs`` (canonical fields, or a Text) is not known."""

    name: str
    title: Text
    unit: str
    value: float | None
    how: str = ""
    needs: tuple[str, ...] = ()


# How each figure follows: the field that states it, else the product or quotient of others.
_BATCH = ("micro_batch_size", "gradient_accumulation_steps", "data_parallel_size")


def figures(config: RunConfig) -> tuple[Figure, ...]:
    """Sequences and tokens of an optimizer step, steps, tokens, steps per epoch, warmup share."""
    return (
        _sequences(config),
        _tokens_per_step(config),
        _steps(config),
        _tokens(config),
        _per_epoch(config),
        _warmup(config),
        _checkpoints(config),
    )


def _product(config: RunConfig, names: Sequence[str]) -> tuple[float | None, str]:
    """The product and how it is made; None if a factor is unknown."""
    numbers = [config.number(n) for n in names]
    known = [n for n in numbers if n is not None]
    if len(known) < len(numbers):
        return None, ""
    value = 1.0
    for n in known:
        value *= n
    factors = " × ".join(f"{int(n):,} ({name})" for n, name in zip(known, names, strict=True))
    return value, factors


def _stated(config: RunConfig, field: str) -> str:
    origin = config.origin(field)
    if origin is None or origin.source == "derived":
        return ""
    return f"{field}, {origin.where()}"


def _sequences(config: RunConfig) -> Figure:
    title = Text("sequences per optimizer step", "每个优化器步的序列数")
    value, how = _product(config, _BATCH)
    told = config.number("global_batch_size")
    if told is not None and (value is None or _stated(config, "global_batch_size")):
        stated = _stated(config, "global_batch_size")
        value, how = told, stated or "global_batch_tokens / sequence_length"
    needs = config.missing(*_BATCH) if value is None else ()
    return Figure("sequences_per_step", title, "sequences", value, how, needs)


def _tokens_per_step(config: RunConfig) -> Figure:
    title = Text("tokens per optimizer step (GB_tok)", "每个优化器步的 token 数（GB_tok）")
    stated = _stated(config, "global_batch_tokens")
    told = config.number("global_batch_tokens")
    if told is not None and stated:
        return Figure("tokens_per_step", title, "tokens", told, stated)
    batch = _sequences(config)
    sequence = config.number("sequence_length")
    needs = (*batch.needs, *config.missing("sequence_length"))
    if batch.value is None or sequence is None:
        return Figure("tokens_per_step", title, "tokens", told, "", () if told else needs)
    parts, made = _product(config, _BATCH)
    split = parts == batch.value
    how = f"{made if split else f'{int(batch.value):,}'} × {int(sequence):,} (sequence_length)"
    return Figure("tokens_per_step", title, "tokens", batch.value * sequence, how)


def _steps(config: RunConfig) -> Figure:
    title = Text("optimizer steps of the run", "总优化器步数")
    value = config.number("total_steps")
    if value is not None:
        how = _stated(config, "total_steps") or _quotient(config)
        return Figure("total_steps", title, "steps", value, how)
    per_epoch, epochs = _per_epoch(config), config.number("epochs")
    if per_epoch.value is not None and epochs:
        how = f"⌈{epochs:g} (epochs) × {per_epoch.value:,.4g} (steps per epoch)⌉"
        return Figure("total_steps", title, "steps", ceil(epochs * per_epoch.value), how)
    step = _tokens_per_step(config)
    needs = (*config.missing("total_tokens"), *step.needs)
    return Figure("total_steps", title, "steps", None, "", needs or ("total_steps",))


def _quotient(config: RunConfig) -> str:
    tokens, step = config.number("total_tokens"), config.number("global_batch_tokens")
    if tokens is None or step is None:
        return ""
    return f"⌊{int(tokens):,} (total_tokens) / {int(step):,} (GB_tok)⌋"


def _tokens(config: RunConfig) -> Figure:
    title = Text("tokens of the run", "训练的总 token 数")
    steps, step = _steps(config), _tokens_per_step(config)
    if steps.value is not None and step.value is not None:
        how = f"{int(steps.value):,} (total_steps) × {int(step.value):,} (GB_tok)"
        return Figure("total_tokens", title, "tokens", steps.value * step.value, how)
    told = config.number("total_tokens")
    if told is not None:
        return Figure("total_tokens", title, "tokens", told, _stated(config, "total_tokens"))
    needs = tuple(dict.fromkeys((*steps.needs, *step.needs)))
    return Figure("total_tokens", title, "tokens", None, "", needs)


def _per_epoch(config: RunConfig) -> Figure:
    title = Text("optimizer steps per epoch", "每个 epoch 的优化器步数")
    steps, epochs = config.number("total_steps"), config.number("epochs")
    if steps is not None and epochs and config.stated("epochs"):
        how = f"{int(steps):,} (total_steps) / {epochs:g} (epochs)"
        return Figure("steps_per_epoch", title, "steps", steps / epochs, how)
    batch, data = _sequences(config), config.number("dataset_sequences")
    if data is not None and batch.value:
        how = f"{int(data):,} (dataset_sequences) / {int(batch.value):,} (sequences per step)"
        return Figure("steps_per_epoch", title, "steps", data / batch.value, how)
    needs = [*config.missing("dataset_sequences"), *batch.needs]
    return Figure("steps_per_epoch", title, "steps", None, "", tuple(needs))


def _warmup(config: RunConfig) -> Figure:
    title = Text("share of the run that warms up", "预热占全程的比例")
    warmup, steps = config.number("warmup_steps"), config.number("total_steps")
    if warmup is not None and steps:
        how = f"{int(warmup):,} (warmup_steps) / {int(steps):,} (total_steps)"
        return Figure("warmup_share", title, "", warmup / steps, how)
    ratio = config.number("warmup_ratio")
    if ratio is not None:
        return Figure("warmup_share", title, "", ratio, _stated(config, "warmup_ratio"))
    needs = config.missing("warmup_steps", "total_steps")
    return Figure("warmup_share", title, "", None, "", needs)


def _checkpoints(config: RunConfig) -> Figure:
    title = Text("checkpoints that the run writes", "全程写出的检查点数")
    every, steps = config.number("save_interval"), config.number("total_steps")
    if every and every > 0 and steps is not None:
        how = f"⌊{int(steps):,} (total_steps) / {int(every):,} (save_interval)⌋"
        return Figure("checkpoints", title, "", steps // every, how)
    return Figure(
        "checkpoints", title, "", None, "", config.missing("save_interval", "total_steps")
    )
