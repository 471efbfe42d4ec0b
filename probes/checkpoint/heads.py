"""Output layers that only one of two checkpoints has: the embedding again, or weights of their own."""

from __future__ import annotations

from collections.abc import Mapping

from medic.probe import Look
from medic.records import replace

from . import samples
from .compare import Comparison, is_embedding, is_head
from .row_orders import config_beside
from .units import Unit

_GRAVER = ("different-model", "shapes-differ", "split-differs")


def with_own_heads(
    look: Look, found: Comparison, units: tuple[Unit, Unit], names: Mapping[str, str]
) -> Comparison:
    """The comparison, in which a head counts as absent where its weights are not the embedding's.

    ``names``: a name of the first -> the second's. Of a format whose tensors have no known place
    nothing is read, so that shapes alone speak. A file without the head of another is loaded as one
    that shares its weights with the embedding: trained weights would be lost or made up.
    """
    heads = [name for name in found.harmless if is_head(name)]
    if not heads:
        return found
    sides = [{} if says_tied(look, unit) else _ends(look, unit) for unit in units]
    sides[0] = {names.get(name, name): sample for name, sample in sides[0].items()}
    own = [[name for name in heads if _is_own(name, side)] for side in sides]
    if not any(own):
        return found
    outcome = found.outcome if found.outcome in _GRAVER else "layers-missing"
    return replace(
        found, outcome=outcome,
        unexpected=(*found.unexpected, *own[0]), missing=(*found.missing, *own[1]),
        harmless=tuple(n for n in found.harmless if n not in (*own[0], *own[1])),
    )  # fmt: skip


def _ends(look: Look, unit: Unit) -> dict[str, samples.Sample]:
    """Samples of the heads and the embeddings, of all files of the checkpoint."""
    if unit.kind == "file":
        return samples.read_or_none(look, unit, _is_end)
    found: dict[str, samples.Sample] = {}
    for path in unit.files if unit.kind in ("index", "shards") else ():
        found |= samples.read_or_none(look, replace(unit, kind="file", path=path), _is_end)
    return found


def _is_end(name: str) -> bool:
    return is_head(name) or is_embedding(name)


def says_tied(look: Look, unit: Unit) -> bool:
    """Whether the model's config beside the checkpoint says that both are one."""
    return config_beside(look, unit).get("tie_word_embeddings") is True


def _is_own(head: str, side: Mapping[str, samples.Sample]) -> bool:
    """Whether a side has the head and an embedding of its kind, and the weights differ."""
    mine = side.get(head)
    if mine is None:
        return False
    embeddings = [
        other for name, other in side.items()
        if is_embedding(name) and name != head
        and (other.dtype, other.shape) == (mine.dtype, mine.shape)
    ]  # fmt: skip
    return bool(embeddings) and all(other.data != mine.data for other in embeddings)
