"""What makes a run fit, in the order of what it costs the user, with the peak after each change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Literal

from medic.facts.memory import fitting
from medic.i18n import Text
from medic.memory import details, offered
from medic.memory.batches import smaller_micro_batches
from medic.memory.estimate import estimate_of, tensors, tensors_of
from medic.memory.inverse import changed
from medic.memory.views import read_setups
from medic.records import dataclass, replace
from medic.run_config import Change, RunConfig, Scalar

# A remedy that takes less than this share off the peak is not told.
WORTH = 0.01
# The allocator holds less than this multiple of the tensors in all measured and traced steps (at
# most 1.44): what is smaller by it fits without a trace.
HELD = 1.5
SHORTER = "shorter-sequence"  # the last resort
Bound = Literal["exact", "at-least", "at-most", "formula"]


@dataclass(frozen=True)
class Remedy:
    """A change and the ``peak`` in bytes after it, the CUDA context counted; ``reserved`` is what
    torch reserves of it. Of those that their tensors alone tell (not) to fit, beside one that is
    enough and costs less, it is a ``bound``, and without measured rows what the formulas count;
    ``least`` are the tensors."""

    name: str
    text: Text
    cost: Text
    changes: tuple[Change, ...]
    peak: int
    least: int
    reserved: int | None = None
    bound: Bound = "exact"


@dataclass(frozen=True)
class Advice:
    """``alone``: each remedy by itself, cheapest first; ``plan``: the first of them that fits, else
    those that together do, each with the peak after it and those before. ``fits``: whether the last does."""

    alone: tuple[Remedy, ...] = ()
    plan: tuple[Remedy, ...] = ()
    fits: bool = False


Ways = Iterator[dict[str, Scalar]]


def _attention(config: RunConfig) -> Ways:
    value = str(config.get("attention") or "").lower()
    if any(w in value for w in ("eager", "math", "naive")):
        yield {"attention": "sdpa"}


def _loss(config: RunConfig) -> Ways:
    needs_plugin = config.framework == "axolotl" and not details.loss_plugin(config)
    if config.get("fused_loss") is not True and not needs_plugin and offered.has_fused_loss(config):
        yield {"fused_loss": True}


def _optimizer(config: RunConfig) -> Ways:
    name = str(config.get("optimizer") or "").lower()
    if name in ("adamw", "adamw_torch", "adamw_hf"):
        yield {"optimizer": "adamw_torch_fused"}
    if name == "torch.optim.adamw":  # of a loop of one's own
        yield {"optimizer": "torch.optim.adamw_fused"}


def _half(config: RunConfig) -> Ways:
    if all(config.get(name) in (None, "fp32") for name in ("precision", "parameter_dtype")):
        yield {"precision": "bf16"}


def _recompute(config: RunConfig) -> Ways:
    some = details.word(config, "recompute") == "selective" and not details.by_hand(config)
    if offered.has_recompute(config) and (
        some or config.get("activation_checkpointing") is not True
    ):
        yield {"activation_checkpointing": True}


def _shard(config: RunConfig) -> Ways:
    ranks = config.integer("data_parallel_size") or config.integer("world_size") or 1
    if ranks > 1 and config.get("fsdp") is not True:
        yield from offered.sharding(config)


def _offload(config: RunConfig) -> Ways:
    stage = config.integer("zero_stage") or 0
    if stage and offered.has_offload(config) and config.get("optimizer_offload") in (None, "none"):
        yield {"optimizer_offload": "cpu"}


def _lean_optimizer(config: RunConfig) -> Ways:
    name = str(config.get("optimizer") or "adamw").lower()
    lean = "8bit" in name or config.integer("lora_rank")
    if "adam" in name and not lean and offered.has_8_bit(config):
        yield {"optimizer": "adamw_8bit"}


def _sequence(config: RunConfig) -> Ways:
    length = config.integer("sequence_length") or 0
    while length >= 1024:
        length //= 2
        yield {"sequence_length": length}


Option = tuple[str, Text, Text, Callable[[RunConfig], Ways]]
OPTIONS: tuple[Option, ...] = (
    (
        "use-fused-attention",
        Text("fused attention (sdpa or flash)", "融合注意力（sdpa 或 flash）"),
        Text("none; it is faster", "无，速度更快"),
        _attention,
    ),
    (
        "fuse-loss",
        Text("loss in chunks, without the full logits", "分块计算 loss，不物化完整 logits"),
        Text("none; needs Liger or the like", "无，需要 Liger 等融合算子"),
        _loss,
    ),
    (
        "fuse-optimizer",
        Text("fused AdamW, without temporaries", "融合版 AdamW，不产生临时副本"),
        Text("none; the same arithmetic", "无，算法相同"),
        _optimizer,
    ),
    (
        "halve-micro-batch-keep-global-batch",
        Text("smaller micro batch, more accumulation", "减小微批次、增加梯度累积"),
        Text("a few percent of speed; GB_tok is kept", "速度略降，GB_tok 不变"),
        smaller_micro_batches,
    ),
    (
        "use-bf16",
        Text("bf16 autocast instead of fp32", "用 bf16 autocast 代替 fp32"),
        Text(
            "other numerics: matrix products in 8 bits of precision, weights stay fp32; faster, "
            "needs Ampere or later",
            "数值有变化：矩阵乘只有 8 位有效精度，权重仍为 fp32；速度更快，需 Ampere 及以上",
        ),
        _half,
    ),
    (
        "recompute-activations",
        Text("recompute activations, whole layers", "激活重计算（整层）"),
        Text("about a third more compute", "计算量增加约三分之一"),
        _recompute,
    ),
    (
        "shard-model-states",
        Text("shard states over the ranks", "在各 rank 间切分模型状态"),
        Text("more communication", "通信量增加"),
        _shard,
    ),
    (
        "lean-optimizer",
        Text("8-bit optimizer states", "8-bit 优化器状态"),
        Text("other numerics; watch the loss", "数值略有变化，需观察 loss"),
        _lean_optimizer,
    ),
    (
        "offload-optimizer-states",
        Text("optimizer states in host memory", "优化器状态卸载到主机内存"),
        Text("a much slower optimizer step; needs host memory", "优化器步明显变慢，并占用主机内存"),
        _offload,
    ),
    (
        SHORTER,
        Text("shorter sequences", "缩短序列长度"),
        Text("the model sees less context; GB_tok changes", "上下文变短，GB_tok 随之改变"),
        _sequence,
    ),
)


def advise(config: RunConfig, capacity: int) -> Advice:
    """The changes that bring the peak down to what fits ``capacity`` bytes, one by one and together."""
    read = read_setups(config)
    now, least = estimate_of(read, capacity), tensors_of(read)
    if least is None or now.estimate is None or now.estimate <= fitting(capacity):
        return Advice()
    alone = tuple(_tried(config, now.estimate, least, capacity))
    enough = next((one for one in alone if one.peak <= fitting(capacity)), None)
    plan = (enough,) if enough else _plan(config, least, capacity)
    if enough and enough.name == SHORTER:
        plan = _rather(config, least, enough, capacity) or plan
    return Advice(alone, plan, bool(plan) and plan[-1].peak <= fitting(capacity))


def _rather(config: RunConfig, least: int, alone: Remedy, capacity: int) -> tuple[Remedy, ...]:
    """Remedies that together do what a shorter sequence ``alone`` would, which changes what the
    model learns: with a longer one, or without; or none."""
    together = _plan(config, least, capacity)
    if not together or together[-1].peak > fitting(capacity):
        return ()
    longer = all(_length(r) > _length(alone) for r in together if r.name == SHORTER)
    return together if longer else ()


def _length(shorter: Remedy) -> int:
    return max(int(change.new or 0) for change in shorter.changes)


def _tried(config: RunConfig, now: int, least: int, capacity: int) -> Iterator[Remedy]:
    """Those that take off the tensors and off the peak of ``now``: where less tensors leave more
    pieces, what torch reserves may not fall."""
    enough = False
    for option in OPTIONS:
        found = _best(config, option, capacity, roughly=enough)
        lower = found is not None and found.peak < now
        if found is not None and lower and found.least < least * (1 - WORTH):
            enough = enough or found.peak <= fitting(capacity)
            yield found


def _plan(config: RunConfig, least: int, capacity: int) -> tuple[Remedy, ...]:
    """Cheapest first until it fits; then those that it would fit without are left out."""
    taken: list[Remedy] = []
    state = config
    for option in OPTIONS:
        found = _best(state, option, capacity)
        if found is None or found.least >= least * (1 - WORTH):
            continue
        taken.append(found)
        least, state = found.least, _with(state, found)
        if found.peak <= fitting(capacity):
            return _fewest(config, taken, capacity)
    return tuple(taken)


def _fewest(config: RunConfig, taken: list[Remedy], capacity: int) -> tuple[Remedy, ...]:
    """Without those that it fits without, the dearest left out first."""
    kept = list(taken)
    for one in reversed(taken):
        rest = [r for r in kept if r is not one]
        state = reduce(_with, rest, config)
        large = (tensors(state) or 0) > fitting(capacity)
        after = None if large else _after(state, one, capacity)
        if after is not None and after.peak <= fitting(capacity):
            kept = rest
    return tuple(kept if kept == taken else _again(config, kept, capacity))


def _again(config: RunConfig, kept: list[Remedy], capacity: int) -> Iterator[Remedy]:
    state = config
    for one in kept:
        state = _with(state, one)
        yield _after(state, one, capacity) or one


def _with(config: RunConfig, remedy: Remedy) -> RunConfig:
    return changed(config, {change.field: change.new for change in remedy.changes})


def _best(
    config: RunConfig, option: Option, capacity: int, *, roughly: bool = False
) -> Remedy | None:
    """The mildest form of the option that fits, else its strongest form."""
    name, text, cost, ways = option
    found: Remedy | None = None
    tried = list(ways(config))
    for values in tried:
        state = changed(config, values)
        if values is not tried[-1] and (tensors(state) or 0) > fitting(capacity):
            continue  # and its trace is of no use, as a stronger form follows
        changes = tuple(Change(f, config.get(f), new, text) for f, new in values.items())
        one = Remedy(name, text, cost, changes, 0, 0)
        found = _after(state, one, capacity, roughly=roughly)
        if found is None or found.peak <= fitting(capacity):
            return found
    return found


def _after(state: RunConfig, one: Remedy, capacity: int, *, roughly: bool = False) -> Remedy | None:
    """The remedy with the peak of ``state``, which it led to: traced only where the tensors do not
    tell that it is too large or, ``roughly``, that it fits."""
    read = read_setups(state)
    least = tensors_of(read)
    if least is None:
        return None
    if least > capacity and not read.not_measured:
        return replace(one, peak=least, least=least, bound="at-least")
    if roughly and not read.not_measured and least * HELD <= fitting(capacity):
        return replace(one, peak=int(least * HELD), least=least, bound="at-most")
    after = estimate_of(read, capacity)
    if after.estimate is None:
        return None
    if read.not_measured:
        return replace(one, peak=after.estimate, least=least, bound="formula")
    return replace(one, peak=after.estimate, least=least, reserved=after.reserved, bound="exact")
