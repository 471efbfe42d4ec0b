"""Published peak learning rates of AdamW runs, and what kind of training a configuration is.

Pretraining, from the papers and shipped configurations named in each row: GPT-3 (arXiv 2005.14165,
table 2.1), OPT (2205.01068), LLaMA (2302.13971), Llama 3 (2407.21783), DeepSeek (2401.02954),
OLMo 2 (2501.00656), Cerebras-GPT (2304.03208), BLOOM (2211.05100). Fine-tuning: the defaults and
examples of transformers, torchtune, axolotl, LLaMA-Factory and TRL. Preference training and RL: DPO
(2305.18290) and the shipped configurations of TRL, LLaMA-Factory, the alignment handbook and verl,
5e-7 to 5e-6; with LoRA up to the 1e-4 of ms-swift's examples. Supervised fine-tuning ends at 1e-6
where it is lowest (DeepSeek-V3, 2412.19437; Tulu 3 takes 2e-6 for 70B, 2411.15124), that of OLMo
at 2e-6 (2402.00838).
"""

from __future__ import annotations

from typing import Literal

from medic.records import dataclass
from medic.run_config import RunConfig
from medic.text.patterns import regex

Kind = Literal["pretraining", "fine-tuning", "lora", "unknown"]


@dataclass(frozen=True)
class Range:
    low: float
    high: float


# (parameters up to, range)
_PRETRAINING = (
    (3e8, Range(3e-4, 6e-3)),  # GPT-3 350M; Cerebras-GPT 111M and 256M
    (2e9, Range(1.6e-4, 2e-3)),  # GPT-3 2.7B; Cerebras-GPT 590M
    (5e10, Range(6e-5, 9e-4)),  # LLaMA 33B with half its rate; OLMo 2 13B
    (float("inf"), Range(6e-5, 3e-4)),  # GPT-3 and BLOOM 176B; OPT-175B at its start
)
_ANEW = Range(6e-5, 6e-3)  # pretraining of whatever size
_FINE_TUNING = Range(5e-7, 1e-4)  # DPO and RL at the low end; full SFT examples at the high end
_SUPERVISED = Range(1e-6, 1e-4)
_OLMO_ON = 2e-6  # of a checkpoint
_LORA = Range(1e-5, 3e-4)
_PREFERENCE = Range(1e-7, 1e-5)  # DPO and RL of all weights
_REWARD_MODEL = Range(1e-7, 1e-4)  # of scores: TRL reward_config.py takes 1e-4 where none is set
_PREFERENCE_LORA = Range(5e-7, 1e-4)
_ANY = Range(5e-7, 6e-3)
# No published example tunes a model of fewer parameters (T5 small has 6e7, and is tuned at 1e-3: arXiv
# 1910.10683): ten times the rates of large ones are no slip there, as in pretraining.
_TINY, _UP = 5e7, 10
_NAMES_MODEL = regex(
    r"^model$|model[-_]?(?:name|size|type|path)|^(?:tokenizer_dir|checkpoint_dir)$"
)
_SIZE = regex(r"(?<![\w.])(\d{1,4}(?:\.\d{1,2})?)([bBmM])(?![A-Za-z0-9])")
_UNITS = {"b": 1e9, "m": 1e6}
# Keys that name the kind of training, of LLaMA-Factory, axolotl, ms-swift and gpt-neox.
_KINDS = ("stage", "rl", "rlhf_type", "train_impl")
_PREFERS = frozenset(
    "dpo ipo kto orpo simpo cpo ppo grpo rloo gkd rm reinforce reward".split()  # noqa: SIM905
)
# Keys that only trainers on preferences or rewards read: verl, slime and OpenRLHF, TRL, torchtune.
_OF_REWARDS = (
    "ppo_mini_batch_size", "adv_estimator", "advantage_estimator", "chosen_key", "rejected_key",
    "actor_learning_rate", "num_generations", "kl_loss_coef", "init_kl_coef", "grpo_samples",
    "reward_model", "process_reward_model",
)  # fmt: skip
# The same of TRL, whose supervised trainer has none of them.
_OF_TRL = ("beta", "max_prompt_length", "precompute_ref_log_probs", "sync_ref_model")
_REWARD_PARTS = "torchtune.rlhf"
# A model of rewards, which learns scores: axolotl's keys, LLaMA-Factory's stage and ms-swift's type.
_SCORES = ("reward_model", "process_reward_model")
_OF_SCORES = frozenset(("rm", "reward"))
# Trainers on the next token, unless a key says otherwise.
_NEXT_TOKEN = frozenset(("axolotl", "litgpt", "llama-factory", "torchtune"))
# Settings of those that train something small in the place of weights, at rates of their own.
_PROMPTS = ("pre_seq_len", "num_virtual_tokens", "prompt_encoder_hidden_size")


def kind_of(config: RunConfig) -> Kind:
    """LoRA by its rank, fine-tuning by its base model, pretraining by a model of stated size."""
    if config.get("lora_rank"):
        return "lora"
    if config.get("base_model") is not None:
        return "fine-tuning"
    if config.get("resume_from") is not None:
        return "unknown"  # weights from elsewhere: continued training takes a lower rate
    return "pretraining" if parameters(config) else "unknown"


