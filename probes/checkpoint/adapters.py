"""A PEFT adapter beside the model that it changes: module names and the sizes of its factors.

Names as in https://huggingface.co/docs/peft/developer_guides/checkpoint: ``base_model.model.`` before
the module's name, ``lora_A.weight`` [rank, in] and ``lora_B.weight`` [out, rank] after it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from medic.text.patterns import regex

from .compare import Comparison, Shape

_WRAPPER = "base_model.model."
_PART = regex(
    r"^(.+?)(?:\.base_layer)?\.(lora_(?:embedding_)?[AB]|lora_magnitude_vector)(?:\.\w+){0,2}$"
)


def beside(have: Mapping[str, Shape], wanted: Mapping[str, Shape]) -> Comparison | None:
    """The comparison where one side is an adapter; None where neither is, or both are.

    ``missing`` are modules of the adapter that the model lacks, ``mismatched`` those whose factors do
    not fit its weight: (module, [out, in] of the factors, shape in the model).
    """
    ours, theirs = modules_of(have), modules_of(wanted)
    if bool(ours) == bool(theirs):
        return None
    modules, model = (ours, wanted) if ours else (theirs, have)
    absent = tuple(m for m in modules if f"{m}.weight" not in model)
    sizes = [(m, _size(parts), model.get(f"{m}.weight")) for m, parts in modules.items()]
    other = tuple(
        (m, size, there)
        for m, size, there in sizes
        if size and _is_plain(there) and sorted(size) != sorted(there or ())
    )
    outcome = "adapter-of-other" if absent or other else "adapter"
    matched = len(modules) - len(absent) - len(other)
    return Comparison(
        outcome, matched=matched, total=len(modules), missing=absent, mismatched=other
    )


def modules_of(shapes: Mapping[str, Shape]) -> dict[str, dict[str, Shape]]:
    """module -> {factor: shape} of a file that holds an adapter; {} of any other.

    Modules that an adapter keeps whole stand beside its factors under the same wrapper.
    """
    modules: dict[str, dict[str, Shape]] = defaultdict(dict)
    for name, module, part in _parts(shapes):
        modules[module][part] = shapes[name]
    wrapped = all(name.startswith(_WRAPPER) or _PART.match(name) for name in shapes)
    return dict(modules) if wrapped else {}


def _parts(shapes: Mapping[str, Shape]) -> Iterator[tuple[str, str, str]]:
    for name in shapes:
        found = _PART.match(name)
        if found:
            yield name, found[1].removeprefix(_WRAPPER), found[2]


def _is_plain(shape: Shape) -> bool:
    """A matrix as it was trained: 4-bit weights are packed into [n, 1], experts into three sizes."""
    return shape is not None and len(shape) == 2 and shape[1] != 1


def _size(parts: Mapping[str, Shape]) -> Shape:
    """[out, in] of the weight that the two factors make; None where one is not there."""
    first = parts.get("lora_A") or parts.get("lora_embedding_A")
    second = parts.get("lora_B") or parts.get("lora_embedding_B")
    if not first or not second or len(first) != 2 or len(second) != 2:
        return None
    return second[0], first[1]
