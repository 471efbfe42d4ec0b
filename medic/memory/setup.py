"""A run config as three set-ups: the leanest, the likely and the heaviest that it allows.

What the config states is the same in all three. What it leaves open is taken low, as usual, and
high, and listed; nothing is filled in silently.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Literal, TypeVar

from medic.memory.shape import Shape
from medic.memory.states import ADAMW, QUANTIZED, Optimizer, Style, optimizer_of
from medic.records import dataclass
from medic.run_config import RunConfig

T = TypeVar("T")
Views = tuple[T, T, T]
Engine = Literal["single", "ddp", "deepspeed", "fsdp", "megatron"]
# Frameworks with fp32 master weights and fused kernels of their own.
_MEGATRON = ("megatron", "nemo", "neox", "nanotron", "bigscience")
# Frameworks that train transformers' own model classes.
HEAD_NORMS = ("qwen3", "qwen3_moe")
_EAGER = ("transformers", "huggingface", "hf", "trl", "axolotl", "llama-factory", "swift")


@dataclass(frozen=True)
class Setup:
    """All that the formulas need. ``shape``, ``micro`` and ``sequence`` are None where unknown."""

    shape: Shape | None
    parameters: int
    micro: int | None
    sequence: int | None
    style: Style = "fp32"
    optimizer: Optimizer = ADAMW
    gradient_bytes: int = 0  # 0: the style's own
    zero: int = 0  # FSDP counts as 3
    shards: int = 1
    engine: Engine = "single"
    tensor: int = 1
    pipeline: int = 1
    context: int = 1
    lora: int = 0  # rank of the adapters; 0: all weights are trained
    every_map: bool = True  # adapters on all linear maps
    frozen_bytes: float = 0.0
    offloaded: bool = False
    quantised: bool = False
    fp8: bool = False
    experts: int = 1
    known: bool = False  # the model's code is one that was measured
    recompute: bool = False
    fused_attention: bool = True
    compiled: bool = False
    fused_loss: bool = False
    accumulation: int = 1
    error: float = 1.0  # factor on activations
    view: int = 1  # 0 low, 1 likely, 2 high


@dataclass
class Reader:
    """Takes fields from the config and notes what had to be assumed and what is missing."""

    config: RunConfig
    assumed: dict[str, str] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)

    def flag(self, name: str, *, low: bool, usual: bool, high: bool) -> Views[bool]:
        value = self.config.get(name)
        if isinstance(value, bool):
            return value, value, value
        self.assumed[name] = "on" if usual else "off"
        return low, usual, high

    def word(self, name: str) -> str:
        value = self.config.get(name)
        return value.lower() if isinstance(value, str) else ""

    def count(self, name: str, usual: int | None = None, note: str = "") -> int | None:
        """A whole number of at least 1, else ``usual`` (noted), else None (noted as unknown)."""
        value = self.config.integer(name)
        if value is not None and value >= 1:
            return value
        if usual is None:
            self.unknown[name] = None
        elif note:
            self.assumed[name] = note
        return usual

    @property
    def eager(self) -> bool:
        """Whether transformers' own model classes run."""
        return bool(self.family) or any(w in self.config.framework.lower() for w in _EAGER)

    @property
    def family(self) -> str:
        """The ``model_type`` of a transformers config; empty if unknown."""
        setting = self.config.setting("model_type")
        value = setting.value if setting is not None else None
        return value.lower() if isinstance(value, str) else ""

    @property
    def megatron(self) -> bool:
        return any(w in self.config.framework.lower() for w in _MEGATRON)


