"""Models whose layers all look back at so many tokens only, batches that are padded, and what sdpa then keeps.

A flag cannot tell torch's sdpa of a window: from as many tokens on transformers hands it a written
mask (``masking_utils.py``, ``_ignore_causal_mask_sdpa``: no skip where the sequence is as long as the
window). torch makes of it a bias in the type of the queries, for every sequence of the batch, in
each layer anew, and keeps it for the backward pass (``sdp_utils``, ``convert_boolean_attn_mask``;
a row is padded to 16 values, ``pad_bias``). Beside a mask keys and values are repeated for all heads
(``sdpa_attention.py``, ``use_gqa_in_sdpa``). Measured on an H200, torch 2.11, transformers 5.17.
Flash attention takes the window itself. Of a batch with padding the mask is written too, of each of its
sequences (``masking_utils.py``, ``_ignore_causal_mask_sdpa``: no skip where the attention mask has a zero);
flash attention takes padding out of the batch (``modeling_flash_attention_utils.py``, ``_upad_input``).

Padded to one length all: transformers ``--pad_to_max_length`` of its examples, axolotl
``pad_to_sequence_len``. To the longest of a batch, unless they are packed: TRL ``sft_trainer.py``
(``packing`` off), axolotl (``sample_packing`` off), LLaMA-Factory ``data/collator.py``, ms-swift.
"""

from __future__ import annotations

from medic.memory import details
from medic.memory.reading import Reader, Views

_PADDED = 16  # values of a bias's row
# Trainers that pad the samples of a batch to its longest.
_PAD = ("axolotl", "llama-factory", "ms-swift", "trl")
# Families with one window for all layers; what a config.json without the key means
# (transformers ``configuration_mistral.py``, ``configuration_phi3.py``, ``configuration_mixtral.py``).
_WITHOUT_KEY = {"mistral": 4096, "phi3": 0, "mixtral": 0}


def windows_of(read: Reader) -> Views[int]:
    """Tokens of the window where sdpa runs, 0 where none is; an unstated kernel may be flash."""
    word = read.word("attention")
    if read.family not in _WITHOUT_KEY or not read.eager or "flash" in word:
        return 0, 0, 0
    window = _stated(read)
    return (window if word else 0), window, window


def _stated(read: Reader) -> int:
    told = read.config.setting("sliding_window")
    if told is not None:
        known = isinstance(told.value, int) and not isinstance(told.value, bool)
        return int(told.value or 0) if known else 0
    family = read.config.setting("model_type", "hf-model")
    from_file = family is not None and family.origin.framework == "hf-model"
    return _WITHOUT_KEY[read.family] if from_file else 0


def padded_of(read: Reader) -> Views[bool]:
    """Whether a micro batch holds padding where sdpa runs; how long the samples are no config tells."""
    word, config = read.word("attention"), read.config
    if not read.eager or any(w in word for w in ("flash", "flex", "eager")):
        return False, False, False
    if details.flag(config, "packed") is True:
        return False, False, False
    if details.flag(config, "padded") is True or details.word(config, "padding") == "max_length":
        return bool(word), True, True
    several = (config.integer("micro_batch_size") or 1) > 1
    if not several or config.framework not in _PAD:
        return False, False, False
    read.assumed["padding"] = "none"
    return False, False, True


def bias(sequence: int, width: int) -> int:
    """Bytes of the bias for each token; ``width``: of a value."""
    return -(-sequence // _PADDED) * _PADDED * width
