"""The changes that save memory, in the order of what they cost the user, and the forms that each has for a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from medic.i18n import Text
from medic.memory import offered, recomputing, torchtitan
from medic.memory.batches import smaller_micro_batches
from medic.memory.upcast import upcasts
from medic.run_config import RunConfig, Scalar

SHORTER = "shorter-sequence"  # the last resort
MORE_GPUS = "more-gpus"  # told where they are enough

Ways = Iterator[dict[str, Scalar]]


def _attention(config: RunConfig) -> Ways:
    value = str(config.get("attention") or "").lower()
    if any(w in value for w in ("eager", "math", "naive")):
        yield {"attention": "sdpa"}


def _loss(config: RunConfig) -> Ways:
    if config.get("fused_loss") is not True and offered.has_fused_loss(config):
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
    some = recomputing.granularity(config) == "selective"
    some = some or bool(torchtitan.selective(config))
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


def _narrow_weights(config: RunConfig) -> Ways:
    held = config.get("parameter_dtype") in (None, "fp32")
    if held and offered.has_narrow_weights(config) and not upcasts(config):
        yield {"precision": "bf16", "parameter_dtype": "bf16"}


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
        "split-the-layers",
        Text(
            "tensor parallelism: each layer over several GPUs of a node",
            "张量并行：一层分到同节点的多张卡",
        ),
        Text(
            "communication in every layer; as many fewer sequences at once, which accumulation makes up for",
            "每层都要通信；同时处理的序列数相应减少，由梯度累积补足",
        ),
        offered.tensor,
    ),
    (
        "split-the-sequence",
        Text(
            "context parallelism: each sequence over several GPUs", "上下文并行：一条序列分到多张卡"
        ),
        Text(
            "more communication; as many fewer sequences at once, which accumulation makes up for",
            "通信量增加；同时处理的序列数相应减少，由梯度累积补足",
        ),
        offered.context,
    ),
    (
        "lean-optimizer",
        Text("8-bit optimizer states", "8-bit 优化器状态"),
        Text("other numerics; watch the loss", "数值略有变化，需观察 loss"),
        _lean_optimizer,
    ),
    (
        "bf16-weights",
        Text("weights, gradients and optimizer states in bf16", "权重、梯度与优化器状态都用 bf16"),
        Text(
            "other numerics: small updates round away; watch the loss, or use stochastic rounding",
            "数值有变化：小的更新会被舍入掉；需观察 loss，或使用随机舍入",
        ),
        _narrow_weights,
    ),
    (
        "offload-optimizer-states",
        Text("optimizer states in host memory", "优化器状态卸载到主机内存"),
        Text("a much slower optimizer step; needs host memory", "优化器步明显变慢，并占用主机内存"),
        _offload,
    ),
    (
        MORE_GPUS,
        Text("more GPUs, {n} in all, the model spread over them", "增加到 {n} 张卡，模型分布其上"),
        Text(
            "the GPUs; less accumulation keeps the global batch where it divides",
            "需要更多 GPU；能整除时减少梯度累积即可保持全局批大小",
        ),
        offered.more_gpus,
    ),
    (
        SHORTER,
        Text("shorter sequences", "缩短序列长度"),
        Text("the model sees less context; GB_tok changes", "上下文变短，GB_tok 随之改变"),
        _sequence,
    ),
)
