"""Two settings of one run that cannot both be meant: sizes, places, parts of a list."""

from __future__ import annotations

from collections.abc import Iterator

from medic.i18n import Text
from medic.probe import Finding
from medic.run_config import RunConfig, Setting
from medic.text.patterns import regex

from .checks.fsdp_wraps_foreign_layer import KEYS, LAYERS
from .setting_faults import fault

_VALUE, _OTHERWISE = "flag-value-not-accepted", "option-reads-otherwise"
_STEP = regex(r"(?:^|/)checkpoint-(\d{1,9})/?$")
_PARTS = regex(r"[.0-9]+")
_MOST_PARTS = 3
_EMBEDDING = Text(
    "embedding_size {size} is below vocab_size {words}: OLMo refuses it",
    "embedding_size 为 {size}，小于 vocab_size {words}：OLMo 会报错",
)
_SPLIT = Text(
    "split has {n} parts; there are three: training, validation, test",
    "split 写了 {n} 个部分，而只有三个：训练、验证、测试",
)
_AGAIN = Text(
    "load is also save: with finetune each restart loads its own checkpoint and counts from"
    " iteration 0 again",
    "load 与 save 相同：加上 finetune 后，每次重启都会加载自己的 checkpoint，并重新从第 0 步计数",
)
_BEYOND = Text(
    "checkpoint-{step} is at or beyond max_steps {steps}: nothing more is trained",
    "checkpoint-{step} 已达到或超过 max_steps {steps}：不会再训练",
)

# torchtune models/*/_model_builders.py: one of a size has a twin of the same name behind lora_.
_BUILDER = regex(r"torchtune\.models\.(\w+)\.((?!q?lora_)[a-z]\w*_\d+(?:_\d+)?b\w*)")
_LORA = ("model.lora_attn_modules", "model.lora_rank")
_NO_LORA = Text(
    "{builder} takes no {key}; lora_{builder} does",
    "{builder} 没有参数 {key}，应为 lora_{builder}",
)
_NO_CLASS = Text(
    "no model has a layer class {given}; {layer} is meant",
    "没有模型有名为 {given} 的层类，应为 {layer}",
)
_COMPONENT = regex(r"torchtune\.models\.(\w+)\.\w+")
_TOKENIZERS = {"llama2": "llama2", "code_llama2": "llama2"} | dict.fromkeys(
    ("llama3", "llama3_1", "llama3_2", "llama3_3"), "llama3"
)
_OTHER_WORDS = Text(
    "{tokenizer} beside a model of {family}: its vocabulary is {own}'s",
    "{tokenizer} 与 {family} 模型不配：后者用的是 {own} 的词表",
)


def pairs(config: RunConfig) -> Iterator[Finding]:
    yield from _embedding(config)
    yield from _split(config)
    yield from _counts_again(config)
    yield from _beyond_the_end(config)
    yield from _layer(config)
    yield from _builder(config)
    yield from _tokenizer(config)


def _of(config: RunConfig, name: str, framework: str) -> Setting | None:
    setting = config.setting(name, framework)
    return setting if setting is not None and setting.origin.framework == framework else None


def _embedding(config: RunConfig) -> Iterator[Finding]:
    """OLMo olmo/model.py OLMo.__init__: OLMoConfigurationError."""
    own = _of(config, "model.embedding_size", "olmo")
    words = _of(config, "model.vocab_size", "olmo")
    size, most = own and own.value, words and words.value
    if own is None or not isinstance(size, int) or not isinstance(most, int):
        return
    if 0 < size < most:
        yield fault(_VALUE, own, size, {"what": _EMBEDDING.fill(size=size, words=most)})


def _split(config: RunConfig) -> Iterator[Finding]:
    """Megatron-LM core/datasets/utils.py and blended_megatron_dataset_config.py
    parse_and_normalize_split: assert len(split) == len(Split)."""
    split = _of(config, "split", "megatron")
    if split is None or not isinstance(split.value, str) or "$" in split.value:
        return
    parts = len(_PARTS.findall(split.value))
    if parts > _MOST_PARTS and "," in split.value:
        yield fault(_VALUE, split, split.value, {"what": _SPLIT.fill(n=parts)})


def _counts_again(config: RunConfig) -> Iterator[Finding]:
    """Megatron-LM training/checkpointing.py load_checkpoint: with finetune the iteration is 0."""
    load, save, on = (_of(config, name, "megatron") for name in ("load", "save", "finetune"))
    if load is None or save is None or on is None or str(on.value).lower() != "true":
        return
    if isinstance(load.value, str) and load.value and load.value == save.value:
        yield fault(_OTHERWISE, on, on.value, {"what": _AGAIN})


def _beyond_the_end(config: RunConfig) -> Iterator[Finding]:
    """transformers trainer.py _inner_training_loop: the loop goes on at the step that it was saved
    at, and ends at max_steps. Folders and arguments of these names are its own."""
    path, steps = config.setting("resume_from_checkpoint"), config.setting("max_steps")
    if path is None or steps is None:
        return
    found = _STEP.search(str(path.value or ""))
    most = steps.value
    if found is None or not isinstance(most, (int, float)) or not 0 < most <= int(found[1]):
        return
    what = _BEYOND.fill(step=int(found[1]), steps=int(most))
    yield fault(_OTHERWISE, path, path.value, {"what": what})


def _layer(config: RunConfig) -> Iterator[Finding]:
    """The name of a class but for the case of a letter; where the model is known, the check of its
    layers tells it (accelerate utils/dataclasses.py set_auto_wrap_policy raises)."""
    wrapped = next(filter(None, map(config.setting, KEYS)), None)
    if wrapped is None or not isinstance(wrapped.value, str) or config.get("base_model"):
        return
    for word in wrapped.value.replace(",", " ").split():
        meant = next((one for one in LAYERS if one.lower() == word.lower()), word)
        if meant != word:
            what = _NO_CLASS.fill(given=word, layer=meant)
            yield fault(_VALUE, wrapped, wrapped.value, {"what": what})


def _builder(config: RunConfig) -> Iterator[Finding]:
    """torchtune config/_instantiate.py: TypeError of an argument that the builder does not have."""
    model = _of(config, "model._component_", "torchtune")
    found = _BUILDER.fullmatch(str(model.value)) if model is not None else None
    given = next(filter(None, (_of(config, name, "torchtune") for name in _LORA)), None)
    if model is not None and found is not None and given is not None:
        what = _NO_LORA.fill(builder=found[2], key=given.path[-1])
        yield fault(_VALUE, model, model.value, {"what": what})


def _tokenizer(config: RunConfig) -> Iterator[Finding]:
    """Ids of Llama 2's 32,000 pieces are others than those of Llama 3's 128,256, and each reads a
    file of its own form (torchtune models/llama2/_tokenizer.py, models/llama3/_tokenizer.py)."""
    model, words = (
        _of(config, f"{name}._component_", "torchtune") for name in ("model", "tokenizer")
    )
    if model is None or words is None:
        return
    family, own = (_COMPONENT.fullmatch(str(one.value)) for one in (model, words))
    family_of = _TOKENIZERS.get(family[1]) if family is not None else None
    have = _TOKENIZERS.get(own[1]) if own is not None else None
    if family is None or family_of is None or have is None or have == family_of:
        return
    name = str(words.value).rpartition(".")[2]
    what = _OTHER_WORDS.fill(tokenizer=name, family=family[1], own=family_of)
    yield fault(_OTHERWISE, words, words.value, {"what": what})
