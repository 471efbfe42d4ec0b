"""Settings that no launch can have: told before anything is computed from them."""

from __future__ import annotations

from collections.abc import Iterator

from medic.errors import UsageError
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.memory.impossible import impossible
from medic.run_config import Origin, RunConfig
from medic.runner.registry import fired

# Lint checks of what a step's memory is computed from.
CHECKS = (
    "impossible-value",
    "parallel-sizes-exceed-world",
    "hidden-size-not-divisible-by-heads",
    "heads-not-divisible-by-kv-heads",
    "model-not-divisible-by-parallel-size",
)
# Those of the batch: a step's memory follows from the micro batch, so where it is stated they are told
# beside the estimate.
BATCH = (
    "batch-not-divisible",
    "global-batch-not-multiple-of-micro",
    "global-batch-not-divisible-by-replicas",
)


def odd_batch(config: RunConfig, index: Index) -> Text | None:
    """That the stated batches do not divide, where the micro batch tells the step all the same."""
    micro = config.integer("micro_batch_size") or 0
    if micro < 1 or not config.stated("micro_batch_size"):
        return None
    for name, fires in fired(BATCH, config):
        lint = index.causes[name].lint
        if lint is not None:
            place, what = _place(config.origin(fires.at)), lint.message.fill(fires.values)
            return Text(
                "note: {place}{what} (trainers stop at it or round down); counted with micro batch {n} on "
                "each GPU",
                "注意：{place}{what}（训练框架会报错或向下取整）；此处按每卡微批次 {n} 计算",
            ).fill(place=place, what=what, n=micro)
    return None


def refuse(config: RunConfig, index: Index) -> None:
    """Raises UsageError with a line for each contradiction: what it is and what to do."""
    told = dict.fromkeys(_contradictions(config, index))
    if told:
        en, zh = ("\n".join(lines) for lines in zip(*told, strict=True))
        raise UsageError(en, zh)


_TWO_SHARDERS = (
    "fsdp and zero_stage {stage} are both set: one of them shards the states, leave the other out",
    "fsdp 与 zero_stage {stage} 同时设置：二者只能有一个切分模型状态，请去掉另一个",
)


def _contradictions(config: RunConfig, index: Index) -> Iterator[tuple[str, str]]:
    stage = config.integer("zero_stage") or 0
    # Megatron's own FSDP stands on its distributed optimizer, which counts as stage 1.
    if stage and config.get("fsdp") is True and "megatron" not in config.framework:
        en, zh = (words.format(stage=stage) for words in _TWO_SHARDERS)
        yield en, zh
    for origin, en, zh in impossible(config):
        yield f"{_place(origin)}{en}", f"{_place(origin)}{zh}"
    seen: set[str] = set()
    checks = CHECKS if odd_batch(config, index) else (*CHECKS, *BATCH)
    for name, fires in fired(checks, config):
        cause = index.causes[name]
        remedy = cause.remedies[0]
        if cause.lint is None or remedy in seen:
            continue
        if name != CHECKS[0]:  # one line tells of a batch, others may tell the same again
            seen.add(remedy)
        from medic.fixes import propose  # only a contradiction needs it

        fix = propose(index.remedies[remedy], {RunConfig: config}, index, fires.changes)
        what, do = cause.lint.message.fill(fires.values), fix.text
        place = _place(config.origin(fires.at))
        if name == CHECKS[0] or "{" in do.en:  # a remedy that no number follows from says nothing
            yield f"{place}{what.en}", f"{place}{what.zh}"
        else:
            yield f"{place}{what.en}. {do.en}", f"{place}{what.zh}。{do.zh}"


def _place(origin: Origin | None) -> str:
    return f"{origin.span.file}:{origin.span.line}: " if origin and origin.span else ""
