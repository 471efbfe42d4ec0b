"""LoRA on layers that the model's family does not have."""

from __future__ import annotations

from collections.abc import Iterator

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig, Setting
from medic.text.patterns import regex

from .models import on, written

NAME = "target-modules-absent"
NEEDS = ("base_model",)
_TARGETS = ("lora_target_modules", "lora_target", "target_modules")
_TUNING = ("adapter", "finetuning_type", "tuner_type", "train_type", "sft_type")
# An adapter that is loaded has its own list, and axolotl's switch adds all linear layers to this.
_OTHER_LIST = ("lora_model_dir", "adapter_name_or_path", "adapters", "lora_target_linear")
_LORA = ("lora", "qlora", "dora")
# Trainers that train LoRA where no key says otherwise; a flag of the first has one word.
_FACTORY = "llama-factory"
_BY_DEFAULT = (_FACTORY, "ms-swift")
# Of the models' classes in transformers, or of the code beside their weights: the layers that are
# told, and further ones that a model of the name may have.
_LLAMA = "q_proj k_proj v_proj o_proj gate_proj up_proj down_proj"
_LLAMA_MORE = "lm_head embed_tokens w1 w2 w3 gate router experts"
_GLM = "query_key_value dense dense_h_to_4h dense_4h_to_h"
_FAMILIES = tuple(
    (regex(pattern), layers.split(), frozenset(f"{layers} {more}".split()))
    for pattern, layers, more in (
        (r"(?:meta-|code|tiny)?llama-?[23]?(?:\.\d)?-(?!.*vision).*", _LLAMA, _LLAMA_MORE),
        (r"qwen(?:1\.5|2|2\.5|3)-(?:coder-|math-)?\d.*", _LLAMA, _LLAMA_MORE),
        (r"(?:mistral-(?:7b|nemo|small)|mixtral-8x).*", _LLAMA, _LLAMA_MORE),
        (r"(?:gemma-(?:2-)?\d+b|yi-(?:1\.5-)?\d+b|vicuna-|smollm2-).*", _LLAMA, _LLAMA_MORE),
        (r"qwen/qwen-(?:1_8b|7b|14b|72b).*", "c_attn c_proj w1 w2", "lm_head wte"),
        (r"(?:distil)?gpt2(?:-medium|-large|-xl)?", "c_attn c_proj c_fc", "lm_head wte wpe"),
        (r"(?:pythia-|gpt-neox-20b|dolly-v2-).*", _GLM, "embed_in embed_out"),
        (r"bloomz?-\d.*", _GLM, "word_embeddings lm_head"),
        (r"falcon-(?:7b|40b|180b|rw-).*", _GLM, "word_embeddings lm_head"),
        (r"chatglm[23]?-6b.*", _GLM, "word_embeddings output_layer lm_head"),
        (r"baichuan2?-(?:7b|13b).*", "W_pack o_proj gate_proj up_proj down_proj",
         "embed_tokens lm_head"),
        (r"opt-\d.*", "q_proj k_proj v_proj out_proj fc1 fc2", "embed_tokens lm_head"),
        (r"gpt-j-6b.*", "q_proj k_proj v_proj out_proj fc_in fc_out", "wte lm_head"),
        (r"gpt-neo-\d.*", "q_proj k_proj v_proj out_proj c_fc c_proj", "wte wpe lm_head"),
        (r"mpt-\d.*", "Wqkv out_proj up_proj down_proj", "wte"),
    )
)  # fmt: skip
_ANY = frozenset(name for *_, names in _FAMILIES for name in names)


def check(config: RunConfig) -> LintResult:
    """PEFT refuses a list of which the model has no layer; one of which it has some is allowed."""
    target = next(filter(None, map(config.setting, _TARGETS)), None)
    if target is None or not _is_whole(target):
        return NotChecked(("lora_target_modules",))
    owner, _, name = str(config.get("base_model")).rstrip("/").rpartition("/")
    known = (name.lower(), f"{owner.rpartition('/')[2]}/{name}".lower())
    found = next((f for f in _FAMILIES if any(map(f[0].fullmatch, known))), None)
    if found is None or owner == "unsloth" or not _adapts(config, target):
        return NotChecked(("base_model",))
    _, layers, own = found
    wanted = list(_names(str(target.value)))
    foreign = [one for one in wanted if one in _ANY and one not in own]
    if not foreign or len(foreign) < len(wanted):
        return Passes()
    shown = {"model": name, "targets": ", ".join(foreign), "layers": ", ".join(layers)}
    return Fires(target.path[-1], shown)


def _names(value: str) -> Iterator[str]:
    """The layers of a list, by the last step of their paths."""
    for one in value.strip("[]").replace(",", " ").split():
        yield one.strip("'\"").rpartition(".")[2]


def _is_whole(target: Setting) -> bool:
    """Whether all that a key names is known: a flag may have more words behind the first."""
    if not isinstance(target.value, str):
        return False
    one = target.origin.syntax != "shell" or target.origin.framework == _FACTORY
    return one or "," in target.value


def _adapts(config: RunConfig, target: Setting) -> bool:
    """Whether a new LoRA is surely trained on these layers."""
    if written(config, *_OTHER_LIST):
        return False
    tuning = next(filter(None, map(config.setting, _TUNING)), None)
    if tuning is not None:
        return str(tuning.value).lower() in _LORA
    made = target.origin.syntax == "python" and target.path[-1] == "lora_target_modules"
    return made or config.framework in _BY_DEFAULT or on(config.setting("use_peft"))
