"""What a run config says of model, precision and optimizer, low, likely and high.

What the config states is the same in all three. What it leaves open is taken low, as usual, and
high, and listed; nothing is filled in silently.
"""

from __future__ import annotations

from typing import TypeVar

from medic.memory import details, megatron, recomputing, torchtitan
from medic.memory.gates import is_gated
from medic.memory.shape import Experts, Shape
from medic.memory.states import DOUBLE_QUANT, QUANTIZED, Optimizer, Style, counted, optimizer_of
from medic.memory.upcast import upcasts
from medic.records import dataclass, field, replace
from medic.run_config import RunConfig

T = TypeVar("T")
_OWN_TYPES = ("axolotl", "torchtune")
# Frameworks whose configs say so where weights are quantised.
_STATE_BITS = ("axolotl", "llama-factory", "litgpt", "ms-swift", "nemo", "torchtune", "verl")
# Frameworks that quantise the scales again unless told not to (axolotl loaders/model.py; LLaMA-Factory
# model_args.py, double_quantization; ms-swift arguments, bnb_4bit_use_double_quant).
_TWICE = ("axolotl", "llama-factory", "ms-swift")
Views = tuple[T, T, T]
# Frameworks with fp32 master weights and fused kernels of their own.
_MEGATRON = ("megatron", "nemo", "neox", "nanotron", "bigscience")
HEAD_NORMS = ("qwen3", "qwen3_moe", "olmoe", "olmo2", "gemma3", "gemma3_text")
# Frameworks without a setting for accumulation: verl's actor takes ppo_mini_batch_size in micro
# batches (workers/actor/dp_actor.py), its SFT trainer train_batch_size.
DERIVED = ("verl", "verl-sft", "easyr1")
# Frameworks whose models are modules of their own, also where the model is one of transformers' families
# (torchtune ``modules/``, litgpt ``model.py``, torchtitan ``models/``, OLMo ``olmo/model.py``).
_OWN_MODULES = ("torchtune", "litgpt", "torchtitan", "olmo")
# Frameworks that train transformers' own model classes.
_EAGER = ("transformers", "huggingface", "hf", "trl", "axolotl", "llama-factory", "swift")


@dataclass
class Reader:
    """Takes fields from the config and notes what had to be assumed and what is missing."""

    config: RunConfig
    assumed: dict[str, str] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)
    inner: int | None = None  # parameters of the layers, where the vocabulary alone is unknown

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
        if self.own_modules or self.megatron:
            return False
        return bool(self.family) or any(w in self.config.framework.lower() for w in _EAGER)

    @property
    def own_modules(self) -> bool:
        """Whether the framework trains modules of its own, of which none was measured."""
        return self.config.framework in _OWN_MODULES

    @property
    def family(self) -> str:
        """The ``model_type`` of a transformers config or of a known model; empty if unknown.

        Trainers' settings of this name, which hold a class (axolotl) or a checkpoint's kind
        (torchtune), come last.
        """
        found = [s for s in self.config.settings if s.path[-1:] == ("model_type",)]
        found.sort(key=lambda s: s.origin.framework in _OWN_TYPES)
        usual = "gpt2" if self.config.framework == "nanogpt" else ""  # its model.py is GPT-2
        value = next((s.value for s in found if isinstance(s.value, str)), usual)
        return value.lower().removesuffix("forcausallm")

    @property
    def megatron(self) -> bool:
        """Whether Megatron's layers and optimizer train; slime's ``train_backend`` is it by default."""
        backend = self.config.setting("train_backend")
        if self.config.framework == "slime":
            return backend is None or backend.value != "fsdp"
        return any(w in self.config.framework.lower() for w in _MEGATRON)


def shape_of(read: Reader) -> Views[Shape] | None:
    """The model's shape; None if a dimension that nothing can stand in for is missing."""
    needed = ("hidden_size", "num_layers", "num_heads", "vocab_size")
    hidden, layers, heads, vocab = (read.count(name) for name in needed)
    if hidden is None or layers is None or heads is None:
        return None
    kv = read.count("num_kv_heads", heads, "num_heads")
    stated_ffn = read.config.integer("ffn_size")
    ffn = read.count("ffn_size", 4 * hidden, "4 * hidden_size")
    if kv is None or ffn is None:
        return None
    low, usual, high = read.flag("tied_embeddings", low=True, usual=False, high=False)

    width = read.config.integer("head_dim") or 0
    norms = read.family in HEAD_NORMS
    experts = experts_of(read, ffn)
    if experts is None and (read.config.integer("num_experts") or 1) > 1:
        return None

    def shape(tied: bool, gated: bool) -> Shape:
        return Shape(hidden, layers, heads, kv, ffn, vocab or 0, tied, gated, width, norms, experts)

    gated = is_gated(read, shape, ffn, stated_ffn, hidden)
    if vocab is None:
        read.inner = shape(tied=True, gated=gated[0]).parameters
        return None
    return shape(low, gated[0]), shape(usual, gated[1]), shape(high, gated[2])


def experts_of(read: Reader, ffn: int) -> Experts | None:
    """The experts of a layer; None of a dense model, or where it is unknown how many a token uses
    (then noted)."""
    config = read.config
    count = config.integer("num_experts") or 1
    if count <= 1:
        return None
    used = details.count(config, "experts_per_token")
    if not used:
        read.unknown["num_experts_per_tok"] = None
        return None
    width = details.count(config, "expert_ffn", ffn)
    shared = details.count(config, "shared_ffn") or details.count(config, "shared_experts") * width
    return Experts(count, used, width, shared, details.count(config, "dense_layers"))


