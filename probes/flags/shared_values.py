"""Names of flags that take a value in every framework that has them: also in unknown parsers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from medic.run_config import FIELDS, PLAIN
from medic.text.patterns import regex

from .families import SWITCHES
from .key_names import Framework as Keyed
from .key_names import normal

_FRAMEWORKS = 3  # so many have a name for one and the same: scripts of one's own follow them
_COLLECTIONS = (PLAIN, "grouped")  # names that scripts share: no parser of its own stands behind
_PLACES = ("output_dir", "base_model")  # of several words: ``--save`` may be a switch
# A number to frameworks; a script of one's own may turn it on with a switch.
_TURNED_ON = ("gradient_clip",)
_BOOLEANS = frozenset(("true", "false"))
# Of several words, all of which name what lies at the place: --use_relative_path, --data_in_folder
# and --save_full_path are switches. Megatron-LM's --data-path takes none, too.
_AMOUNT_OR_PLACE = regex(
    r"(?:(?:actor|critic|ref|reward|vllm|eval|train)_)?num_(?!(?:only|check)\b)[a-z_]+|(?:save|log|logging)_(?:path|dir|folder)|"
    r"(?!(?:[a-z]+_)*data_path$)(?:(?:model|data|dataset|train|test|val|valid|validation|eval|"
    r"output|out|cache|ckpt|checkpoint|config|tokenizer|pretrained|image|images|video|audio|text|"
    r"feature|features|work|root|result|results|input)_)+(?:path|dir|folder)"
)
# Amounts and words that no script turns on with a switch, by whole names: what a name begins or ends
# with may be a verb (--scale_lr, --group_by_length, --keep_aspect_ratio).
_ALWAYS = regex(
    r"(?:(?:train|eval|val|valid|test|per_gpu|global|micro|mini|total|per_device_train|per_device_eval)_)?"
    r"batch_size(?:_per_(?:gpu|device))?|learning_rate|lr|weight_decay|seed|epochs?|port|config|stage|"
    r"(?:max|min)_(?:[a-z]+_)?(?:length|len|steps?|epochs?|iters?|iterations|samples|tokens|norm|size|"
    r"lr|updates|rounds|turns)|n_(?:layers?|heads?|embd|epochs?|gpus?|samples|ctx|classes)|"
    r"(?:save|eval|val|log|logging|print|report|checkpoint|checkpointing|ckpt|valid|test|warmup)_"
    r"(?:steps|interval|freq|frequency|iters|epochs)|warmup_(?:ratio|proportion|fraction)|"
    r"(?:lora|ds|zero|deepspeed)_(?:r|rank|alpha|dropout|stage|config)|adam_(?:beta[12]|epsilon|eps)|"
    r"(?:hidden|embed|embedding|ffn|intermediate|vocab|head|kernel|patch|image|img|crop|block|window|"
    r"chunk|context|group|beam|shard)_(?:size|dim)|(?:model|dataset|run|exp|experiment|project|"
    r"optimizer|scheduler|lr_scheduler|task|job|tokenizer)_(?:name|type)|(?:train|eval|val|test|valid|"
    r"validation|dev|input|output|config|vocab)_files?|mm_projector_type|conv_mode|model_max_length|"
    r"wandb_project|master_(?:port|addr)|(?:eval|evaluation|save|logging)_strategy|lr_scheduler_type|"
    r"lr_decay_style|report_to"
)
# By the first of the entries: those of one knowledge are read together.
_KEPT: list[tuple[Framework, frozenset[str]]] = []


class Framework(Keyed, Protocol):
    @property
    def switches(self) -> Sequence[str]: ...
    @property
    def choices(self) -> Mapping[str, Sequence[str]]: ...


def shared_values(every: Sequence[Framework]) -> frozenset[str]:
    """Names that several frameworks read a number, an output folder or a model from, and that none
    takes for a switch: ``learning_rate``, ``save_steps``.

    An ending tells nothing: ``--lr_decay`` and ``--random_seed`` are switches of many scripts.
    """
    if not (_KEPT and _KEPT[0][0] is every[0]):
        _KEPT[:] = [(every[0], _collected(every))]
    return _KEPT[0][1]


def _collected(every: Sequence[Framework]) -> frozenset[str]:
    own = [one for one in every if one.name not in _COLLECTIONS]
    counts = Counter(name for one in own for name in set(_amounts(one)))
    switches = {name for one in every for name in _switches(one)}
    several = {name for name, count in counts.items() if count >= _FRAMEWORKS}
    return frozenset(several - switches - SWITCHES)


def _amounts(framework: Framework) -> Iterator[str]:
    for key in framework.keys:
        kind = FIELDS[key.field][0] if key.field in FIELDS else None
        name = _leaf(key.key)
        amount = kind in (int, float) and key.field not in _TURNED_ON
        if amount or (key.field in _PLACES and "_" in name):
            yield name


def _switches(framework: Framework) -> Iterator[str]:
    """What may stand alone: listed as such, of true and false, or on by a true of its own."""
    yield from (normal(name) for name in framework.switches)
    for name, words in framework.choices.items():
        if not _BOOLEANS.isdisjoint(words):
            yield _leaf(name)
    for key in framework.keys:
        if key.true_means is not None or FIELDS.get(key.field, ("",))[0] is bool:
            yield _leaf(key.key)


def _leaf(key: str) -> str:
    return normal(key).rpartition(".")[2]


def is_amount_or_place(name: str) -> bool:
    """Whether a name says that a count, a place or a word follows: ``num_workers``, ``output_path``."""
    return (_AMOUNT_OR_PLACE.fullmatch(name) or _ALWAYS.fullmatch(name)) is not None
