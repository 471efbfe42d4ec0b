"""Micro batch, accumulation and global batch: repairs that keep the tokens per step.

``n`` is the number of sequences of one rank in one optimizer step, GB_tok / (seq * dp). Micro batch
and accumulation are always two factors of n, so the global batch is kept exactly.
"""

from __future__ import annotations

import math

from medic.changes.known import Computed, ImpossibleError, Known, MissingError
from medic.facts import GpuMemory, MemoryEstimate
from medic.facts.memory import fitting, gib
from medic.i18n import Text
from medic.records import replace
from medic.run_config import Origin, Value

MICRO = "micro_batch_size"
STEPS = "gradient_accumulation_steps"
GLOBAL = "global_batch_size"
TOKENS = "global_batch_tokens"
REPLICAS = "data_parallel_size"
SEQUENCE = "sequence_length"


def largest_divisor(n: int, limit: int) -> int:
    """The largest divisor of ``n`` that is at most ``limit``; 1 if there is none."""
    return next((d for d in range(min(n, limit), 0, -1) if n % d == 0), 1)


def tokens_per_step(known: Known) -> int:
    """GB_tok: the product of the batch where it is known, else as stated. Raises MissingError."""
    if known.has(MICRO, STEPS, REPLICAS, SEQUENCE):
        return math.prod(known.wholes(MICRO, STEPS, REPLICAS, SEQUENCE))
    if known.has(GLOBAL, SEQUENCE):
        return math.prod(known.wholes(GLOBAL, SEQUENCE))
    return known.whole(TOKENS)


def sequences_per_rank(known: Known) -> int:
    """``n``. What the user wrote down as the global batch rules over the product of the parts.

    Raises MissingError, and ImpossibleError where the global batch cannot be split evenly.
    """
    before = Known(known.config)
    if before.states(TOKENS) and before.has(SEQUENCE, REPLICAS):
        return _split(before, *before.wholes(TOKENS, SEQUENCE, REPLICAS))
    if before.states(GLOBAL) and before.has(REPLICAS):
        return _split(before, before.whole(GLOBAL), 1, before.whole(REPLICAS))
    if before.has(MICRO, STEPS):
        return math.prod(before.wholes(MICRO, STEPS))
    if before.has(TOKENS, SEQUENCE, REPLICAS):
        return _split(before, *before.wholes(TOKENS, SEQUENCE, REPLICAS))
    if before.has(GLOBAL, REPLICAS):
        return _split(before, before.whole(GLOBAL), 1, before.whole(REPLICAS))
    missing = [name for name in (MICRO, STEPS) if not before.has(name)]
    raise MissingError(*missing)


def _split(known: Known, whole: int, sequence: int, replicas: int) -> int:
    if whole % (sequence * replicas) == 0:
        return whole // (sequence * replicas)
    raise ImpossibleError(_nearest(known, whole / (sequence * replicas), _unit(known)))


def _unit(known: Known) -> int:
    """What the sequences of a rank are a multiple of: the micro batch, where the last one of a step
    may not be smaller (OLMo train.py split_batch)."""
    ragged = "olmo" in known.config.frameworks or not known.has(MICRO)
    return 1 if ragged else max(1, known.whole(MICRO))


def _nearest(known: Known, n: float, unit: int) -> Text:
    """The two nearest batches that can be had, with the learning rate that suits each."""
    lower = math.floor(n / unit) * unit
    options = [c for c in (lower, lower + unit) if c > 0]
    each = known.whole(REPLICAS) if known.has(REPLICAS) else 1
    en, zh = [], []
    for option in options:
        size = f"{option * each:,}"
        scale = learning_rate_factor(known, option / n)
        factor = f"{scale:.{3 if scale < 1 else 4}g}"  # 1.004 is not 1
        if known.has(SEQUENCE):
            tokens = f"{option * each * known.whole(SEQUENCE):,}"
            en.append(f"{size} sequences (GB_tok {tokens}, learning rate x{factor})")
            zh.append(f"{size} 条序列（GB_tok {tokens}，学习率 x{factor}）")
        else:
            en.append(f"{size} sequences (learning rate x{factor})")
            zh.append(f"{size} 条序列（学习率 x{factor}）")
    return Text(
        f"the global batch cannot be split evenly; the nearest that can: {'; '.join(en)}",
        f"全局 batch 无法均分；最接近且可均分的是：{'；'.join(zh)}",
    )


def learning_rate_factor(known: Known, ratio: float) -> float:
    """Of a batch ``ratio`` times as large: its square root for Adam, linear for SGD."""
    optimizer = str(known.config.get("optimizer") or "").lower()
    return ratio if "sgd" in optimizer else math.sqrt(ratio)


# --- computations ---------------------------------------------------------------------------


