"""A checkpoint's shapes against the model that the run's config describes."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from medic.facts import CheckpointIndex
from medic.run_config import RunConfig
from medic.text.patterns import regex

from .compare import Comparison, layer_of, show_shape

_EMBEDDING = regex(
    r"(?:^|\.)(?:wte|embed_tokens|word_embeddings|tok_embeddings|embed_in|embed|embedding|"
    r"token_embeddings?|token_embedding_table|embeddings|shared)\.weight$"
)
_LAYERS = regex(r"(?:^|\.)(?:layers?|h|blocks?|block|resblocks)\.$")
# Vocabularies are padded to a multiple (Megatron: 128 x tensor parallel size; others 64 to 1024).
PADDING = 1024


def against_config(
    index: CheckpointIndex, config: RunConfig
) -> tuple[str, dict[str, Any], str] | None:
    """(outcome, value, field) of what differs; None if nothing does or the file is one shard."""
    split = ("tensor_parallel_size", "pipeline_parallel_size", "expert_parallel_size", "lora_rank")
    if any((config.integer(name) or 1) > 1 for name in split):
        return None
    found = layer_count(index)
    wanted = config.integer("num_layers")
    if found and wanted and found != wanted:
        low, high = sorted((found, wanted))
        result = Comparison("layers-missing", layers=tuple(range(low, high)))
        value = {**result.value(), "checkpoint_layers": found, "model_layers": wanted}
        return "layers-missing", value, "num_layers"
    return _of_embedding(index, config)


def _of_embedding(
    index: CheckpointIndex, config: RunConfig
) -> tuple[str, dict[str, Any], str] | None:
    named = [(n, t.shape) for n, t in index.tensors.items() if _EMBEDDING.search(n)]
    if len(named) != 1 or len(named[0][1]) != 2:
        return None
    name, (rows, width) = named[0]
    hidden = config.integer("hidden_size") or width
    vocabulary = config.integer("vocab_size") or rows
    if width == hidden and vocabulary <= rows < vocabulary + PADDING:
        return None
    shown = ((name, (rows, width), (vocabulary, hidden)),)
    outcome = "vocabulary-changed" if width == hidden else "shapes-differ"
    value = Comparison(outcome, mismatched=shown).value()
    value |= {"checkpoint_shape": show_shape((rows, width))}
    return outcome, value, "vocab_size" if width == hidden else "hidden_size"


def layer_count(index: CheckpointIndex) -> int | None:
    """Layers of the longest numbered list of blocks, if it is numbered from 0 without a gap."""
    numbers: dict[str, set[int]] = defaultdict(set)
    sizes: Counter[str] = Counter()
    for name in index.tensors:
        at = layer_of(name)
        if at and _LAYERS.search(at[0]):
            numbers[at[0]].add(at[1])
            sizes[at[0]] += 1
    if len(numbers) != 1:
        return None  # several lists: an encoder and a decoder, or a multimodal model
    (found,) = numbers.values()
    return len(found) if found == set(range(len(found))) else None
