"""Which terms of the formulas have measured rows behind them (tests/memory), and which have not."""

from __future__ import annotations

from medic.i18n import Text
from medic.memory.setup import Setup
from medic.memory.states import counted

# Model types of transformers that were measured, or whose layers are those of one that was.
LIKE_LLAMA = frozenset(
    ("llama", "mistral", "qwen2", "qwen3", "phi3", "gemma", "mixtral", "qwen3_moe", "qwen2_moe",
     "olmoe")
)  # fmt: skip

_TENSOR = Text(
    "tensor parallelism outside transformers' models and Megatron Core's local layers, or compiled",
    "transformers 模型与 Megatron Core 本地层（local）之外的、或经编译的张量并行",
)
_PIPELINE = Text("pipeline schedules other than 1F1B", "1F1B 以外的流水线调度")
_CONTEXT = Text("context parallelism", "上下文并行")
_SPREAD = Text("expert parallelism", "专家并行")
_ENGINE = Text(
    "Transformer Engine's layers, Megatron's default (its own, transformer_impl local, were measured)",
    "Megatron 默认的 Transformer Engine 层实现（实测过的是其本地层，transformer_impl 为 local）",
)
_OFFLOAD = Text("offload other than ZeRO's and FSDP's", "ZeRO 与 FSDP 以外的卸载")
_EIGHT_BIT = Text("8-bit states other than Adam's", "Adam 之外的 8-bit 优化器状态")
_MORE = Text("reference model, critic, rollout engine", "参考模型、critic、rollout 引擎")
_FP8 = Text(
    "fp8 other than torchao's in transformers' models",
    "transformers 模型上的 torchao 之外的 fp8",
)
_SOME = Text("recomputation of some operators only", "只重计算部分算子")
_MODULES = Text(
    "which modules are recomputed (recompute_modules)", "具体重计算哪些模块（recompute_modules）"
)
_SAVED = Text("embeddings trained beside adapters", "与适配器一同训练的嵌入与输出层")
_SPREAD_EXPERTS = Text("experts over several GPUs", "多卡上的专家层")
# transformers 5 stacks experts in tensors that bitsandbytes leaves as they are and that peft's "all
# linear maps" do not name; before, each expert was a few linear maps of its own.
_EXPERT_ADAPTERS = Text("adapters beside experts (MoE)", "MoE 模型上的适配器")
_QUANTISED_EXPERTS = Text("quantised experts (MoE)", "量化的专家层（MoE）")
_ADAPTERS = Text(
    "adapters under DeepSpeed, tensor or pipeline parallelism",
    "DeepSpeed、张量并行或流水线并行下的适配器",
)
_IN_PART = Text(
    "gradients and optimizer states of a part of the weights (frozen layers, BAdam, GaLore, a step "
    "within the backward pass)",
    "只含部分权重的梯度与优化器状态（冻结部分层、BAdam、GaLore、在反向中更新）",
)
_OTHER = Text("the states of the optimizer {name}", "优化器 {name} 的状态")
_UNSLOTH = Text("Unsloth's kernels", "Unsloth 的算子")
_QUANTISED = Text("quantised weights that are sharded", "被切分的量化权重")
_OFFLOAD_ALL = Text("offload under ZeRO-3", "ZeRO-3 下的卸载")
_SPREAD_FP8 = Text("fp8 over several GPUs", "多卡 fp8")
_SEVERAL = Text(
    "tensor or pipeline parallelism beside other kinds", "张量并行或流水线并行与其他并行方式混用"
)
_FAMILY = Text("layers of {name}", "{name} 的层结构")
EXPERTS = Text("experts (MoE)", "专家层（MoE）")


def not_measured(setup: Setup, family: str, framework: str = "") -> tuple[Text, ...]:
    """What of the set-up no measured row stands behind: then only a lower bound is claimed.

    A trainer's own dense layers of a measured family are no such term: they widen the range
    (``Setup.known``).
    """
    optimizer = setup.optimizer.name.lower()
    eight = "8bit" in optimizer or "8_bit" in optimizer
    megatron = setup.engine == "megatron"
    local = megatron and setup.local_layers  # Megatron Core without Transformer Engine
    alone = setup.engine == "single" or megatron
    split = setup.tensor > 1 or setup.pipeline > 1
    both = setup.tensor > 1 and setup.pipeline > 1
    deepspeed = setup.engine == "deepspeed"
    like_llama = family in LIKE_LLAMA and not setup.own_modules
    layers = _ENGINE if _takes_engine(framework) else _FAMILY.fill(name=framework)
    whole = setup.engine in ("single", "ddp")  # every rank holds all weights
    doubts = (
        (setup.mixture and not local and (megatron or not like_llama), EXPERTS),
        (setup.expert > 1 and not local, _SPREAD),
        (setup.tensor > 1 and not (megatron or setup.known), _TENSOR),
        (setup.pipeline > 1 and (setup.chunks > 1 or setup.all_forward_first), _PIPELINE),
        (setup.context > 1 and setup.engine != "fsdp", _CONTEXT),
        (megatron and not local, layers),
        (setup.offloaded and setup.engine not in ("deepspeed", "fsdp"), _OFFLOAD),
        (eight and "adam" not in optimizer, _EIGHT_BIT),
        (setup.mixture and not alone, _SPREAD_EXPERTS),
        (bool(setup.lora) and (deepspeed or split), _ADAPTERS),
        (setup.mixture and bool(setup.lora) and setup.every_map, _EXPERT_ADAPTERS),
        (setup.mixture and setup.quantised, _QUANTISED_EXPERTS),
        (setup.quantised and not whole, _QUANTISED),
        (deepspeed and setup.zero == 3 and setup.offloaded, _OFFLOAD_ALL),
        (split and not megatron and (both or setup.engine != "group"), _SEVERAL),
        (setup.fp8 and not setup.known, _FP8),
        (setup.fp8 and not alone, _SPREAD_FP8),
        (not megatron and (setup.attention_recomputed or setup.recomputes_some), _SOME),
        (setup.modules_recomputed, _MODULES),
        (setup.more_models and not (setup.preferring and setup.engine == "single"), _MORE),
        (setup.in_part, _IN_PART),
        (not counted(optimizer), _OTHER.fill(name=setup.optimizer.name)),
        (setup.unsloth, _UNSLOTH),
        (setup.saved_ends > 0, _SAVED),
        (bool(family) and family not in LIKE_LLAMA, _FAMILY.fill(name=family)),
    )
    return tuple(text for doubt, text in doubts if doubt)


def _takes_engine(framework: str) -> bool:
    """Whether it is Megatron Core, which Transformer Engine's layers are the default of."""
    return not framework or any(word in framework for word in ("megatron", "nemo", "slime"))
