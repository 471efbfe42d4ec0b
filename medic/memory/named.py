"""The sizes of an open model that a run names: by short name, hub name or a path that ends in one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from medic.errors import UsageError
from medic.index.knowledge import Index
from medic.memory import details
from medic.nearest import did_you_mean, nearest
from medic.records import replace
from medic.run_config import Origin, RunConfig, Setting, Value
from medic.text.patterns import regex

if TYPE_CHECKING:
    from medic.entries import Model

SIZES = ("hidden_size", "num_layers", "num_heads", "num_kv_heads", "ffn_size", "vocab_size",
         "head_dim", "tied_embeddings")  # fmt: skip
# What is added to a model's name without changing its sizes.
_TAIL = regex(
    r"instruct|chat|hf|base|it|pt|sft|dpo|rl|thinking|preview|v\d+(?:\.\d+)*|\d{4}|\d+k|1m|"
    r"bnb|[48]bit|int[48]|fp8|awq|gptq|unsloth|bf16|mixture|tuned|finetuned|abliterated|rm|ppo"
)
_NUMBER = regex(r"\d+")
# Thousands of tokens, or a million; other millions are parameters (opt-125m).
_OWN_LENGTH = regex(r"\dk\b|\b1m\b|long|yarn|rope")
# torchtune's builders: models/<family>/_model_builders.py.
_BUILDERS = "torchtune.models."
_BUILT_SIZE = regex(r"(\d+(?:_\d+)?b)(?:_(?:base|instruct))?")
_OTHER_NAMES = "other names of models"  # what is kept of them
_BETWEEN_DIGITS = regex(r"(?<=\d)_(?=\d)")


def with_model(config: RunConfig, index: Index, words: str = "") -> tuple[RunConfig, str]:
    """The config with the sizes of the model that ``words`` or its ``base_model`` names, where it
    states none itself; and the model's name."""
    found = model_of(index, words or built(config)) or model_of(index, words or _stated(config))
    if found is None:
        if not words:
            return config, ""
        hint = did_you_mean(key(words), names(index, "models"))
        raise UsageError(
            f'--model: no model "{words}"{hint.en} (its config.json will do)',
            f"--model：没有名为 “{words}” 的模型{hint.zh}（也可直接给它的 config.json）",
        )
    if words:
        _refuse_two(config, found)
    origin = Origin("derived", note=found.name)
    values = {n: Value(getattr(found, n), origin) for n in SIZES if n != "head_dim"}
    for name in ("head_dim", "num_experts", "parameters"):
        if getattr(found, name):
            values[name] = Value(getattr(found, name), origin)
    known = {**values, **config.values}
    stated = [
        Setting((key,), value, origin)
        for key, value in _keys(found).items()
        if value and (key == "model_type" or config.setting(key) is None)
    ]
    return replace(config, values=known, settings=(*config.settings, *stated)), found.name


def with_named_sizes(config: RunConfig, index: Index) -> RunConfig:
    """The config with the sizes and the positions of the model that it names, as far as both are
    known. A name that tells its own length (…-128k, …-1m) may be made for more."""
    stated = _stated(config)
    sized, name = with_model(config, index) if stated else (config, "")
    last = key(stated.rstrip("/").rsplit("/", 1)[-1])
    if not name or _OWN_LENGTH.search(last):
        return sized
    known = index.models[name].positions
    own = [n for n in known if n != "any" and _plain(last).startswith(_plain(n))]
    positions = known.get(own[0] if own else "any")
    if positions and "max_position_embeddings" not in sized.values:
        value = Value(positions, Origin("derived", note=name))
        return replace(sized, values={**sized.values, "max_position_embeddings": value})
    return sized


def nearest_model(config: RunConfig, index: Index) -> str:
    """The known model that the name of the config's is near: of the same numbers, as 8B is another
    model than 7B, and the same first letter; empty if none is."""
    words = key(_stated(config).rstrip("/").rsplit("/", 1)[-1])
    numbers = _NUMBER.findall(words)
    same = [
        name
        for name in names(index, "models")
        if name[:1] == words[:1] and _NUMBER.findall(name) == numbers
    ]
    return next(iter(nearest(words, same)), "") if numbers else ""


