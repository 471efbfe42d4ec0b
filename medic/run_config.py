"""The canonical training configuration, where each value came from, and changes to it.

``FIELDS`` is the closed list of canonical fields. A framework key maps to one of them with a scope
(per device or global) and a unit; ``Origin`` keeps the way back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal

from medic.i18n import Text
from medic.records import dataclass, field
from medic.text.keypaths import steps_of

Scalar = int | float | bool | str | None
Syntax = Literal["yaml", "json", "toml", "shell", "python", "text"]
# The only step of a Setting's path that stands for flags which only the running shell knows.
MORE = "*"
# Of names that most scripts share, and all that name no program: a script decides what a key means.
PLAIN = "plain"
NOBODYS = (PLAIN, "grouped", "hydra", "slurm", "loop-scripts")
OVERRIDDEN = "overridden"  # the note of a carrier that another one is meant to win over


@dataclass(frozen=True)
class Span:
    """A byte range of a file; ``line`` and ``column`` are 1-based and count characters."""

    file: str
    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Origin:
    """Where a value was read.

    ``source``: file | printed (by the run) | default (of a framework) | derived | given (--set).
    ``path`` is the key path in its file, ``key`` the framework's own key, ``factor`` what the
    written number was multiplied by to get the canonical one (per-device or unit conversions).
    ``span`` is the place of the value, ``key_span`` that of the key or flag, where it is known.
    """

    source: Literal["file", "printed", "default", "derived", "given"]
    span: Span | None = None
    syntax: Syntax = "text"
    path: tuple[str, ...] = ()
    key: str = ""
    framework: str = ""
    factor: float = 1.0
    note: str = ""
    key_span: Span | None = None

    def where(self) -> str:
        if self.span is not None:
            file = self.span.file.replace("\n", "\u23ce")
            return f"{file}:{self.span.line}"
        return self.note or self.source


@dataclass(frozen=True)
class Value:
    """A canonical value with its carriers: every place that states it, the ruling one first."""

    value: Scalar
    origin: Origin
    also: tuple[tuple[Scalar, Origin], ...] = ()

    def carriers(self) -> tuple[Origin, ...]:
        return (self.origin, *(origin for _, origin in self.also))


@dataclass(frozen=True)
class Setting:
    """A key of a file or a flag of a command as it is written, whatever it means.

    ``path`` is its key path as it is compared (lower case, ``_`` for ``-``); the value is None where
    it is null, or is known only to the running shell; ``written``: a flag's 1e5 as it stands."""

    path: tuple[str, ...]
    value: Scalar
    origin: Origin
    written: str = ""


