"""Lists and blocks where a framework asks for one number."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from medic.facts import Document, Node
from medic.run_config import FIELDS, Origin, Setting

from .keys import Key, Keys, parts_of

# Fields of which one run has one value, whatever else it has several of.
_ONE = frozenset(
    ("micro_batch_size", "gradient_accumulation_steps", "global_batch_size", "sequence_length",
     "total_steps", "epochs", "learning_rate", "min_learning_rate", "weight_decay", "warmup_steps",
     "warmup_ratio", "hidden_size", "num_layers", "num_heads", "num_kv_heads",
     "tensor_parallel_size", "pipeline_parallel_size", "lora_rank", "gradient_clip",
     "save_interval", "eval_interval", "log_interval", "decay_steps")
)  # fmt: skip
_MAX_SHOWN = 40


def shapes(
    document: Document, keys: Keys, single: Collection[tuple[str, ...]] = ()
) -> Iterator[Setting]:
    """The settings of one number that hold several values, or a block; their value as written.

    ``single``: further keys, by their whole path, that take one value.
    """
    if document.root is not None:
        yield from _below(document, document.root, (), keys, single)


def _below(
    document: Document,
    node: Node,
    above: tuple[str, ...],
    keys: Keys,
    single: Collection[tuple[str, ...]],
) -> Iterator[Setting]:
    for key, value in node.items:
        path = (*above, str(key.value if key.value is not None else key.raw))
        steps = parts_of(path)
        one_value = steps in single or any(_single(one) for _, one in keys.find(steps))
        if value.kind != "scalar" and one_value:
            if _filled(value):
                origin = Origin(
                    "file", value.span, document.syntax, path, path[-1], keys.framework.name
                )
                yield Setting(steps, _shown(value), origin)
        elif value.kind == "mapping":
            yield from _below(document, value, path, keys, single)


def _single(key: Key) -> bool:
    plain = key.true_means is None and key.false_means is None and not key.values
    return plain and key.field in _ONE and FIELDS[key.field][0] in (int, float)


def _filled(node: Node) -> bool:
    """An empty one says nothing; a list of lists or of names is something else."""
    if node.kind == "mapping":
        return bool(node.items) and all(
            isinstance(v.value, (int, float)) for _, v in node.items if v.kind == "scalar"
        )
    numbers = [e for e in node.elements if isinstance(e.value, (int, float))]
    return bool(numbers) and len(numbers) == len(node.elements)


def _shown(node: Node) -> str:
    if node.kind == "mapping":
        return "{" + ", ".join(str(k.value) for k, _ in node.items)[:_MAX_SHOWN] + "}"
    return "[" + ", ".join(e.raw for e in node.elements)[:_MAX_SHOWN] + "]"