def _refuse_two(config: RunConfig, model: Model) -> None:
    """Raises UsageError where a file states the sizes of another model than the one asked for."""
    for name in ("hidden_size", "num_layers", "num_heads"):
        origin, value = config.origin(name), config.integer(name)
        if origin is None or origin.span is None or value in (None, getattr(model, name)):
            continue
        file, own = origin.span.file, getattr(model, name)
        raise UsageError(
            f"--model {model.name} has {name} {own}, {file} has {value}: two models, leave one out",
            f"--model {model.name} 的 {name} 为 {own}，而 {file} 中为 {value}：是两个模型，请只给其中一个",
        )


def _stated(config: RunConfig) -> str:
    """The model that the config names: in one word, or by name and flavor (torchtitan)."""
    for field in ("base_model", "model_name"):
        stated = config.get(field)
        if isinstance(stated, str):
            return stated
    if config.framework == "litgpt" and details.word(
        config, "named"
    ):  # pretrain's, by litgpt's own names
        return details.word(config, "named")
    name, flavor = (details.word(config, n) for n in ("model_name", "flavor"))
    return f"{name}-{flavor}" if name and flavor else ""


def built(config: RunConfig) -> str:
    """The model that torchtune's builder makes, which says family and size (``torchtune.models.``
    ``qwen2_5.lora_qwen2_5_7b_base``: qwen2.5-7b); empty for one that takes its sizes as arguments."""
    place, _, name = details.word(config, "model_part").rpartition(".")
    family = place.removeprefix(_BUILDERS) if place.startswith(_BUILDERS) else ""
    own = name.removeprefix("q").removeprefix("lora_") if "lora_" in name else name
    size = _BUILT_SIZE.fullmatch(own.removeprefix(f"{family}_"))
    if not family or not own.startswith(f"{family}_") or size is None:
        return ""
    return f"{_BETWEEN_DIGITS.sub('.', family)}-{size[1].replace('_', '.')}"


def _keys(model: Model) -> dict[str, str | int]:
    """What is no canonical field, by the names of transformers' configs."""
    return {
        "model_type": model.family,
        "num_experts_per_tok": model.experts_per_token,
        "moe_intermediate_size": model.expert_ffn,
        "shared_expert_intermediate_size": model.shared_ffn,
        "first_k_dense_replace": model.dense_layers,
    }


def model_of(index: Index, words: str) -> Model | None:
    """The model of a short name, a hub name or a path that ends in one."""
    wanted = key(words.rstrip("/").rsplit("/", 1)[-1])
    own = {_plain(name): name for name in index.raw["models"]}
    while wanted:
        name = own.get(_plain(wanted)) or _by_other_names(index).get(_plain(wanted))
        if name is not None:
            return index.models[name]
        last = wanted.rpartition("-")[2]
        shorter = wanted.removesuffix(f"-{last}") if _TAIL.fullmatch(last) else wanted
        if shorter == wanted:
            return None
        wanted = shorter
    return None


def _by_other_names(index: Index) -> Mapping[str, str]:
    """The models by what else they are called; each of the entries is read for it."""
    if _OTHER_NAMES not in index.kept:
        index.kept[_OTHER_NAMES] = {
            _plain(name): one
            for one in index.raw["models"]
            for name in called(index, "models", one)
        }
    found: Mapping[str, str] = index.kept[_OTHER_NAMES]
    return found


def _plain(words: str) -> str:
    """A name without what people put between its parts or leave out (llama3-8b, llama-3-8b)."""
    return key(words).replace("-", "")


def key(words: str) -> str:
    """A name as names are compared."""
    return "-".join(words.lower().replace("_", " ").split())


def called(index: Index, kind: str, name: str) -> tuple[str, ...]:
    """The names of a model or a GPU, its own first: as data, since of all entries one is wanted."""
    return (name, *index.raw[kind][name].get("says", ()))


def names(index: Index, kind: str) -> list[str]:
    """All of ``models`` or ``gpus``."""
    return [name for one in index.raw[kind] for name in called(index, kind, one)]
