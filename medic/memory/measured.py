"""Which terms of the formulas have measured rows behind them (tests/memory), and which have not."""

from __future__ import annotations

from medic.i18n import Text
from medic.memory.setup import Setup

# Model types of transformers that were measured, or whose layers are those of one that was.
LIKE_LLAMA = frozenset({"llama", "mistral", "qwen2", "qwen3"})

_TENSOR = Text("tensor parallelism", "张量并行")
_PIPELINE = Text("pipeline parallelism", "流水线并行")
_CONTEXT = Text("context parallelism", "上下文并行")
_ENGINE = Text("DeepSpeed's buffers", "DeepSpeed 的缓冲区")
_MEGATRON = Text("Megatron's own layers and buffers", "Megatron 自有的层实现与缓冲区")
_OFFLOAD = Text("optimizer offload", "优化器状态卸载")
_QUANTISED = Text("dequantised copies of frozen weights", "冻结权重反量化的临时副本")
_EIGHT_BIT = Text("8-bit optimizer states", "8-bit 优化器状态")
_MUON = Text("Muon's orthogonalisation buffers", "Muon 正交化的临时缓冲区")
_FP8 = Text("fp8 copies and scales", "fp8 副本与缩放因子")
_FAMILY = Text("layers of {name}", "{name} 的层结构")
EXPERTS = Text("experts (MoE)", "专家层（MoE）")


def not_measured(setup: Setup, family: str) -> tuple[Text, ...]:
    """What of the set-up no measured row stands behind: then only a lower bound is claimed."""
    optimizer = setup.optimizer.name.lower()
    doubts = (
        (setup.experts > 1, EXPERTS),
        (setup.tensor > 1, _TENSOR),
        (setup.pipeline > 1, _PIPELINE),
        (setup.context > 1, _CONTEXT),
        (setup.engine == "deepspeed", _ENGINE),
        (setup.engine == "megatron", _MEGATRON),
        (setup.offloaded, _OFFLOAD),
        (setup.quantised, _QUANTISED),
        ("8bit" in optimizer or "8_bit" in optimizer, _EIGHT_BIT),
        ("muon" in optimizer, _MUON),
        (setup.fp8, _FP8),
        (bool(family) and family not in LIKE_LLAMA, _FAMILY.fill(name=family)),
    )
    return tuple(text for doubt, text in doubts if doubt)