def shape_of(read: Reader) -> Views[Shape] | None:
    """The model's shape; None if a dimension that nothing can stand in for is missing."""
    needed = ("hidden_size", "num_layers", "num_heads", "vocab_size")
    hidden, layers, heads, vocab = (read.count(name) for name in needed)
    if hidden is None or layers is None or heads is None or vocab is None:
        return None
    kv = read.count("num_kv_heads", heads, "num_heads")
    stated_ffn = read.config.integer("ffn_size")
    ffn = read.count("ffn_size", 4 * hidden, "4 * hidden_size")
    if kv is None or ffn is None:
        return None
    low, usual, high = read.flag("tied_embeddings", low=True, usual=False, high=False)

    width = read.config.integer("head_dim") or 0
    norms = read.family in HEAD_NORMS

    def shape(tied: bool, gated: bool) -> Shape:
        return Shape(hidden, layers, heads, kv, ffn, vocab, tied, gated, width, norms)

    gated = _is_gated(read, shape, ffn, stated_ffn, hidden)
    return shape(low, gated[0]), shape(usual, gated[1]), shape(high, gated[2])


def _is_gated(
    read: Reader,
    shape: Callable[[bool, bool], Shape],
    ffn: int,
    stated: int | None,
    hidden: int,
) -> Views[bool]:
    """Whether the feed-forward part has a gate. The number of parameters tells, if it is known."""
    total = read.config.integer("parameters")
    if total is not None:
        fits = {
            gated: min(abs(shape(tied, gated).parameters - total) for tied in (True, False))
            for gated in (True, False)
        }
        gate = fits[True] <= fits[False]
        return gate, gate, gate
    if stated is None:
        return False, False, False
    # Without a gate the usual width is 4 * hidden; no plain model has another one.
    unsure = ffn == 4 * hidden and not read.eager
    if unsure:
        read.assumed["feed-forward gate"] = "on"
    return not unsure, True, True


def style_of(read: Reader) -> Views[Style]:
    """How weights, gradients and moments are held (see ``states.Style``)."""
    precision, held = read.word("precision"), read.word("parameter_dtype")
    low_precision = precision in ("bf16", "fp16", "fp8") or held in ("bf16", "fp16")
    if not precision and not held:
        read.assumed["precision"] = "fp32"
        return "pure", "fp32", "fp32"
    if not low_precision:
        return "fp32", "fp32", "fp32"
    if read.config.integer("zero_stage") is not None or read.megatron:
        return "master", "master", "master"
    pure = held in ("bf16", "fp16")
    if read.config.get("fsdp") is True:
        if not held:
            read.assumed["parameter_dtype"] = "fp32"
        usual: Style = "pure" if pure else "shards"
        return ("shards" if held == "fp32" else "pure"), usual, usual
    if pure:
        return "pure", "pure", "pure"
    if held == "fp32" or precision == "fp16" or read.config.get("use_amp") is True:
        return "autocast", "autocast", "autocast"
    read.assumed["parameter_dtype"] = "fp32"
    return "pure", "autocast", "autocast"


def frozen_of(read: Reader, style: Views[Style]) -> Views[float]:
    """Bytes of a frozen weight under LoRA."""
    stored = read.word("quantization")
    if stored in QUANTIZED:
        return QUANTIZED[stored], QUANTIZED[stored], QUANTIZED[stored] * 1.2
    low, usual, high = (4.0 if s in ("fp32", "autocast") else 2.0 for s in style)
    if stored:
        return low, usual, high
    read.assumed["quantization"] = "none"
    return QUANTIZED["4bit"], usual, high


def shards_of(read: Reader, tensor: int, pipeline: int, context: int) -> int | None:
    """Ranks that share the states: data parallel replicas and context parallel ranks."""
    replicas = read.config.integer("data_parallel_size")
    world = read.config.integer("world_size")
    if replicas is None and world is not None:
        replicas = max(1, world // (tensor * pipeline * context))
    if replicas is None:
        read.unknown["data_parallel_size"] = None
        return None
    return max(1, replicas) * context


def optimizer_for(read: Reader) -> Views[Optimizer]:
    name = read.word("optimizer")
    if not name:
        read.assumed["optimizer"] = "AdamW"
        name = "adamw"
    found = optimizer_of(name)
    if read.megatron or read.config.integer("zero_stage") is not None:
        found = Optimizer(found.name, found.moments, "none")
    plain = found.temporaries == "all"
    lean = Optimizer(found.name, found.moments, "none") if plain else found
    heavy = found
    if found.moments == 0:  # SGD's momentum may be on
        heavy = Optimizer(found.name, 1.0, "none")
    return lean, found, heavy