# name -> (type, unit, meaning); before ";" or "，" stands what it is called.
FIELDS: Mapping[str, tuple[type, str, Text]] = {
    "micro_batch_size": (
        int,
        "sequences",
        Text("micro batch; sequences per device and forward pass", "微批次，每卡每次前向的序列数"),
    ),
    "gradient_accumulation_steps": (
        int,
        "steps",
        Text("gradient accumulation; micro batches per optimizer step", "梯度累积步数"),
    ),
    "global_batch_size": (
        int,
        "sequences",
        Text("global batch; sequences per optimizer step", "全局批大小，每个优化器步的序列数"),
    ),
    "data_parallel_size": (int, "ranks", Text("data parallel replicas", "数据并行副本数")),
    "tensor_parallel_size": (int, "ranks", Text("tensor parallel size", "张量并行度")),
    "pipeline_parallel_size": (int, "ranks", Text("pipeline parallel size", "流水线并行度")),
    "context_parallel_size": (int, "ranks", Text("context parallel size", "上下文并行度")),
    "expert_parallel_size": (int, "ranks", Text("expert parallel size", "专家并行度")),
    "world_size": (int, "ranks", Text("world size; processes of the run", "进程总数")),
    "nodes": (int, "nodes", Text("nodes of the run", "节点数")),
    "gpus_per_node": (int, "GPUs", Text("processes (GPUs) per node", "每节点进程（GPU）数")),
    "node_gpus": (int, "GPUs", Text("GPUs that a node has", "每个节点实有的 GPU 数")),
    "node_cores": (int, "cores", Text("CPU cores of a node", "每个节点的 CPU 核数")),
    "sequence_length": (int, "tokens", Text("sequence length; tokens", "序列长度")),
    "max_position_embeddings": (
        int,
        "tokens",
        Text("positions that the model has", "模型的最大位置数"),
    ),
    "global_batch_tokens": (
        int,
        "tokens",
        Text("tokens per optimizer step (GB_tok)", "每个优化器步的 token 数 (GB_tok)"),
    ),
    "total_tokens": (int, "tokens", Text("tokens to train on", "计划训练的 token 总数")),
    "dataset_sequences": (int, "sequences", Text("sequences of the data set", "数据集的序列数")),
    "total_steps": (int, "steps", Text("optimizer steps of the run", "优化器总步数")),
    "epochs": (float, "epochs", Text("passes over the data", "训练轮数")),
    "learning_rate": (float, "", Text("peak learning rate", "峰值学习率")),
    "min_learning_rate": (float, "", Text("final learning rate", "衰减终点学习率")),
    "warmup_steps": (int, "steps", Text("optimizer steps of warmup", "预热步数")),
    "warmup_ratio": (
        float,
        "of total steps",
        Text("warmup as a share of the run", "预热占总步数的比例"),
    ),
    "decay_steps": (int, "steps", Text("step at which the decay ends", "衰减结束的步数")),
    "lr_schedule": (str, "", Text("learning rate schedule", "学习率调度")),
    "weight_decay": (float, "", Text("weight decay", "权重衰减")),
    "adam_beta2": (float, "", Text("Adam beta2", "Adam beta2")),
    "adam_epsilon": (float, "", Text("Adam epsilon", "Adam epsilon")),
    "optimizer": (str, "", Text("optimizer", "优化器")),
    "gradient_clip": (
        float,
        "norm",
        Text("gradient norm clip; 0 is off", "梯度裁剪阈值，0 为关闭"),
    ),
    "precision": (str, "fp32|fp16|bf16|fp8", Text("compute precision", "计算精度")),
    "zero_stage": (int, "0-3", Text("ZeRO stage", "ZeRO 阶段")),
    "fsdp": (bool, "", Text("fully sharded data parallel", "FSDP 全分片数据并行")),
    "optimizer_offload": (
        str,
        "none|cpu|nvme",
        Text("where optimizer states live", "优化器状态放置位置"),
    ),
    "activation_checkpointing": (
        bool,
        "",
        Text("activations recomputed in the backward pass", "激活重计算"),
    ),
    "compile": (bool, "", Text("torch.compile", "torch.compile")),
    "use_amp": (bool, "", Text("automatic mixed precision", "自动混合精度")),
    "attention": (str, "", Text("attention implementation", "注意力实现")),
    "hidden_size": (int, "", Text("hidden size", "隐藏层维度")),
    "num_layers": (int, "", Text("layers", "层数")),
    "num_heads": (int, "", Text("attention heads", "注意力头数")),
    "num_kv_heads": (int, "", Text("key/value heads", "KV 头数")),
    "head_dim": (int, "", Text("width of one attention head", "每个注意力头的维度")),
    "ffn_size": (int, "", Text("feed-forward size", "前馈层维度")),
    "vocab_size": (int, "", Text("vocabulary rows", "词表大小")),
    "num_experts": (int, "", Text("experts per layer", "每层专家数")),
    "parameters": (int, "", Text("parameters of the model", "模型参数量")),
    "parameter_dtype": (
        str,
        "fp32|fp16|bf16",
        Text("dtype that trained weights are held in", "参与训练的权重的存储精度"),
    ),
    "tied_embeddings": (
        bool,
        "",
        Text("input and output embeddings share weights", "输入输出嵌入共享权重"),
    ),
    "fused_loss": (
        bool,
        "",
        Text("loss computed in chunks, without the full logits", "分块计算 loss，不存完整 logits"),
    ),
    "quantization": (
        str,
        "none|8bit|4bit",
        Text("storage of frozen weights", "冻结权重的量化方式"),
    ),
    "base_model": (
        str,
        "name or path",
        Text("pretrained model that training starts from", "训练起点的预训练模型"),
    ),
    "model_name": (str, "name", Text("open model that is trained", "所训练的开源模型")),
    "gpu": (str, "name", Text("GPU model", "GPU 型号")),
    "lora_rank": (int, "", Text("LoRA rank", "LoRA 秩")),
    "num_workers": (
        int,
        "processes",
        Text("data loader workers per rank", "每个 rank 的数据加载进程数"),
    ),
    "pin_memory": (bool, "", Text("pinned host memory for batches", "锁页内存")),
    "log_interval": (int, "steps", Text("steps between log lines", "日志间隔")),
    "save_interval": (int, "steps", Text("steps between checkpoints", "保存间隔")),
    "eval_interval": (int, "steps", Text("steps between evaluations", "评估间隔")),
    "resume_from": (str, "path", Text("checkpoint resumed from", "恢复的检查点")),
    "output_dir": (str, "path", Text("output directory", "输出目录")),
    "master_port": (int, "port", Text("rendezvous port", "主端口")),
    "nccl_timeout": (int, "seconds", Text("collective timeout", "集合通信超时")),
}


