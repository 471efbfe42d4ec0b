"""Settings that only another one makes right: a cap above all that it caps, packing without a length."""

from __future__ import annotations

from collections.abc import Iterator

from medic.i18n import Text
from medic.probe import Finding
from medic.run_config import RunConfig

from .at_odds import pairs
from .setting_faults import fault

NEEDS_ANOTHER, NO_EFFECT = "option-needs-another-option", "option-without-effect"
_SPLITS = "device_train_microbatch_size"
_SPLITS_NOTHING = Text(
    "{key} {value} is above the global batch of {batch}: it splits nothing",
    "{key} 为 {value}，大于全局 batch（{batch}）：不会拆分任何 batch",
)
_PACKED, _LENGTH = "dataset.packed", "tokenizer.max_seq_len"
_NO_LENGTH = Text(
    "dataset.packed needs tokenizer.max_seq_len: a pack has that length",
    "dataset.packed 需要设置 tokenizer.max_seq_len：打包后的长度由它决定",
)
_FILES = (".yaml", ".yml")


def needs_another(config: RunConfig) -> Iterator[Finding]:
    for found in (_splits_nothing(config), _packed_without_length(config)):
        if found is not None:
            yield found
    yield from pairs(config)


def _splits_nothing(config: RunConfig) -> Finding | None:
    """OLMo train.py split_batch: a batch that is no larger than the micro batch stays whole."""
    micro, batch = config.setting(_SPLITS, "olmo"), config.get("global_batch_size")
    most = micro.value if micro is not None else None
    if micro is None or micro.origin.framework != "olmo":
        return None
    if isinstance(most, bool) or not isinstance(most, int):
        return None
    if not isinstance(batch, int) or not 0 < batch < most:
        return None
    what = _SPLITS_NOTHING.fill(key=_SPLITS, value=most, batch=batch)
    return fault(NO_EFFECT, micro, most, {"what": what})


def _packed_without_length(config: RunConfig) -> Finding | None:
    """torchtune datasets/*.py: "PackedDataset requires a max_seq_len to be set on the tokenizer". Its
    own recipes set none; a file of the user's that is not read may."""
    packed, base = config.setting(_PACKED, "torchtune"), config.setting("config", "torchtune")
    if packed is None or packed.origin.framework != "torchtune" or packed.value is not True:
        return None
    if config.setting(_LENGTH) is not None:  # of one that is null a rule tells
        return None
    name = str(base.value) if base is not None and base.value is not None else ""
    own = "/" in name and not name.endswith(_FILES) and "$" not in name
    if not own:
        return None
    return fault(NEEDS_ANOTHER, packed, packed.value, {"what": _NO_LENGTH})
