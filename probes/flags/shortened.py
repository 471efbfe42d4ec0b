"""Names of one setting of which one writes a word shorter."""

from __future__ import annotations

from collections.abc import Sequence

# Words that frameworks write in full or shorter: --max_model_length, --max-num-sequences.
_SHORT_WORDS = {
    "length": "len",
    "sequence": "seq",
    "sequences": "seqs",
    "number": "num",
    "caching": "cache",
    "utilisation": "utilization",
    "parallelism": "parallel",
    "parameter": "param",
    "parameters": "params",
    "checkpoint": "ckpt",
    "gradient": "grad",
    "attention": "attn",
    "normalization": "norm",
    "configuration": "config",
    "directory": "dir",
    "maximum": "max",
    "minimum": "min",
}

# Names that scripts of one's own have beside the framework's plural of them.
OWN_NAMES = frozenset(("dataset", "model", "data", "split", "column", "field", "prompt"))


def same_but_shorter(name: str, others: Sequence[str]) -> str:
    """The one of the others that has the same words, some written shorter; "" for none or several."""
    found = [other for other in others if _shortened(other) == _shortened(name) and other != name]
    return found[0] if len(found) == 1 else ""


def _shortened(name: str) -> list[str]:
    """The words of a name, each in the shortest way to write it."""
    return [_SHORT_WORDS.get(word, word) for word in name.split("_")]