def style_of(read: Reader) -> Views[Style]:
    """How weights, gradients and moments are held (see ``states.Style``)."""
    precision, held = read.word("precision"), read.word("parameter_dtype")
    low_precision = precision in ("bf16", "fp16", "fp8") or held in ("bf16", "fp16")
    if not precision and not held:
        read.assumed["precision"] = "fp32"
        return "pure", "fp32", "fp32"
    if not low_precision:
        return "fp32", "fp32", "fp32"
    if read.megatron or details.deepspeed(read.config):
        return "master", "master", "master"
    pure = held in ("bf16", "fp16")
    if upcasts(read.config):
        return "shards", "shards", "shards"
    if read.config.get("fsdp") is True:
        if not held:
            read.assumed["parameter_dtype"] = "fp32"
        usual: Style = "pure" if pure else "shards"
        return ("shards" if held == "fp32" else "pure"), usual, usual
    if pure:
        return "pure", "pure", "pure"
    if held == "fp32" or precision == "fp16" or read.config.get("use_amp") is True:
        return "autocast", "autocast", "autocast"
    if read.config.integer("lora_rank") and read.word("quantization") not in QUANTIZED:
        # Frozen weights stay in the 16 bits that they are published in; TRL loads a model that is
        # named in fp32 where no dtype is told (trl/trainer/utils.py, create_model_from_path).
        wide = read.config.framework == "trl" and not details.tells_dtype(read.config)
        read.assumed["parameter_dtype"] = "fp32" if wide else precision
        return "pure", "autocast" if wide else "pure", "autocast"
    read.assumed["parameter_dtype"] = "fp32"
    return "pure", "autocast", "autocast"


def frozen_of(read: Reader, style: Views[Style]) -> Views[tuple[float, float]]:
    """Bytes of a frozen weight under LoRA: of the layers' maps, and of embeddings and head.

    Quantised maps leave the rest in 16 bits, or in fp32 after peft's k-bit preparation.
    """
    stored, held = read.word("quantization"), read.word("parameter_dtype")
    if stored in QUANTIZED:
        usual = QUANTIZED[stored]
        twice = details.flag(read.config, "double_quant")
        twice = True if twice is None and read.config.framework in _TWICE else twice
        lean = DOUBLE_QUANT if stored == "4bit" and twice is not False else usual
        likely = lean if twice else usual
        ends = (4.0 if held == "fp32" else 2.0, 2.0 if held in ("bf16", "fp16") else 4.0)
        if not held:
            read.assumed["parameter_dtype"] = "fp32"
        return (lean, min(ends)), (likely, ends[1]), (usual if twice is None else likely, max(ends))
    low, usual, high = (4.0 if s in ("fp32", "autocast") else 2.0 for s in style)
    if stored:
        return (low, 0.0), (usual, 0.0), (high, 0.0)
    read.assumed["quantization"] = "none"
    if read.config.framework in _STATE_BITS:
        return (low, 0.0), (usual, 0.0), (high, 0.0)
    return (DOUBLE_QUANT, 2.0), (usual, 0.0), (high, 0.0)


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
    engine = read.megatron or details.deepspeed(read.config)
    fused = details.flag(read.config, "fused_step") is True
    if fused or (engine and "foreach" not in name):  # both engines bring fused kernels
        found = replace(found, temporaries="none")
    if read.megatron:
        found = megatron.with_lean_moments(read.config, found)
    lean = replace(found, temporaries="none") if found.temporaries == "all" else found
    if "paged" in name or not counted(
        name
    ):  # by bitsandbytes: what the card has no room for lies on the host
        lean = replace(lean, moments=0.0)
    heavy = found
    if found.moments == 0:  # SGD's momentum may be on
        heavy = Optimizer(found.name, 1.0, "none")
    return lean, found, heavy


def accumulation_of(read: Reader) -> Views[int]:
    """Micro batches of an optimizer step."""
    passes = torchtitan.passes(read.config)
    steps = passes[1] if passes else read.config.integer("gradient_accumulation_steps")
    if steps:
        return steps, steps, steps
    if read.config.framework not in DERIVED:
        read.assumed["gradient_accumulation_steps"] = "1"
    return 1, 1, 2


def attention_of(read: Reader) -> Views[bool]:
    """Whether attention is fused (flash, sdpa): then no scores are kept."""
    word = read.word("attention")
    if not word:
        read.assumed["attention"] = "fused (sdpa or flash)"
        return True, True, True
    fused = not any(w in word for w in ("eager", "math", "naive", "unfused"))
    return fused, fused, fused


def recompute_of(read: Reader) -> Views[bool]:
    """Whether whole layers are recomputed."""
    granularity = recomputing.granularity(read.config)
    if torchtitan.selective(read.config):
        return True, True, True
    some = not read.megatron or details.detail(read.config, "recompute_modules") is not None
    if granularity == "selective" and some:  # by operator or module: between all and nothing
        return True, False, False
    if granularity in ("full", "selective"):
        whole = granularity == "full"
        return whole, whole, whole
    return read.flag("activation_checkpointing", low=True, usual=False, high=False)