@dataclass(frozen=True)
class RunConfig:
    """The run as configured. Unknown stays unknown: ``get`` gives None, never a guess. ``others``:
    other launches of the same script, runs of their own."""

    values: Mapping[str, Value] = field(default_factory=dict)
    framework: str = ""
    framework_version: str = ""
    files: tuple[str, ...] = ()
    model_files: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ()
    others: tuple[RunConfig, ...] = ()

    @property
    def nobodys(self) -> bool:
        """Whether no known program reads it."""
        return not self.framework or self.framework in NOBODYS

    def setting(self, name: str, framework: str = "") -> Setting | None:
        """The key whose path ends in ``name`` (``a.b``): one of ``framework`` before others, a
        short path before a long one. None if nothing states it."""
        steps = steps_of(name)
        found = [s for s in self._by_end.get(steps[-1], ()) if s.path[-len(steps) :] == steps]
        if not found:  # as for most names
            return None
        return min(found, key=lambda s: (s.origin.framework != framework, len(s.path)))

    @cached_property
    def _by_end(self) -> Mapping[str, Sequence[Setting]]:
        """The settings by the last part of their paths."""
        found: dict[str, list[Setting]] = {}
        for one in self.settings:
            found.setdefault(one.path[-1] if one.path else "", []).append(one)
        return found

    def get(self, name: str) -> Scalar:
        return found.value if (found := self.values.get(name)) is not None else None

    def number(self, name: str) -> float | None:
        value = self.get(name)
        return None if isinstance(value, (bool, str)) or value is None else float(value)

    def integer(self, name: str) -> int | None:
        value = self.number(name)
        return int(value) if value is not None and value == int(value) else None

    def origin(self, name: str) -> Origin | None:
        return found.origin if (found := self.values.get(name)) is not None else None

    def missing(self, *names: str) -> tuple[str, ...]:
        return tuple([n for n in names if self.get(n) is None])

    def stated(self, name: str) -> bool:
        """True if a user wrote the value down (not a default, not derived)."""
        return name in self.values and self.values[name].origin.source not in ("default", "derived")

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)


@dataclass(frozen=True)
class Change:
    """One canonical field that gets a computed value."""

    field: str
    old: Scalar
    new: Scalar
    why: Text


@dataclass(frozen=True)
class Edit:
    """Bytes ``start``..``end`` of ``file`` become ``text``; equal offsets insert."""

    file: str
    start: int
    end: int
    text: str