def prefers(config: RunConfig) -> bool:
    """Whether it trains on preferences or rewards, as its own key says."""
    said = (config.setting(name) for name in _KINDS)
    if any(str(one.value).lower() in _PREFERS for one in said if one is not None):
        return True
    names = (*_OF_REWARDS, *_OF_TRL) if config.framework == "trl" else _OF_REWARDS
    marks = (config.setting(name) for name in names)
    if any(one.value not in (None, False) for one in marks if one is not None):
        return True
    return any(str(one.value).startswith(_REWARD_PARTS) for one in config.settings)


def scores(config: RunConfig) -> bool:
    """Whether what is trained is a model of rewards."""
    marks = (config.setting(name) for name in _SCORES)
    if any(one.value is True for one in marks if one is not None):
        return True
    said = (config.setting(name) for name in _KINDS)
    return any(str(one.value).lower() in _OF_SCORES for one in said if one is not None)


def supervised(config: RunConfig) -> bool:
    """Whether a pretrained model is trained on the next token: its trainer does nothing else unless
    a key says so, and none does."""
    known = config.framework in _NEXT_TOKEN and kind_of(config) in ("fine-tuning", "lora")
    return known and not prefers(config)


def prompts(config: RunConfig) -> bool:
    """Whether a prefix or a prompt is trained, which takes rates far above those of weights."""
    found = (config.setting(name) for name in _PROMPTS)
    return any(one.value not in (None, False, 0) for one in found if one is not None)


def anew(config: RunConfig) -> bool:
    """Whether torchtitan starts from random weights (job config: checkpoint.initial_load_path)."""
    loads = config.setting("initial_load_path")
    return config.framework == "torchtitan" and (loads is None or not loads.value)


def usual(config: RunConfig) -> Range:
    """Published peak rates for the kind of training and the size."""
    found, size = _usual(config), parameters(config)
    known = kind_of(config) in ("fine-tuning", "lora") or prefers(config)
    return Range(found.low, found.high * _UP) if known and size and size < _TINY else found


def _usual(config: RunConfig) -> Range:
    kind, size = kind_of(config), parameters(config) or flavored(config)
    if scores(config) and not (kind == "lora" or adapts(config)):
        return _REWARD_MODEL
    if prefers(config):
        return _PREFERENCE_LORA if kind == "lora" or adapts(config) else _PREFERENCE
    if kind == "lora":
        return _LORA
    if kind == "fine-tuning":
        whole = supervised(config) and not adapts(config)
        return _SUPERVISED if whole else _FINE_TUNING
    if size is None:
        return _ANEW if anew(config) and kind == "unknown" else _ANY
    found = next(found for limit, found in _PRETRAINING if size <= limit)
    if kind == "pretraining" or anew(config):
        return found
    return Range(_OLMO_ON if config.framework == "olmo" else _ANY.low, found.high)


def highest(config: RunConfig) -> float:
    """The highest published rate, of the size that the model's name tells where no other does."""
    found, named = usual(config).high, named_size(config)
    if named is None or parameters(config) or kind_of(config) != "unknown" or prefers(config):
        return found
    return min(found, next(row.high for limit, row in _PRETRAINING if named <= limit))


def named_size(config: RunConfig) -> float | None:
    """Parameters as a name of the model says them: 1.4e9 of pythia-1.4b, 125e6 of opt-125m."""
    for one in config.settings:
        key = str(one.path[-1]).lower() if one.path else ""
        found = _SIZE.search(str(one.value)) if _NAMES_MODEL.search(key) else None
        if found:
            return float(found[1]) * _UNITS[found[2].lower()]
    return None


def flavored(config: RunConfig) -> float | None:
    """Parameters as torchtitan's flavor of a model says them: 8e9 of "8B"; none of "debugmodel"."""
    flavor = config.setting("model.flavor") if config.framework == "torchtitan" else None
    found = _SIZE.search(str(flavor.value)) if flavor is not None else None
    return float(found[1]) * _UNITS[found[2].lower()] if found else None


def possible(config: RunConfig) -> Range:
    """Rates that somebody may well have meant, low ones of another kind of training too."""
    found = usual(config)
    return Range(min(found.low, _ANY.low), found.high)


def adapts(config: RunConfig) -> bool:
    """Whether a key says that an adapter is trained, of whatever rank."""
    kinds = ("finetuning_type", "adapter", "train_type", "tuner_type", "use_peft", "sft_type")
    said = (config.setting(name) for name in kinds)
    return any(one.value not in (None, False, "full") for one in said if one is not None)


def adam_like(config: RunConfig) -> bool:
    """Whether the published ranges apply: AdamW is what an unstated optimizer is."""
    optimizer = config.get("optimizer")
    return optimizer is None or "adam" in str(optimizer).lower()


def parameters(config: RunConfig) -> float | None:
    """Parameters as stated, else of a transformer of the stated shape, to about 20%:
    layers x (4 h^2 attention + 3 h ffn, or 8 h^2) + vocabulary x h.
    """
    stated = config.number("parameters")
    if stated:
        return stated
    hidden, layers = config.number("hidden_size"), config.number("num_layers")
    if not hidden or not layers:
        return None
    ffn = config.number("ffn_size")
    experts = config.number("num_experts") or 1
    mlp = (3 * hidden * ffn if ffn else 8 * hidden * hidden) * max(experts, 1)
    return layers * (4 * hidden * hidden + mlp) + (config.number("vocab_size") or 0) * hidden