def halve_to_divisor(known: Known, field: str) -> Computed:
    """The largest divisor of n below the micro batch whose estimate is ``fitting``, as in ``medic
    memory``; the smallest where none is; at most half where the micro batch itself would be.

    Without a GPU or an estimate, the largest of at most half. Raises ImpossibleError for a micro
    batch of 1, and if even 1 is sure not to fit.
    """
    micro = known.whole(field)
    if micro == 1:
        raise ImpossibleError(_smaller("the micro batch is 1 already", "微批次已经是 1"))
    n = sequences_per_rank(known)
    half = largest_divisor(n, micro // 2)
    memory = known.fact(GpuMemory)
    if memory is None:
        return Computed(half, _divides(n))
    room = memory.usable
    least = _estimate(known, field, 1, room)
    if least.fits is False:
        raise ImpossibleError(
            _smaller("even a micro batch of 1 does not fit", "微批次为 1 也放不下")
        )
    if least.estimate is None or least.not_measured:
        return Computed(half, _divides(n))
    now = _estimate(known, field, micro, room).estimate
    too_large = now is not None and now > fitting(room)
    value, need = _largest_fitting(known, field, micro - 1 if too_large else half, room)
    if need is None:
        return Computed(half, _divides(n))
    if value == 1 and need > fitting(room):
        size, all_of = gib(need), gib(room)
        why = Text(
            f"the smallest; even it needs about {size} of {all_of} by the estimate: see what else "
            "makes the step smaller",
            f"已是最小值；按估算仍约需 {size}（可用 {all_of}），还需配合其他省显存的手段",
        )
        return Computed(1, why)
    size = gib(need, 0)
    return Computed(
        value, Text(f"a divisor of {n} that needs about {size}", f"能整除 {n}，约需 {size}")
    )


def _largest_fitting(known: Known, field: str, limit: int, room: int) -> tuple[int, int | None]:
    """The largest divisor of n up to ``limit`` whose estimate fits ``room`` bytes, else 1; and its
    estimate, None where a divisor has none."""
    n = sequences_per_rank(known)
    value = largest_divisor(n, limit)
    while True:
        need = _estimate(known, field, value, room).estimate
        if need is None or need <= fitting(room) or value == 1:
            return value, need
        value = largest_divisor(n, value - 1)


def _divides(n: int) -> Text:
    return Text(f"a divisor of {n} of at most half", f"不超过一半且能整除 {n}")


def _smaller(en: str, zh: str) -> Text:
    """What else makes a step smaller."""
    return Text(
        f"{en}: recompute activations, shorten the sequences or shard the states",
        f"{zh}：改用激活重计算、缩短序列或切分模型状态",
    )


def _estimate(known: Known, field: str, micro: int, capacity: int) -> MemoryEstimate:
    """The peak of a step with this micro batch, and with as much accumulation as that leaves."""
    from medic.memory.estimate import estimate
    from medic.memory.usual import with_usual

    steps = max(1, sequences_per_rank(known) // micro)
    new = {field: Value(micro, Origin("derived")), STEPS: Value(steps, Origin("derived"))}
    config = replace(known.config, values={**known.config.values, **new})
    return estimate(with_usual(config)[0], capacity)


def split_global_batch(known: Known, field: str) -> Computed:
    """The largest divisor of n that is at most the micro batch.

    A micro batch of n or more was meant for all ranks: then a stated accumulation is kept.
    """
    n, micro = sequences_per_rank(known), known.whole(field)
    value = largest_divisor(n, micro)
    if micro >= n and known.states(STEPS) and n % known.whole(STEPS) == 0:
        value = n // known.whole(STEPS)
    why = Text(f"a divisor of the {n} sequences of a rank", f"每个 rank {n} 条序列的约数")
    return Computed(value, why)


def keep_global_batch(known: Known, field: str) -> Computed:
    """What the other factor leaves of n; of the global batch itself, its stated size."""
    if field == GLOBAL:
        replicas = known.whole(REPLICAS)
        return Computed(
            sequences_per_rank(known) * replicas,
            Text("the sequences of a rank x replicas", "每 rank 序列数 x 副本数"),
        )
    other = MICRO if field == STEPS else STEPS
    n, factor = sequences_per_rank(known), known.whole(other)
    if n % factor:
        raise ImpossibleError(_nearest(known, n, factor))
    return Computed(n // factor, Text(f"{n} sequences / {factor}", f"{n} 条序列 / {factor}"))


def global_batch_product(known: Known, field: str) -> Computed:
    """Micro batch x accumulation x replicas, x sequence length for tokens."""
    names = [MICRO, STEPS, REPLICAS]
    if field == TOKENS:
        names.append(SEQUENCE)
    parts = known.wholes(*names)
    shown = " x ".join(f"{part:,}" for part in parts)
    return Computed(math.prod(parts), Text(shown, shown))
