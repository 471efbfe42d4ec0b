"""FSDP wraps layers of a class that the model's family does not have."""

from __future__ import annotations

from collections.abc import Iterator

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig
from medic.text.patterns import regex
from medic.text.slips import one_apart

NAME = "component-name-wrong"
NEEDS = ("base_model",)
KEYS = ("fsdp_transformer_layer_cls_to_wrap", "transformer_layer_cls_to_wrap")
_POLICIES = ("fsdp_auto_wrap_policy", "auto_wrap_policy")
_BY_CLASS = "TRANSFORMER_BASED_WRAP"
# The trainers whose launch has one model. A recipe of several may name the layer of another one.
_ONE_MODEL = frozenset(("accelerate", "hf-trainer", "trl", "axolotl", "llama-factory", "ms-swift"))
# Of the modelling files of transformers. A mixture of experts has a class of its own (-A3B).
_FAMILIES = tuple(
    (regex(pattern), layer)
    for pattern, layer in (
        (
            r"(?:meta-|code|tiny)?llama-?[23]?(?:\.\d)?-(?!.*vision|4|guard-4).*",
            "LlamaDecoderLayer",
        ),
        (r"(?:yi-(?:1\.5-)?\d+b|vicuna-|smollm2-).*", "LlamaDecoderLayer"),
        (r"qwen(?:1\.5|2|2\.5)-(?:coder-|math-)?\d(?!.*-a\d).*", "Qwen2DecoderLayer"),
        (r"qwen3-\d(?!.*-a\d).*", "Qwen3DecoderLayer"),
        (r"qwen3-(?:coder-)?\d+b-a\d+b.*", "Qwen3MoeDecoderLayer"),
        (r"mistral-(?:7b|nemo).*", "MistralDecoderLayer"),
        (r"mixtral-8x.*", "MixtralDecoderLayer"),
        (r"gemma-(?:1\.1-)?\d+b.*", "GemmaDecoderLayer"),
        (r"gemma-2-\d+b.*", "Gemma2DecoderLayer"),
        (r"(?:distil)?gpt2(?:-medium|-large|-xl)?", "GPT2Block"),
        (r"(?:pythia-|gpt-neox-20b).*", "GPTNeoXLayer"),
        (r"bloomz?-\d.*", "BloomBlock"),
        (r"falcon-(?:7b|40b|180b|rw-).*", "FalconDecoderLayer"),
        (r"opt-\d.*", "OPTDecoderLayer"),
        (r"gpt-j-6b.*", "GPTJBlock"),
        (r"phi-2|phi-1_5", "PhiDecoderLayer"),
        (r"phi-3(?:\.5)?-(?:mini|medium|small)-.*|phi-4", "Phi3DecoderLayer"),
        (r"olmo-2-.*", "Olmo2DecoderLayer"),
    )
)
LAYERS = frozenset(layer for _, layer in _FAMILIES)


def check(config: RunConfig) -> LintResult:
    """accelerate looks for each class in the model and raises where there is none of its name."""
    wrapped = next(filter(None, map(config.setting, KEYS)), None)
    if wrapped is None or not isinstance(wrapped.value, str) or not _wraps_by_class(config):
        return NotChecked(KEYS[:1])
    owner, _, name = str(config.get("base_model")).rstrip("/").rpartition("/")
    layer = next((own for family, own in _FAMILIES if family.fullmatch(name.lower())), "")
    if not layer or owner == "unsloth":  # it publishes some models in another's architecture
        return NotChecked(("base_model",))
    names = [one for one in _names(wrapped.value) if one != layer]
    foreign = [one for one in names if one in LAYERS or one_apart(one, layer)]
    if not foreign:
        return Passes()
    return Fires(wrapped.path[-1], {"model": name, "given": ", ".join(foreign), "layer": layer})


def _names(value: str) -> Iterator[str]:
    for one in value.strip("[]").replace(",", " ").split():
        yield one.strip("'\"")


def _wraps_by_class(config: RunConfig) -> bool:
    """Whether the run shards with FSDP, and wraps by the name of a class."""
    if not _shards(config) or not _ONE_MODEL.issuperset(_trainers(config)):
        return False
    policy = next(filter(None, map(config.setting, _POLICIES)), None)
    return policy is None or str(policy.value).upper() == _BY_CLASS


def _shards(config: RunConfig) -> bool:
    """By a switch, or in axolotl by a list of words: full_shard, auto_wrap."""
    words = config.setting("fsdp")
    listed = words is not None and words.path == ("fsdp",) and "auto_wrap" in str(words.value)
    return config.get("fsdp") is True or (config.framework == "axolotl" and listed)


def _trainers(config: RunConfig) -> frozenset[str]:
    named = frozenset((config.framework, *config.frameworks))
    return named - {"", "plain", "torchrun", "slurm"}
